// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Texts for readers of traces and for importers, of which one part grows.
//
//   for (const GrowingText& text : GrowingTraces()) {
//     const Reading read = text.make(2 * text.size);
//     const uint64_t work = CountWork([&] { status = read(); });
//   }
#ifndef MUSTER_TESTS_GROWTH_TEXTS_H_
#define MUSTER_TESTS_GROWTH_TEXTS_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace muster::testing {

// Reads a text that it holds.
using Reading = std::function<absl::Status()>;

struct GrowingText {
  std::string_view reader;  // ReadSwf, ...: as the public headers declare it
  std::string_view part;    // what grows, as docs/growth.md has it
  int size;                 // the n of n, 2n and 4n
  Reading (*make)(int n);
};
std::span<const GrowingText> GrowingTraces();

// The kinds of objects of which there are growing dumps.
std::vector<std::string_view> GrowingKinds();
// A dump with n objects of the kind, in API group `group` where it is not empty, and what these
// need. REQUIRES: `kind` is one of GrowingKinds.
std::string GrowingDump(std::string_view kind, std::string_view group, int n);

}  // namespace muster::testing

#endif  // MUSTER_TESTS_GROWTH_TEXTS_H_
