// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What Volcano's numa-aware reads: CPUs and zones of nodes in Numatopology objects, and how pods
// are to be aligned.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/amounts.h"
#include "lib/import/volcano.h"
#include "lib/model/words.h"

namespace muster::volcano {
namespace {

constexpr std::string_view kWish = "volcano.sh/numa-topology-policy";
constexpr size_t kMostDigits = 4;  // of the number of a CPU in a list

// The number of a CPU, up to `digits` long.
std::optional<int> CpuNumber(std::string_view text, size_t digits) {
  int number = 0;
  if (text.empty() || text.size() > digits) return std::nullopt;
  for (const char c : text) {
    if (!absl::ascii_isdigit(c)) return std::nullopt;
    number = 10 * number + (c - '0');
  }
  return number;
}

// "0-3,8" as numbers; nothing where the text is no such list.
std::optional<std::set<int>> ReadCpuList(const std::string& text) {
  std::set<int> cpus;
  if (text.empty()) return cpus;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(text, ','))) {
    const size_t dash = part.find('-');
    const std::string_view whole = part;
    const std::optional<int> first = CpuNumber(whole.substr(0, dash), kMostDigits);
    const std::optional<int> last =
        dash == part.npos ? first : CpuNumber(whole.substr(dash + 1), kMostDigits);
    if (!first.has_value() || !last.has_value()) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.insert(cpu);
  }
  return cpus;
}

const Quantity* FindCpu(const Resources& resources) {
  for (const auto& [name, amount] : resources) {
    if (name == "cpu") return &amount;
  }
  return nullptr;
}

// What is reserved should be what is not allocatable.
void CompareReserved(const ApiObject& object, const NodeSpec& node) {
  const Field reserved = object.spec().Section("resReserved")["cpu"];
  const Quantity none = 0;
  const Quantity* total = FindCpu(node.capacity);
  const Quantity* left = node.allocatable.has_value() ? FindCpu(*node.allocatable) : total;
  if (total == nullptr) total = &none;
  if (left == nullptr) left = &none;
  const ExactAmount kept = reserved.exists() ? ReadAmount(reserved) : ExactAmount(0);
  const std::optional<ExactAmount> all = ParseAmount(total->text), usable = ParseAmount(left->text);
  if (!all.has_value() || !usable.has_value() || kept == *all - *usable) return;
  object.log()->Note(object.place(), "spec.resReserved",
                     absl::StrCat("cpu is ", reserved.exists() ? reserved.ScalarText() : "0",
                                  ", but of ", total->text, " the node has ", left->text,
                                  " allocatable; the difference counts"));
}

DeviceSpec ReadCpu(const Field& detail, int number, bool healthy) {
  DeviceSpec cpu;
  cpu.name = absl::StrCat(number);
  cpu.kind = "cpu";
  cpu.zone = absl::StrCat("node-", detail.Int64("numa", 0));
  cpu.links = {absl::StrCat("core-", detail.Int64("core", 0)),
               absl::StrCat("socket-", detail.Int64("socket", 0))};
  cpu.healthy = healthy;
  return cpu;
}

void PutCpus(const ApiObject& object, NodeSpec* node) {
  const std::string allocatable =
      object.spec().Section("numares").Section("cpu").Text("allocatable");
  std::optional<std::set<int>> free = ReadCpuList(allocatable);
  if (!free.has_value()) {
    object.log()->Ignored(object.place(), "spec.numares.cpu.allocatable",
                          absl::StrCat(Quote(allocatable), " is no list of CPUs; none is free"));
    free.emplace();
  }
  std::vector<std::pair<int, Field>> cpus;
  const Field details = object.spec().Section("cpuDetail");
  for (const Field& detail : details.Children()) {
    constexpr size_t kMostDigitsOfKey = 9;
    const std::optional<int> number = CpuNumber(detail.key(), kMostDigitsOfKey);
    if (!number.has_value()) {
      detail.Refuse("expected the number of a CPU for its key");
      return;
    }
    cpus.emplace_back(*number, details.Section(detail.key()));
  }
  std::stable_sort(cpus.begin(), cpus.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::set<int64_t> zones;
  for (const auto& [number, detail] : cpus) {
    zones.insert(detail.Int64("numa", 0));
    node->devices.push_back(ReadCpu(detail, number, free->contains(number)));
  }
  for (const int64_t zone : zones) node->zones.push_back({.name = absl::StrCat("node-", zone)});
  if (!node->devices.empty()) CompareReserved(object, *node);
}

}  // namespace

Alignment ReadAlignment(const ApiObject& pod) {
  const std::string* wish = pod.Annotation(kWish);
  if (wish == nullptr) return Alignment::kUnset;
  if (const auto alignment = ParseWord<Alignment>(*wish)) return *alignment;
  pod.log()->Ignored(pod.place(), absl::StrCat("metadata.annotations", JsonPathStep(kWish)),
                     absl::StrCat(Quote(*wish), " is no policy; none counts"));
  return Alignment::kUnset;
}

void AddCpus(const Dump& dump, std::vector<NodeSpec>* nodes) {
  HashMap<std::string, size_t> by_name;
  for (size_t i = 0; i < nodes->size(); ++i) by_name[(*nodes)[i].name] = i;
  for (const ApiObject* object : dump.OfKind("Numatopology")) {
    const auto found = by_name.find(object->name());
    if (found == by_name.end()) {
      object->log()->LeftOut(object->place(), "", "no node of that name is there");
      continue;
    }
    NodeSpec& node = (*nodes)[found->second];
    const Field policies = object->spec().Section("policies");
    const std::string alignment = policies.Text("TopologyManagerPolicy");
    node.alignment = ParseWord<Alignment>(alignment).value_or(Alignment::kUnset);
    // A node that gives no whole CPUs is as one without a list of them.
    if (policies["CPUManagerPolicy"].Is("static")) PutCpus(*object, &node);
  }
}

}  // namespace muster::volcano
