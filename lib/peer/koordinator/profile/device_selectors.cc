// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/device_selectors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"
#include "lib/peer/koordinator/selector_text.h"
#include "lib/peer/koordinator/setting_keys.h"

namespace muster::koordinator {
namespace {

absl::Status NotOfForm(absl::string_view text, absl::string_view form) {
  return absl::InvalidArgumentError(absl::StrCat(Quote(std::string(text)), " is not ", form));
}

LabelSelector::Op OpOf(RequirementOp op) {
  using Op = LabelSelector::Op;
  if (op == RequirementOp::kNotIn) return Op::kNotIn;
  if (op == RequirementOp::kExists) return Op::kExists;
  return op == RequirementOp::kDoesNotExist ? Op::kDoesNotExist : Op::kIn;
}

}  // namespace

absl::StatusOr<NamedDeviceLabels> ReadDeviceLabels(std::string_view text) {
  NamedDeviceLabels all;
  for (const absl::string_view item : absl::StrSplit(ToAbsl(text), ',')) {
    const size_t colon = item.find(':');
    if (colon == item.npos || colon == 0) return NotOfForm(item, "DEVICE:LABEL=VALUE+...");
    auto& [name, labels] = all.emplace_back();
    name = std::string(item.substr(0, colon));
    for (const absl::string_view label : absl::StrSplit(item.substr(colon + 1), '+')) {
      const size_t equals = label.find('=');
      if (equals == label.npos || !IsLabelText({label.data(), equals})) {
        return NotOfForm(item, "DEVICE:LABEL=VALUE+...");
      }
      labels.emplace_back(label.substr(0, equals), label.substr(equals + 1));
    }
  }
  return all;
}

absl::StatusOr<LabelSelector> ReadDeviceSelector(std::string_view text) {
  absl::StatusOr<std::vector<Requirement>> requirements = ReadSelectorText(text);
  if (!requirements.ok()) return requirements.status();
  LabelSelector selector;
  for (Requirement& requirement : *requirements) {
    selector.rules.push_back(
        {std::move(requirement.key), OpOf(requirement.op), std::move(requirement.values)});
  }
  return selector;
}

absl::StatusOr<NamedDeviceLabels> DeviceLabelsOf(const NodeSpec& node) {
  const std::string key = absl::StrCat("koordinator/", ToAbsl(kNodeDeviceLabels));
  const std::string* text = FindLabel(node.settings, key);
  if (text == nullptr) return NamedDeviceLabels();
  const auto refuse = [&](absl::string_view rule) {
    return absl::InvalidArgumentError(
        absl::StrCat("node ", Quote(node.name), ", setting ", Quote(key), ": ", rule));
  };
  const absl::StatusOr<NamedDeviceLabels> labels = ReadDeviceLabels(*text);
  if (!labels.ok()) return refuse(labels.status().message());
  for (auto label = labels->begin(); label != labels->end(); ++label) {
    const std::string& name = label->first;
    if (std::ranges::find(node.devices, name, &DeviceSpec::name) == node.devices.end()) {
      return refuse(absl::StrCat("the node has no device ", Quote(name)));
    }
    const auto is_same = [&](const auto& other) { return other.first == name; };
    if (std::any_of(labels->begin(), label, is_same)) {
      return refuse(absl::StrCat("device ", Quote(name), " is listed twice"));
    }
  }
  return labels;
}

}  // namespace muster::koordinator
