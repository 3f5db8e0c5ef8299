// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The files of tools/completion as texts. The build makes them (completion_texts.cc.in).
#ifndef MUSTER_TOOLS_COMPLETION_TEXTS_H_
#define MUSTER_TOOLS_COMPLETION_TEXTS_H_

#include <string_view>

namespace muster {

extern const std::string_view kBashCompletion, kZshCompletion, kFishCompletion;

}  // namespace muster

#endif  // MUSTER_TOOLS_COMPLETION_TEXTS_H_
