// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the flag --mix holds: the name of a mix, or a file.
#ifndef MUSTER_TOOLS_MIX_NAME_H_
#define MUSTER_TOOLS_MIX_NAME_H_

#include <string>

namespace muster {

inline bool IsMixFile(const std::string& mix) {
  return mix.ends_with(".json") || mix.find('/') != std::string::npos;
}

}  // namespace muster

#endif  // MUSTER_TOOLS_MIX_NAME_H_
