// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/cpu_devices.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr int kMostNumber =
    8191;  // of a CPU, core or socket: the largest machine Linux is built for

// As the kernel writes it: digits without zeros in front.
std::optional<int> CpuNumber(std::string_view text) {
  if (text.empty() || text.size() > 4 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  int number = 0;
  for (char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = 10 * number + (digit - '0');
  }
  return number <= kMostNumber ? std::optional(number) : std::nullopt;
}

// The N of its only link "<what>-N".
std::optional<int> LinkNumber(const DeviceSpec& device, std::string_view what) {
  std::optional<int> found;
  for (const std::string& link : device.links) {
    const std::string_view text = link;
    if (!text.starts_with(what) || text.substr(what.size(), 1) != "-") continue;
    const std::optional<int> number = CpuNumber(text.substr(what.size() + 1));
    if (!number || found) return std::nullopt;
    found = number;
  }
  return found;
}

}  // namespace

std::string ReadCpuDevice(const NodeSpec& node, const DeviceSpec& device, CpuDevice* cpu) {
  const std::optional<int> number = CpuNumber(device.name);
  if (!number) {
    return absl::StrCat("its name must be the number of a CPU, 0 to ", kMostNumber);
  }
  for (const char* what : {"core", "socket"}) {
    const std::optional<int> of = LinkNumber(device, what);
    if (!of) return absl::StrCat("a CPU has one link ", what, "-N, N from 0 to ", kMostNumber);
    (what[0] == 'c' ? cpu->core : cpu->socket) = *of;
  }
  const auto zone = std::ranges::find(node.zones, device.zone, &ZoneSpec::name);
  if (zone == node.zones.end()) return "a CPU has a zone";
  cpu->cpu = *number;
  cpu->zone = static_cast<int>(zone - node.zones.begin());
  return "";
}

}  // namespace muster
