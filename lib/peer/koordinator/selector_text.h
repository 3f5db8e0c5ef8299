// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A selector of labels as a text, as options and labels of tasks hold it.
//
//   const auto requirements = ReadSelectorText("a=b+e;!old;c=*");
//
// All parts must hold. A label is the value or one of several (a=b+c), is none of them (a!=b+c), is
// there (a=*) or not (!a). A value may be empty.
//
// Cost. O(length).
#ifndef MUSTER_PEER_KOORDINATOR_SELECTOR_TEXT_H_
#define MUSTER_PEER_KOORDINATOR_SELECTOR_TEXT_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/spec.h"

namespace muster::koordinator {

// Returns whether the text may be a label or a value here: it has no character of the grammar.
bool IsLabelText(std::string_view text);

// Fails with InvalidArgument for a part of another form: `"x" is not LABEL=VALUE+..., ...`. The
// operators are kIn, kNotIn, kExists and kDoesNotExist.
absl::StatusOr<std::vector<Requirement>> ReadSelectorText(std::string_view text);

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_SELECTOR_TEXT_H_
