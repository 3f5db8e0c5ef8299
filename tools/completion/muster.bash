# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Completion of muster for bash; `muster completion bash` prints it.
_muster() {
  local current=${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = :files ]; then
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    elif [[ ${line%%$'\t'*} == "$current"* ]]; then
      COMPREPLY+=("${line%%$'\t'*}")
    fi
  done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o filenames -F _muster muster
