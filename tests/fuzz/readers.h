// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The readers of traces that target `trace` reaches.
#ifndef MUSTER_TESTS_FUZZ_READERS_H_
#define MUSTER_TESTS_FUZZ_READERS_H_

#include <string_view>
#include <vector>

namespace muster::fuzz {

// As the public headers declare them: ReadSwf, ...
std::vector<std::string_view> ReaderNames();

}  // namespace muster::fuzz

#endif  // MUSTER_TESTS_FUZZ_READERS_H_
