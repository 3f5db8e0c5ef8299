// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The flags for the mix that makes a trace, and for its size.
#ifndef MUSTER_TOOLS_MIX_FLAGS_H_
#define MUSTER_TOOLS_MIX_FLAGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "muster/mix.h"
#include "tools/muster/command.h"
#include "tools/muster/flags.h"
#include "tools/muster/mix_name.h"

namespace muster {

class MixFlags {
 public:
  void Declare(FlagSet* flags) {
    flags->Value("--mix", "M", &name_,
                 "openb, philly or hpc, or a file .json, as Python's Mix.save writes it");
    flags->Value("--jobs", "N", &options_.jobs, "how many");
    flags->Value("--nodes", "N", &options_.nodes, "of the machine; 0: as many as the mix has");
    flags->Value("--procs", "N", &options_.processors, "of the pool (hpc); 0: as the mix has");
    flags->Value("--seed", "S", &options_.seed, "equal seeds, equal traces");
    flags->Value("--mix-load", "X", &options_.load,
                 "let jobs request X times what there is; 0: gaps as recorded");
  }
  absl::StatusOr<Trace> Make() const {
    const absl::StatusOr<TraceMix> mix = IsMixFile(name_) ? Load() : NamedTraceMix(name_);
    if (!mix.ok()) return mix.status();
    MixOptions options = options_;
    options.limits = InputLimits();
    return GenerateTrace(*mix, options);
  }

 private:
  absl::StatusOr<TraceMix> Load() const {
    const absl::StatusOr<std::string> text = ReadFile(name_);
    if (!text.ok()) return text.status();
    return ParseTraceMix({name_, *text});
  }

  std::string name_ = "philly";
  MixOptions options_;
};

}  // namespace muster

#endif  // MUSTER_TOOLS_MIX_FLAGS_H_
