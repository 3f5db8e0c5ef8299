// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster completion: the file that makes a shell complete commands, flags and their values. What
// may be typed is asked of the program itself: `muster complete WORD...`.
//
// The texts are those of tools/completion, which are installed.
#include <array>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "tools/muster/command.h"

namespace muster {
namespace {

constexpr CommandText kCompletionText = {
    "completion", "completion bash|zsh|fish [flags]",
    "Prints the file that makes the shell complete what follows `muster`. bash: eval it in "
    "~/.bashrc. zsh: write it to a file\n_muster in a folder of $fpath. fish: write it to "
    "~/.config/fish/completions/muster.fish. Packages install all three.",
    "muster completion bash"};

// clang-format off
constexpr std::string_view kBash = R"sh(# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
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
)sh";

constexpr std::string_view kZsh = R"sh(#compdef muster
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Completion of muster for zsh; `muster completion zsh` prints it.
_muster() {
  local line
  local -a candidates
  for line in ${(f)"$($words[1] complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    if [[ $line == :files ]]; then
      _files
    else
      candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    fi
  done
  (( $#candidates )) && _describe -V muster candidates
}
compdef _muster muster
)sh";

constexpr std::string_view kFish = R"sh(# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#
# Completion of muster for fish; `muster completion fish` prints it.
function __muster
    set -l words (commandline -opc)[2..] (commandline -ct)
    for line in (muster complete -- $words 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c muster -f -a '(__muster)'
)sh";

// clang-format on

}  // namespace

int CompletionCommand(const Arguments& arguments) {
  FlagSet flags;
  const Parsed parsed = ParseArguments(kCompletionText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.size() != 1) return ComplainUsage(kCompletionText, "needs one shell");
  const std::string& shell = parsed.others[0];
  if (shell == "bash") return Print(kBash);
  if (shell == "zsh") return Print(kZsh);
  if (shell == "fish") return Print(kFish);
  constexpr std::array<std::string_view, 3> kShells = {"bash", "zsh", "fish"};
  return ComplainUsage(kCompletionText, absl::StrCat("shell ", Quote(shell), " is not known",
                                                     SuggestName(shell, kShells)));
}

}  // namespace muster
