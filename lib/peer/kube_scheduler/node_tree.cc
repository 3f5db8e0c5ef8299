// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/node_tree.h"

#include <algorithm>
#include <utility>

#include "lib/base/math.h"
#include "lib/kube/selectors.h"

namespace muster::kube {
namespace {

const std::string* FirstLabel(const Labels& labels, std::string_view key, std::string_view old) {
  const std::string* value = FindLabel(labels, key);
  return value != nullptr ? value : FindLabel(labels, old);
}

// Returns false only if the labels have neither region nor zone.
bool MayHaveZone(const Labels& labels) {
  return std::any_of(labels.begin(), labels.end(), [](const auto& label) {
    const std::string_view key = label.first;
    return key.ends_with("/region") || key.ends_with("/zone");
  });
}

// Empty: neither region nor zone.
std::string ZoneOf(const Labels& labels) {
  if (!MayHaveZone(labels)) return {};
  const std::string* region = FirstLabel(labels, "topology.kubernetes.io/region",
                                         "failure-domain.beta.kubernetes.io/region");
  const std::string* zone =
      FirstLabel(labels, "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone");
  const std::string a = region == nullptr ? "" : *region, b = zone == nullptr ? "" : *zone;
  return a.empty() && b.empty() ? std::string() : a + "\n" + b;
}

}  // namespace

void NodeTree::Load(const MemorySlot& slot) {
  rows_.Load(slot);
  counted_ = false;
  first_.clear();
}

NodeTree::Row NodeTree::ReadRow(std::string_view text) {
  WordReader reader(text);
  Row row;
  row.zone = reader.Word();
  row.seat.zone_number = AsCount(reader.Number());
  row.seat.number = AsCount(reader.Number());
  row.memo = reader.rest();
  return row;
}

void NodeTree::CountZones() {
  if (std::exchange(counted_, true)) return;
  zones_.clear();
  next_ = 0;
  rows_.ForEach([&](std::string_view, std::string_view text) {
    const Row row = ReadRow(text);
    next_ = std::max(next_, row.seat.number + 1);
    const Zone first = {row.seat.zone_number, 0};
    ++zones_.try_emplace(std::string(row.zone), first).first->second.nodes;
  });
}

NodeTree::Seat NodeTree::SeatIn(const std::string& zone) {
  CountZones();
  const int64_t number = next_++;
  Zone& known = zones_.try_emplace(zone, Zone{number, 0}).first->second;
  ++known.nodes;
  return {known.number, number};
}

void NodeTree::LeaveZone(std::string_view name) {
  CountZones();
  const auto text = rows_.Find(name);
  if (!text) return;
  const auto zone = zones_.find(ReadRow(*text).zone);
  if (--zone->second.nodes == 0) zones_.erase(zone);
}

void NodeTree::Set(const Tables& tables, NodeIndex n, std::string_view zone, Seat seat) {
  WordWriter row;
  row.Word(zone);
  row.Number(seat.zone_number);
  row.Number(seat.number);
  NodeMemos(tables).Append(n, &row);
  first_.clear();
  rows_.Set(tables.nodes.names.name(n), row.text());
}

void NodeTree::Add(const Tables& tables, NodeIndex n) {
  LeaveZone(tables.nodes.names.name(n));
  const std::string zone = ZoneOf(tables.nodes.spec[n].labels);
  Set(tables, n, zone, SeatIn(zone));
}

NodeBefore NodeTree::Change(const Tables& tables, NodeIndex n) {
  const auto text = rows_.Find(tables.nodes.names.name(n));
  if (!text) {
    Add(tables, n);
    return {};
  }
  const Row row = ReadRow(*text);
  NodeBefore before = NodeFromMemo(row.memo);
  const std::string zone = ZoneOf(tables.nodes.spec[n].labels);
  if (zone != row.zone) {
    Add(tables, n);
  } else {
    Set(tables, n, zone, row.seat);
  }
  return before;
}

NodeBefore NodeTree::Remove(std::string_view name) {
  const auto text = rows_.Find(name);
  if (!text) return {};
  NodeBefore before = NodeFromMemo(ReadRow(*text).memo);
  LeaveZone(name);
  first_.clear();
  rows_.Erase(name);
  return before;
}

void NodeTree::Reconcile(const Tables& tables) {
  if (rows_.size() == 0) {
    ReconcileFirst(tables);
    return;
  }
  std::vector<std::string> gone;
  rows_.ForEach([&](std::string_view name, std::string_view) {
    if (!tables.nodes.names.Find(name)) gone.emplace_back(name);
  });
  // Rows are in an order that depends on changes long ago.
  std::sort(gone.begin(), gone.end());
  for (const std::string& name : gone) Remove(name);
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (tables.nodes.alive[n] && !has(tables.nodes.names.name(n))) Add(tables, n);
  }
}

// As Add of all.
void NodeTree::ReconcileFirst(const Tables& tables) {
  const std::vector<uint8_t>& alive = tables.nodes.alive;
  const auto nodes = static_cast<size_t>(std::count(alive.begin(), alive.end(), 1));
  constexpr size_t kUsualRow = 128;
  rows_.Reserve(nodes, kUsualRow);
  first_.reserve(nodes);
  NodeMemos memos(tables);
  std::string zone;      // of the node before
  WordWriter row, head;  // the latter: what rows of the zone begin with
  Zone* known = nullptr;
  for (NodeIndex n = 0; n < alive.size(); ++n) {
    if (!alive[n]) continue;
    const Labels& labels = tables.nodes.spec[n].labels;
    Seat seat;
    const bool stays =
        known != nullptr && (MayHaveZone(labels) ? zone == ZoneOf(labels) : zone.empty());
    if (stays) {
      seat = {known->number, next_++};
      ++known->nodes;
    } else {
      zone = ZoneOf(labels);
      seat = SeatIn(zone);
      known = &zones_.find(zone)->second;
      head.Clear();
      head.Word(zone);
      head.Number(seat.zone_number);
    }
    row.Clear();
    row.Append(head.text());
    row.Number(seat.number);
    memos.Append(n, &row);
    rows_.Add(tables.nodes.names.name(n), row.text());
    first_.emplace_back(seat, n);
  }
}

std::vector<std::pair<NodeTree::Seat, NodeIndex>> NodeTree::SeatsOf(const Tables& tables) const {
  if (!first_.empty()) return first_;
  std::vector<std::pair<Seat, NodeIndex>> seats;
  rows_.ForEach([&](std::string_view name, std::string_view text) {
    const auto n = tables.nodes.names.Find(name);
    if (n && tables.nodes.alive[*n]) seats.emplace_back(ReadRow(text).seat, *n);
  });
  return seats;
}

std::vector<NodeIndex> NodeTree::Order(const Tables& tables) const {
  std::vector<NodeIndex> order;
  // Numbers ascend there, so that one zone is in order.
  const auto is_other = [&](const auto& row) {
    return row.first.zone_number != first_.front().first.zone_number;
  };
  if (!first_.empty() && std::none_of(first_.begin(), first_.end(), is_other)) {
    order.reserve(first_.size());
    for (const auto& row : first_) order.push_back(row.second);
    return order;
  }
  std::vector<std::pair<Seat, NodeIndex>> rows = SeatsOf(tables);
  const auto is_before = [](const auto& a, const auto& b) {
    return std::pair(a.first.zone_number, a.first.number) <
           std::pair(b.first.zone_number, b.first.number);
  };
  if (!std::is_sorted(rows.begin(), rows.end(), is_before)) {
    std::sort(rows.begin(), rows.end(), is_before);
  }
  std::vector<std::vector<NodeIndex>> zones;
  // A memory that no plan wrote may have a node twice: its first seat counts.
  std::vector<uint8_t> seen(tables.nodes.alive.size());
  size_t count = 0;
  int64_t zone = -1;
  for (const auto& [seat, n] : rows) {
    if (std::exchange(seen[n], uint8_t{1}) != 0) continue;
    if (zones.empty() || seat.zone_number != zone) zones.emplace_back();
    zone = seat.zone_number;
    zones.back().push_back(n);
    ++count;
  }
  order.reserve(count);
  for (size_t turn = 0; order.size() < count; ++turn) {
    for (const std::vector<NodeIndex>& nodes : zones) {
      if (turn < nodes.size()) order.push_back(nodes[turn]);
    }
  }
  return order;
}

}  // namespace muster::kube
