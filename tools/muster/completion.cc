// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// muster completion: the file that makes a shell complete commands, flags and their values. What
// may be typed is asked of the program itself: `muster complete WORD...`.
//
// The files are those of tools/completion. They are installed as they are, and the build makes the
// texts of completion_texts.h from them.
#include <array>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "tools/muster/command.h"
#include "tools/muster/completion_texts.h"

namespace muster {
namespace {

constexpr CommandText kCompletionText = {
    "completion", "completion bash|zsh|fish [flags]",
    "Prints the file that makes the shell complete what follows `muster`. bash: eval it in "
    "~/.bashrc. zsh: write it to a file _muster in a folder of $fpath. fish: write it to "
    "~/.config/fish/completions/muster.fish. Packages install all three.",
    "muster completion bash"};

}  // namespace

int CompletionCommand(const Arguments& arguments) {
  FlagSet flags;
  const Parsed parsed = ParseArguments(kCompletionText, &flags, arguments);
  if (parsed.exit.has_value()) return *parsed.exit;
  if (parsed.others.size() != 1) return ComplainUsage(kCompletionText, "needs one shell");
  const std::string& shell = parsed.others[0];
  if (shell == "bash") return Print(kBashCompletion);
  if (shell == "zsh") return Print(kZshCompletion);
  if (shell == "fish") return Print(kFishCompletion);
  constexpr std::array<std::string_view, 3> kShells = {"bash", "zsh", "fish"};
  return ComplainUsage(kCompletionText, absl::StrCat("shell ", Quote(shell), " is not known",
                                                     SuggestName(shell, kShells)));
}

}  // namespace muster
