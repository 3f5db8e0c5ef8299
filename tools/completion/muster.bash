# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Completion of muster for bash; `muster completion bash` prints it.
_muster() {
  local line part= words=() i current begin
  # Bash parts words at : and =, which spec strings and --flag=value have; here they are whole.
  for ((i = 1; i <= COMP_CWORD; ++i)); do
    part=${COMP_WORDS[i]//\\/}
    if ((i > 1)) && [[ $part =~ ^[:=]+$ || ${COMP_WORDS[i - 1]} =~ ^[:=]+$ ]]; then
      words[-1]+=$part
    else
      words+=("$part")
    fi
  done
  if [[ $part =~ ^[:=]+$ ]]; then part=; fi
  current=${words[-1]}
  begin=$((${#current} - ${#part}))  # what stands in front of it stays on the line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = :files ]; then
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$part")
    elif [[ ${line%%$'\t'*} == "$current"* ]]; then
      line=${line%%$'\t'*}
      COMPREPLY+=("${line:begin}")
    fi
  done < <("${COMP_WORDS[0]}" complete -- "${words[@]}" 2>/dev/null)
  # Such a word goes on.
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=\(] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o filenames -F _muster muster
