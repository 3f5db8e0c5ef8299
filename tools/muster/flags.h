// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The flags of one command: declared once, and from that parsed, refused and printed.
//
//   FlagSet flags;
//   int64_t nodes = 100;
//   flags.Value("--nodes", "N", &nodes, "how many nodes");
//   absl::StatusOr<std::vector<std::string>> files = flags.Parse(arguments);
//
// Both `--nodes 5` and `--nodes=5` are understood; `--` ends the flags; a lone `-` is no flag.
#ifndef MUSTER_TOOLS_FLAGS_H_
#define MUSTER_TOOLS_FLAGS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace muster {

// Returns the text with its lines broken at blanks, so that they fit 100 columns where words do.
// A line that goes on is indented by `indent` columns.
std::string Wrap(std::string_view text, size_t indent);

class FlagSet {
 public:
  void Switch(std::string name, bool* out, std::string help);
  // A text must not be empty. Of a value that is given twice the last counts, as scripts that add
  // flags to a command expect.
  void Value(std::string name, std::string placeholder, std::string* out, std::string help);
  // Each time that the flag is given adds one.
  void Values(std::string name, std::string placeholder, std::vector<std::string>* out,
              std::string help);
  void Value(std::string name, std::string placeholder, int64_t* out, std::string help);
  void Value(std::string name, std::string placeholder, uint64_t* out, std::string help);
  void Value(std::string name, std::string placeholder, double* out, std::string help);
  void Value(std::string name, std::string placeholder, std::optional<int64_t>* out,
             std::string help);
  void Value(std::string name, std::string placeholder, std::optional<uint64_t>* out,
             std::string help);

  // Sets what was declared and returns the other arguments. Errors name the flag, and for an
  // unknown one the nearest that there is.
  absl::StatusOr<std::vector<std::string>> Parse(const std::vector<std::string>& arguments) const;

  std::string Help() const;  // a flag begins a line

  // Returns names of things of a file, a line each: of the kinds NODE, QUEUE, JOB and TASK, with
  // "|" between, those that begin with `word`.
  using NamesIn = std::function<std::string(const std::string& file, std::string_view kinds,
                                            std::string_view word)>;
  // What may stand in place of the last argument: see kCompleteFlag in command.h. `places` are what
  // may stand behind the command, in order, as in a usage: "FILE", "[JOB|TASK]", "NODE...".
  std::string Candidates(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& places, const NamesIn& names) const;

 private:
  struct Flag {
    std::string name, placeholder, help;  // no placeholder: a switch
    std::function<absl::Status(const std::string&)> set;
  };
  const Flag* Find(std::string_view name) const;
  // The arguments that are neither flags nor their values.
  std::vector<std::string> Others(std::span<const std::string> arguments) const;

  std::vector<Flag> flags_;
};

}  // namespace muster

#endif  // MUSTER_TOOLS_FLAGS_H_
