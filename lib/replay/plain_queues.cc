// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/replay/plain_queues.h"

#include <algorithm>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/profile/profile.h"

namespace muster {

std::string WithPlainQueues(const std::string& profile, const Extensions* extensions) {
  constexpr std::string_view kOption = "plain_queues";
  if (profile.find(kOption) != std::string::npos) return profile;
  const absl::StatusOr<ProfileConfig> config = ResolveProfile(profile, extensions);
  if (!config.ok()) return profile;  // the replay itself reports why
  const bool has_option = std::ranges::any_of(config->actions, [&](const ConfiguredAction& action) {
    return std::ranges::any_of(action.decl.options,
                               [&](const OptionDecl& option) { return option.name == kOption; });
  });
  if (!has_option) return profile;
  return absl::StrCat(profile, profile.find(':') == std::string::npos ? ":" : ",", ToAbsl(kOption),
                      "=on");
}

}  // namespace muster
