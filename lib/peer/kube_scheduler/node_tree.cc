// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/node_tree.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "lib/base/math.h"
#include "lib/kube/selectors.h"

namespace muster::kube {
namespace {

const std::string* FirstLabel(const Labels& labels, std::string_view key, std::string_view old) {
  const std::string* value = FindLabel(labels, key);
  return value != nullptr ? value : FindLabel(labels, old);
}

// Empty: neither region nor zone.
std::string ZoneOf(const Labels& labels) {
  const std::string* region = FirstLabel(labels, "topology.kubernetes.io/region",
                                         "failure-domain.beta.kubernetes.io/region");
  const std::string* zone =
      FirstLabel(labels, "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone");
  const std::string a = region == nullptr ? "" : *region, b = zone == nullptr ? "" : *zone;
  return a.empty() && b.empty() ? std::string() : a + "\n" + b;
}

// The cells of a row.
enum NodeCell : size_t { kZoneCell, kZoneNumberCell, kNumberCell, kMemoCell };

std::string_view TextIn(const MemoryRow& row, NodeCell cell) {
  const auto* text = cell < row.size() ? std::get_if<std::string>(&row[cell]) : nullptr;
  return text == nullptr ? std::string_view() : *text;
}

int64_t CountIn(const MemoryRow& row, NodeCell cell) {
  const auto* count = cell < row.size() ? std::get_if<int64_t>(&row[cell]) : nullptr;
  return count == nullptr ? 0 : AsCount(*count);
}

}  // namespace

void NodeTree::Load(const MemorySlot& slot) {
  slot_ = slot;
  counted_ = false;
}

void NodeTree::CountZones() {
  if (std::exchange(counted_, true)) return;
  zones_.clear();
  next_ = 0;
  for (const auto& [name, row] : slot_.rows()) {
    next_ = std::max(next_, CountIn(row, kNumberCell) + 1);
    if (TextIn(row, kMemoCell).empty()) continue;  // no cycle wrote the row
    const Zone first = {CountIn(row, kZoneNumberCell), 0};
    ++zones_.try_emplace(std::string(TextIn(row, kZoneCell)), first).first->second.nodes;
  }
}

NodeTree::Seat NodeTree::SeatIn(std::string zone) {
  CountZones();
  const int64_t number = next_++;
  Zone& known = zones_.try_emplace(zone, Zone{number, 0}).first->second;
  ++known.nodes;
  return {std::move(zone), known.number, number};
}

void NodeTree::LeaveZone(std::string_view name) {
  CountZones();
  const MemoryRow* row = slot_.Find(name);
  if (row == nullptr || TextIn(*row, kMemoCell).empty()) return;
  const auto zone = zones_.find(TextIn(*row, kZoneCell));
  if (--zone->second.nodes == 0) zones_.erase(zone);
}

void NodeTree::Set(std::string_view name, Seat seat, std::string memo) {
  MemoryRow row;
  row.reserve(4);
  row.emplace_back(std::move(seat.zone));
  row.emplace_back(seat.zone_number);
  row.emplace_back(seat.number);
  row.emplace_back(std::move(memo));
  slot_.Set(name, std::move(row));
  changed_ = true;
}

void NodeTree::Enter(const Tables& tables, NodeIndex n, std::string memo) {
  Set(tables.nodes.names.name(n), SeatIn(ZoneOf(tables.nodes.spec[n].labels)), std::move(memo));
}

void NodeTree::Add(const Tables& tables, NodeIndex n) {
  LeaveZone(tables.nodes.names.name(n));
  Enter(tables, n, NodeMemos(tables).Of(n));
}

NodeBefore NodeTree::Change(const Tables& tables, NodeIndex n) {
  const std::string_view name = tables.nodes.names.name(n);
  const MemoryRow* const row = slot_.Find(name);
  if (row == nullptr) {
    Add(tables, n);
    return {};
  }
  NodeBefore before = NodeFromMemo(TextIn(*row, kMemoCell));
  std::string zone = ZoneOf(tables.nodes.spec[n].labels);
  if (zone != TextIn(*row, kZoneCell) || TextIn(*row, kMemoCell).empty()) {
    Add(tables, n);
  } else {
    Seat seat = {std::move(zone), CountIn(*row, kZoneNumberCell), CountIn(*row, kNumberCell)};
    Set(name, std::move(seat), NodeMemos(tables).Of(n));
  }
  return before;
}

NodeBefore NodeTree::Remove(std::string_view name) {
  const MemoryRow* const row = slot_.Find(name);
  if (row == nullptr) return {};
  NodeBefore before = NodeFromMemo(TextIn(*row, kMemoCell));
  LeaveZone(name);
  slot_.Erase(name);
  changed_ = true;
  return before;
}

void NodeTree::Reconcile(const Tables& tables) {
  std::vector<std::string> gone;
  for (const auto& [name, row] : slot_.rows()) {
    if (!tables.nodes.names.Find(name)) gone.push_back(name);
  }
  for (const std::string& name : gone) Remove(name);
  NodeMemos memos(tables);
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (tables.nodes.alive[n] && !has(tables.nodes.names.name(n))) Enter(tables, n, memos.Of(n));
  }
}

std::vector<NodeIndex> NodeTree::Order(const Tables& tables) const {
  std::vector<std::pair<std::pair<int64_t, int64_t>, NodeIndex>> rows;
  for (const auto& [name, row] : slot_.rows()) {
    const auto n = tables.nodes.names.Find(name);
    if (!n || !tables.nodes.alive[*n]) continue;
    rows.push_back({{CountIn(row, kZoneNumberCell), CountIn(row, kNumberCell)}, *n});
  }
  const auto is_before = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(rows.begin(), rows.end(), is_before)) {
    std::sort(rows.begin(), rows.end(), is_before);
  }
  std::vector<std::vector<NodeIndex>> zones;
  int64_t zone = -1;
  for (const auto& [numbers, n] : rows) {
    if (zones.empty() || numbers.first != zone) zones.emplace_back();
    zone = numbers.first;
    zones.back().push_back(n);
  }
  std::vector<NodeIndex> order;
  order.reserve(rows.size());
  for (size_t turn = 0; order.size() < rows.size(); ++turn) {
    for (const std::vector<NodeIndex>& nodes : zones) {
      if (turn < nodes.size()) order.push_back(nodes[turn]);
    }
  }
  return order;
}

}  // namespace muster::kube
