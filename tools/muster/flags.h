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
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace muster {

// The word of a usage that stands for any number of profiles.
inline constexpr char kAnyProfiles[] = "[PROFILE...]";

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

  // What may stand in place of the last argument: see kCompleteFlag in command.h. `words` are those
  // that may stand first; where there are none, files may.
  std::string Candidates(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& words) const;

 private:
  struct Flag {
    std::string name, placeholder, help;  // no placeholder: a switch
    std::function<absl::Status(const std::string&)> set;
  };
  const Flag* Find(std::string_view name) const;

  std::vector<Flag> flags_;
};

}  // namespace muster

#endif  // MUSTER_TOOLS_FLAGS_H_
