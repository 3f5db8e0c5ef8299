// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a shell may complete a spec string to (docs/policies.md, Changing a profile).
#ifndef MUSTER_TOOLS_SPEC_CANDIDATES_H_
#define MUSTER_TOOLS_SPEC_CANDIDATES_H_

#include <string>

namespace muster {

// Returns whole words that begin as `spec` does up to its last item, a line each with a tab and
// what it is: profiles; behind "volcano:" what its items may be; behind "volcano:binpack(" options.
// Empty: the profile is not known.
std::string SpecCandidates(const std::string& spec);

}  // namespace muster

#endif  // MUSTER_TOOLS_SPEC_CANDIDATES_H_
