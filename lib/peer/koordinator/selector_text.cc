// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/selector_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"

namespace muster::koordinator {
namespace {

bool ReadPart(std::string_view part, Requirement* requirement) {
  if (!part.empty() && part[0] == '!') {
    *requirement = {std::string(part.substr(1)), RequirementOp::kDoesNotExist, {}};
    return IsLabelText(requirement->key);
  }
  const size_t equals = part.find('=');
  if (equals == part.npos || equals == 0) return false;
  const bool is_not = part[equals - 1] == '!';
  const std::string_view key = part.substr(0, is_not ? equals - 1 : equals);
  const std::string_view values = part.substr(equals + 1);
  *requirement = {std::string(key), is_not ? RequirementOp::kNotIn : RequirementOp::kIn, {}};
  if (!IsLabelText(key)) return false;
  if (values == "*" && !is_not) {
    requirement->op = RequirementOp::kExists;
    return true;
  }
  for (const absl::string_view value : absl::StrSplit(ToAbsl(values), '+')) {
    if (!value.empty() && !IsLabelText({value.data(), value.size()})) return false;
    requirement->values.emplace_back(value);
  }
  return true;
}

}  // namespace

bool IsLabelText(std::string_view text) {
  return !text.empty() && text.find_first_of(" ,;:=!*+|") == text.npos;
}

absl::StatusOr<std::vector<Requirement>> ReadSelectorText(std::string_view text) {
  std::vector<Requirement> requirements;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(text), ';')) {
    if (!ReadPart({part.data(), part.size()}, &requirements.emplace_back())) {
      return absl::InvalidArgumentError(
          absl::StrCat(Quote(std::string(part)),
                       " is not LABEL=VALUE+..., LABEL!=VALUE+..., LABEL=* or !LABEL"));
    }
  }
  return requirements;
}

}  // namespace muster::koordinator
