// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Filters as memory between cycles. A row is one refusal of a framework: the names of node, job and
// role, the end of the filter, and the items that were refused, each as nine cells or more: name,
// disk, four marks, amount in thousandths, first number of a range, number of reservations, and
// those. A row of which a name is gone is dropped.
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"
#include "lib/peer/mesos/read_world.h"

namespace muster::mesos {
namespace {

constexpr int64_t kMostReservations = 1000;

void AddItem(const Kind& kind, const Item& item, MemoryRow* row) {
  row->push_back(kind.name);
  row->push_back(kind.disk);
  const bool marks[] = {kind.revocable, kind.shared, kind.indivisible, kind.ranges};
  for (const bool mark : marks) row->push_back(int64_t{mark});
  row->push_back(item.amount);
  row->push_back(int64_t{item.begin});
  row->push_back(static_cast<int64_t>(kind.reservations.size()));
  for (const std::string& role : kind.reservations) row->push_back(role);
}

// Reads cells one after the other; what is missing is 0 or empty, and ends the reading.
class CellReader {
 public:
  CellReader(const MemorySlot& slot, std::string_view key, size_t size)
      : slot_(slot), key_(key), size_(size) {}
  bool done() const { return at_ >= size_; }
  int64_t Integer() { return slot_.Integer(key_, at_++); }
  double Real() { return slot_.Real(key_, at_++); }
  std::string Text() { return std::string(slot_.Text(key_, at_++)); }

 private:
  const MemorySlot& slot_;
  const std::string_view key_;
  const size_t size_;
  size_t at_ = 0;
};

Resource ReadItem(CellReader* cells) {
  Resource resource;
  Kind& kind = resource.kind;
  kind.name = cells->Text();
  kind.disk = cells->Text();
  kind.revocable = cells->Integer() != 0;
  kind.shared = cells->Integer() != 0;
  kind.indivisible = cells->Integer() != 0;
  kind.ranges = cells->Integer() != 0;
  const int64_t amount = AsCount(cells->Integer()), begin = AsCount(cells->Integer());
  const int64_t reservations = std::min(cells->Integer(), kMostReservations);
  for (int64_t i = 0; i < reservations; ++i) kind.reservations.push_back(cells->Text());
  if (kind.ranges) {
    resource.ranges.emplace_back(begin, begin + amount / 1000 - 1);
  } else {
    resource.amount = ValueOf(amount);
  }
  return resource;
}

}  // namespace

void LoadFilters(const ActionContext& context, World* world) {
  const Tables& tables = context.tables;
  std::vector<uint32_t> agent_of(tables.nodes.alive.size(), kNone);
  for (uint32_t a = 0; a < world->node_of.size(); ++a) agent_of[world->node_of[a]] = a;
  const MemorySlot& slot = context.facts.cycle->Recall(kFilterSlot);
  for (const auto& [key, row] : slot.rows()) {
    CellReader cells(slot, key, row.size());
    const auto node = tables.nodes.names.Find(cells.Text());
    const auto job = tables.jobs.names.Find(cells.Text());
    const std::string role = cells.Text();
    const double until = cells.Real();
    if (!node || !job || agent_of[*node] == kNone || world->framework_of[*job] == kNone) continue;
    if (world->role_of[tables.jobs.queue[*job]] != role) continue;
    std::vector<Resource> resources;
    while (!cells.done()) resources.push_back(ReadItem(&cells));
    (void)world->allocator->Restore(agent_of[*node], world->framework_of[*job], role, resources,
                                    until);
  }
}

void StoreFilters(const ActionContext& context, const World& world) {
  MemorySlot slot;
  int64_t number = 0;
  for (const Allocator::Refused& refused : world.allocator->Filters()) {
    const std::string_view node = context.tables.nodes.names.name(world.node_of[refused.agent]);
    const std::string_view job = context.tables.jobs.names.name(world.job_of[refused.framework]);
    MemoryRow row = {std::string(node), std::string(job), world.allocator->RoleName(refused.role),
                     refused.until};
    for (const Item& item : refused.resources) {
      AddItem(world.allocator->KindOf(item.kind), item, &row);
    }
    slot.Set(absl::StrCat(absl::Dec(number++, absl::kZeroPad10)), std::move(row));
  }
  if (slot == context.facts.cycle->Recall(kFilterSlot)) return;
  context.facts.cycle->Remember(kFilterSlot) = std::move(slot);
}

}  // namespace muster::mesos
