// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/cycle.h"

#include <algorithm>
#include <utility>

#include "lib/kube/selectors.h"
#include "lib/peer/kueue/partial.h"

namespace muster::kueue {
namespace {

// Asks the search for victims about one cell.
class SearchOracle : public Oracle {
 public:
  SearchOracle(VictimSearch& search, Queue queue, WorkloadIndex workload,
               std::vector<CellVictims>* found)
      : search_(search), queue_(queue), workload_(workload), found_(found) {}

  Grade Ask(Cell cell, Amount amount) override {
    QuotaTree& tree = search_.world().tree;
    found_->push_back({.cell = {cell, amount}});
    found_->back().victims = search_.Find(
        {.queue = queue_, .workload = workload_, .usage = {{cell, amount}}, .lacking = {cell}});
    const std::vector<Victim>& victims = found_->back().victims;
    const size_t mark = tree.Mark();
    Grade grade{victims.empty() ? Possibility::kNoCandidates : Possibility::kReclaim, 0};
    for (const Victim& v : victims) {
      const WorkloadRow& row = search_.world().workloads[v.workload];
      tree.Remove(row.queue, row.usage);
      if (row.queue == queue_) grade.possibility = Possibility::kPreempt;
    }
    grade.borrow = tree.BorrowHeight(queue_, cell, amount).height;
    tree.Rollback(mark);
    return grade;
  }

 private:
  VictimSearch& search_;
  const Queue queue_;
  const WorkloadIndex workload_;
  std::vector<CellVictims>* const found_;
};

// Places for an assignment while victims are searched.
class PlaceTrial : public TopologyTrial {
 public:
  PlaceTrial(TopologyWorld& topology, const World& world, const WorkloadRow& row,
             const Assignment& assignment)
      : topology_(topology), world_(world), row_(row), assignment_(assignment) {}

  size_t Mark() override { return topology_.Mark(); }
  void Rollback(size_t mark) override { topology_.Rollback(mark); }
  void Remove(WorkloadIndex w) override {
    topology_.Release(topology_.UsageOf(world_.workloads[w]));
  }
  void Restore(WorkloadIndex w) override { topology_.Use(topology_.UsageOf(world_.workloads[w])); }
  bool Fits() override { return !topology_.Place(row_, &assignment_, {}); }

 private:
  TopologyWorld& topology_;
  const World& world_;
  const WorkloadRow& row_;
  Assignment assignment_;
};

// What the topologies say about flavors.
class FlavorMatch : public TopologyMatch {
 public:
  FlavorMatch(const TopologyWorld& topology, const WorkloadRow& row)
      : topology_(topology), row_(row) {}
  std::optional<std::string> Refuses(uint32_t pod_set, FlavorIndex flavor,
                                     const FlavorGroup& group) override {
    return topology_.Refuses(row_, pod_set, flavor, group);
  }

 private:
  const TopologyWorld& topology_;
  const WorkloadRow& row_;
};

void MakePreempt(PodSetAssignment* p) {
  for (FlavorChoice& f : p->flavors) f.possibility = Possibility::kPreempt;
}

std::vector<Cell> LackingOf(World& world, const Assignment& assignment) {
  std::vector<Cell> cells;
  for (const PodSetAssignment& p : assignment.pod_sets) {
    for (const FlavorChoice& f : p.flavors) {
      if (f.mode() != Mode::kPreempt) continue;
      const Cell cell = world.CellOf(f.flavor, f.resource);
      if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push_back(cell);
    }
  }
  return cells;
}

std::vector<Granted> GrantedOf(const Assignment& assignment) {
  std::vector<Granted> granted(assignment.pod_sets.size());
  for (const PodSetAssignment& p : assignment.pod_sets) {
    Granted& g = granted[p.pod_set];
    g.count = p.count;
    g.requests = p.requests;
    for (const FlavorChoice& f : p.flavors) g.flavors.emplace_back(f.resource, f.flavor);
    g.places = p.places;
    g.delayed = p.delayed;
  }
  return granted;
}

// The position of the first flavor that the variant may have.
size_t FavorOf(const World& world, const WorkloadRow& row) {
  if (row.allowed.empty() || world.queues[row.queue].groups.empty()) return 0;
  const std::vector<FlavorIndex>& flavors = world.queues[row.queue].groups.front().flavors;
  return static_cast<size_t>(std::find(flavors.begin(), flavors.end(), row.allowed.front()) -
                             flavors.begin());
}

}  // namespace

CellAmounts ResourcesToReserve(const World& world, Queue queue, const Assignment& assignment,
                               const CellAmounts& usage) {
  CellAmounts reserved;
  for (const CellAmount& u : usage) {
    const Amount nominal = world.tree.nominal(queue, u.cell);
    const Amount held = world.tree.usage(queue, u.cell);
    const Amount limit = world.tree.borrow_limit(queue, u.cell);
    Amount amount = u.amount;
    if (assignment.borrowing > 0) {
      if (limit != kNoLimit) amount = std::min(amount, Minus(Plus(nominal, limit), held));
    } else {
      amount = std::max<Amount>(0, std::min(amount, Minus(nominal, held)));
    }
    reserved.push_back({u.cell, amount});
  }
  return reserved;
}

bool IsOutdated(const ScanProgress& progress, uint64_t generation, int64_t cycle, uint32_t hash,
                bool preserve) {
  if (preserve) {
    if (!progress.IsOf(hash)) return true;
    if (progress.cycle + 1 >= cycle) return false;
  }
  return generation > progress.generation;
}

PendingQueue& Scheduler::pending(Queue queue) {
  while (pending_.size() <= queue) {
    pending_.emplace_back(world_, static_cast<Queue>(pending_.size()));
    const QueueRow& row = world_->queues[pending_.size() - 1];
    if (local_usage_ != nullptr && row.by_usage) pending_.back().set_usage(local_usage_);
  }
  return pending_[queue];
}

void Scheduler::set_local_usage(const std::vector<double>* usage) {
  local_usage_ = usage;
  search_.local_usage = usage;
}

void Scheduler::Return(Queue queue) {
  if (!world_->HasParent(queue)) {
    pending(queue).Return();
    return;
  }
  std::vector<Queue> stack{world_->tree.Root(queue)};
  while (!stack.empty()) {
    const Queue q = stack.back();
    stack.pop_back();
    const auto children = world_->tree.children(q);
    stack.insert(stack.end(), children.begin(), children.end());
    if (!world_->queues[q].is_cohort) pending(q).Return();
  }
}

bool Scheduler::HasHeads() {
  for (Queue q = 0; q < world_->queues.size(); ++q) {
    if (world_->queues[q].active && !pending(q).empty()) return true;
  }
  return false;
}

std::vector<Entry> Scheduler::Heads(std::span<const WorkloadIndex> second_pass) {
  std::vector<Entry> heads;
  for (const WorkloadIndex w : second_pass) {
    heads.push_back({.workload = w, .queue = world_->workloads[w].queue, .holds = true});
  }
  for (Queue q = 0; q < world_->queues.size(); ++q) {
    if (world_->queues[q].is_cohort || !world_->queues[q].active) continue;
    const WorkloadIndex w = pending(q).Pop();
    if (w != kNothing) heads.push_back({.workload = w, .queue = q});
  }
  return heads;
}

CycleResult Scheduler::Run(std::span<const WorkloadIndex> second_pass) {
  world_->Settle();
  ++cycle;
  CycleResult result;
  result.entries = Heads(second_pass);
  world_->tree.Forget();
  if (topology_ != nullptr) topology_->StartCycle();
  for (Entry& e : result.entries) {
    e.is_preemptor = pending(e.queue).IsPreemptor(e.workload);
    e.considered = Admissible(&e);
    if (e.considered) Nominate(&e);
  }
  EntryOrder order(*world_, search_.shares(), result.entries);
  for (Entry* e = order.Next(); e != nullptr; e = order.Next()) {
    result.order.push_back(static_cast<uint32_t>(e - result.entries.data()));
    Process(e, &result);
  }
  Rollback({0, 0});
  victims_.clear();
  for (Entry& e : result.entries) {
    if (e.status == EntryStatus::kAssumed) {
      Admit(e);
    } else if (!e.holds) {
      Requeue(&e, &result);
    }
  }
  return result;
}

bool Scheduler::Admissible(Entry* entry) {
  const WorkloadRow& row = world_->workloads[entry->workload];
  const QueueRow& queue = world_->queues[entry->queue];
  if (row.retry_checks) {
    entry->note = kFailedChecks;
    return false;
  }
  if (queue.no_namespace || (queue.namespaces && !Matches(*queue.namespaces, row.space_labels))) {
    entry->note = "Workload namespace doesn't match ClusterQueue selector";
    entry->requeue = RequeueReason::kNamespaceMismatch;
    return false;
  }
  entry->note = row.refused;
  return row.refused.empty();
}

std::pair<size_t, size_t> Scheduler::Mark() const {
  return {world_->tree.Mark(), topology_ == nullptr ? 0 : topology_->Mark()};
}

void Scheduler::Rollback(const std::pair<size_t, size_t>& mark) {
  world_->tree.Rollback(mark.first);
  if (topology_ != nullptr) topology_->Rollback(mark.second);
}

void Scheduler::RemoveUsage(WorkloadIndex w) {
  const WorkloadRow& row = world_->workloads[w];
  world_->tree.Remove(row.queue, row.usage);
  if (topology_ != nullptr) topology_->Release(topology_->UsageOf(row));
}

bool Scheduler::NeedsPlaces(const WorkloadRow& row) const {
  return topology_ != nullptr && world_->config.gates.topology && topology_->CountsAny(row);
}

void Scheduler::DropOutdated(WorkloadRow* row) const {
  if (row->progress && IsOutdated(*row->progress, world_->queues[row->queue].generation, cycle,
                                  row->hash, world_->config.gates.preserve_scan_progress)) {
    row->progress.reset();
  }
}

Assignment Scheduler::AssignFlavors(Entry* entry, const std::vector<int64_t>* counts,
                                    const Pins* pins) {
  asked_.clear();
  SearchOracle oracle(search_, entry->queue, entry->workload, &asked_);
  return Assign(entry, &oracle, counts, pins);
}

Assignment Scheduler::Assign(Entry* entry, Oracle* oracle, const std::vector<int64_t>* counts,
                             const Pins* pins) {
  const WorkloadRow& row = world_->workloads[entry->workload];
  FlavorScan scan(*world_, entry->queue, row, oracle);
  scan.set_pins(pins);
  if (row.restricted) scan.set_allowed(&row.allowed);
  if (entry->holds) scan.set_kept(&row.granted);
  if (entry->replaced != kNothing) scan.set_replaced(&world_->workloads[entry->replaced].granted);
  std::optional<FlavorMatch> match;
  if (topology_ != nullptr && world_->config.gates.topology) {
    match.emplace(*topology_, row);
    scan.set_topology(&*match);
  }
  Assignment assignment = scan.Assign(counts);
  assignment.progress.cycle = cycle;
  if (NeedsPlaces(row)) PlaceInTopology(*entry, &assignment);
  return assignment;
}

void Scheduler::PlaceInTopology(const Entry& entry, Assignment* assignment) {
  const WorkloadRow& row = world_->workloads[entry.workload];
  const auto blame = [&](const TopologyWorld::Failure& failure) {
    PodSetAssignment& p = assignment->pod_sets[failure.pod_set];
    p.obstacles = {{.lack = Lack::kTopology, .text = failure.why}};  // takes the place of others
    p.error = p.error || failure.final;
    if (failure.flavor == kNothing && p.fault.empty()) p.fault = failure.why;
    return &p;
  };
  const bool explain = world_->config.explains;
  if (assignment->mode() == Mode::kFit) {
    const auto failure = topology_->Place(row, assignment, {.record = true, .explain = explain});
    if (failure) {
      PodSetAssignment* const p = blame(*failure);
      if (!failure->final) MakePreempt(p);
    }
  }
  if (assignment->mode() != Mode::kPreempt || !row.unhealthy.empty()) return;
  if (auto failure = topology_->Place(row, assignment, {.empty = true, .explain = explain})) {
    failure->final = true;
    PodSetAssignment* const p = blame(*failure);
    if (failure->flavor == kNothing) return;
    std::erase_if(p->refused, [&](const RefusedFlavor& r) { return r.flavor == failure->flavor; });
    p->refused.push_back({failure->flavor, Lack::kTopology});
    return;
  }
  for (PodSetAssignment& p : assignment->pod_sets) {
    const PodSet& pod_set = row.pod_sets[p.pod_set];
    if (p.count != 0 && topology_->Counts(pod_set, entry.queue) && !p.delayed) MakePreempt(&p);
  }
}

// Places that are counted while the workload waits for its victims.
void Scheduler::PlaceForAccounts(Entry* entry) {
  const WorkloadRow& row = world_->workloads[entry->workload];
  const auto mark = Mark();
  for (const Victim& v : entry->victims) RemoveUsage(v.workload);
  topology_->Place(row, &entry->assignment, {.empty = entry->victims.empty(), .record = true});
  Rollback(mark);
}

std::vector<Victim> Scheduler::VictimsFor(const Entry& entry, const Assignment& assignment) {
  const WorkloadRow& row = world_->workloads[entry.workload];
  std::optional<PlaceTrial> trial;
  if (NeedsPlaces(row)) trial.emplace(*topology_, *world_, row, assignment);
  std::vector<Cell> lacking = LackingOf(*world_, assignment);
  if (!trial && lacking.size() == 1 && assignment.usage.size() == 1) {
    for (const CellVictims& asked : asked_) {
      if (asked.cell == assignment.usage[0] && asked.cell.cell == lacking[0]) return asked.victims;
    }
  }
  return search_.Find({.queue = entry.queue,
                       .workload = entry.workload,
                       .usage = assignment.usage,
                       .lacking = std::move(lacking),
                       .topology = trial ? &*trial : nullptr});
}

void Scheduler::Nominate(Entry* entry, const Pins* pins) {
  WorkloadRow& row = world_->workloads[entry->workload];
  DropOutdated(&row);
  if (world_->config.gates.elastic_slices) entry->replaced = world_->ReplacedBy(entry->workload);
  Search(entry, pins);
  entry->mode = entry->assignment.mode();
  if (entry->mode == Mode::kPreempt && NeedsPlaces(row) && row.unhealthy.empty()) {
    PlaceForAccounts(entry);
  }
  entry->usage = entry->holds ? CellAmounts() : entry->assignment.usage;
  entry->places =
      topology_ == nullptr ? TopologyWorld::Usages() : topology_->UsageOf(row, entry->assignment);
  entry->progress = entry->assignment.progress;
}

void Scheduler::Search(Entry* entry, const Pins* pins) {
  const WorkloadRow& row = world_->workloads[entry->workload];
  entry->assignment = AssignFlavors(entry, nullptr, pins);
  entry->victims.clear();
  const Mode mode = entry->assignment.mode();
  if (mode == Mode::kFit) return;
  if (mode == Mode::kPreempt) {
    entry->victims = VictimsFor(*entry, entry->assignment);
    if (!entry->victims.empty()) return;
  }
  const auto may_shrink = [](const PodSet& p) {
    return p.min_count && *p.min_count < p.spec_count;
  };
  if (world_->config.gates.partial_admission &&
      std::any_of(row.pod_sets.begin(), row.pod_sets.end(), may_shrink)) {
    Shrink(entry, pins);
  }
}

void Scheduler::Shrink(Entry* entry, const Pins* pins) {
  std::vector<int64_t> full, least;
  for (const PodSet& p : world_->workloads[entry->workload].pod_sets) {
    full.push_back(p.spec_count);
    least.push_back(p.min_count.value_or(p.spec_count));
  }
  Assignment reduced;
  std::vector<Victim> victims;
  const auto fits = [&](const std::vector<int64_t>& counts) {
    Assignment tried = AssignFlavors(entry, &counts, pins);
    if (tried.mode() == Mode::kNoFit) return false;
    std::vector<Victim> found;
    if (tried.mode() == Mode::kPreempt) {
      found = VictimsFor(*entry, tried);
      if (found.empty()) return false;
    }
    reduced = std::move(tried);
    victims = std::move(found);
    return true;
  };
  if (!LargestCounts(full, least, fits)) return;
  entry->assignment = std::move(reduced);
  entry->victims = std::move(victims);
}

bool Scheduler::Overlaps(const Entry& entry) const {
  return std::any_of(entry.victims.begin(), entry.victims.end(), [&](const Victim& v) {
    return std::find(victims_.begin(), victims_.end(), v.workload) != victims_.end();
  });
}

Scheduler::Room Scheduler::RoomFor(const Entry& entry) {
  const auto mark = Mark();
  for (const WorkloadIndex w : victims_) RemoveUsage(w);
  for (const Victim& v : entry.victims) {
    if (std::find(victims_.begin(), victims_.end(), v.workload) == victims_.end()) {
      RemoveUsage(v.workload);
    }
  }
  if (entry.replaced != kNothing) RemoveUsage(entry.replaced);
  const bool quota = std::all_of(entry.usage.begin(), entry.usage.end(), [&](const CellAmount& u) {
    return u.amount <= world_->tree.AvailableOf(entry.queue, u.cell);
  });
  const bool places = topology_ == nullptr || topology_->HasRoom(entry.places);
  Rollback(mark);
  return !quota ? Room::kNoQuota : places ? Room::kFits : Room::kNoPlaces;
}

void Scheduler::Recompute(Entry* entry, bool overlap) {
  Pins pins(world_->workloads[entry->workload].pod_sets.size());
  for (const PodSetAssignment& p : entry->assignment.pod_sets) {
    for (const FlavorChoice& f : p.flavors) pins[p.pod_set].emplace_back(f.resource, f.flavor);
  }
  const auto mark = Mark();
  if (overlap) {
    for (const WorkloadIndex w : victims_) {
      RemoveUsage(w);
      world_->workloads[w].away = true;
    }
  }
  world_->workloads[entry->workload].progress.reset();
  Nominate(entry, &pins);
  for (const WorkloadIndex w : victims_) world_->workloads[w].away = false;
  Rollback(mark);
  entry->assignment.deferred = overlap && entry->mode == Mode::kFit;
  entry->mode = entry->assignment.mode();
}

void Scheduler::ReserveFor(const Entry& entry) {
  const QueueRow& queue = world_->queues[entry.queue];
  const bool first = world_->config.gates.prioritize_preemptors && entry.is_preemptor;
  if (queue.reclaim == Policy::kAny && !first) return;
  world_->tree.Add(entry.queue,
                   ResourcesToReserve(*world_, entry.queue, entry.assignment, entry.usage));
  if (topology_ != nullptr) topology_->Use(entry.places);
}

void Scheduler::AddUsage(const Entry& entry) {
  world_->tree.Add(entry.queue, entry.usage);
  if (topology_ != nullptr) topology_->Use(entry.places);
}

void Scheduler::Skip(Entry* entry, const char* note) {
  MarkSkipped(world_->config.gates, note, entry);
}

WorkloadIndex Scheduler::Sibling(const Entry& entry, bool better) const {
  const WorkloadRow& row = world_->workloads[entry.workload];
  if (!world_->config.gates.concurrent_admission || row.family == 0) return kNothing;
  for (const WorkloadIndex w : world_->queues[entry.queue].holders) {
    const WorkloadRow& other = world_->workloads[w];
    if (w == entry.workload || other.family != row.family) continue;
    const size_t mine = FavorOf(*world_, row), theirs = FavorOf(*world_, other);
    if (better ? theirs < mine : theirs > mine) return w;
  }
  return kNothing;
}

void Scheduler::Migrate(Entry* entry, WorkloadIndex sibling) {
  const WorkloadRow& row = world_->workloads[entry->workload];
  const QueueRow& queue = world_->queues[entry->queue];
  if (queue.last_acceptable != kNothing) {
    const std::vector<FlavorIndex>& flavors = queue.groups.front().flavors;
    const auto last = std::find(flavors.begin(), flavors.end(), queue.last_acceptable);
    if (FavorOf(*world_, row) > static_cast<size_t>(last - flavors.begin())) {
      entry->note = "Target flavor is below LastAcceptableFlavorName";
      return;
    }
  }
  entry->migrates = sibling;
  entry->requeue = RequeueReason::kPendingMigration;
  entry->progress.reset();
}

void Scheduler::Process(Entry* entry, CycleResult* result) {
  if (Sibling(*entry, /*better=*/true) != kNothing) {
    return Skip(entry, "A more favorable variant is already admitted");
  }
  Room room = RoomFor(*entry);
  const bool overlap = world_->config.gates.recompute_on_overlap && Overlaps(*entry);
  if (overlap || (world_->config.gates.topology_recompute && room == Room::kNoPlaces)) {
    result->recomputed.push_back(static_cast<uint32_t>(entry - result->entries.data()));
    Recompute(entry, overlap);
    room = RoomFor(*entry);
  }
  const bool replaces_node = entry->holds && !world_->workloads[entry->workload].unhealthy.empty();
  if (replaces_node && entry->mode != Mode::kFit && world_->config.gates.topology_fail_fast) {
    entry->status = EntryStatus::kEvicted;
    entry->note = "NodeFailures";
    return;
  }
  if (entry->mode == Mode::kNoFit) {
    entry->requeue = RequeueReason::kNoFit;
    return;
  }
  if (entry->mode == Mode::kPreempt && entry->victims.empty()) {
    entry->requeue = RequeueReason::kPreemptionNoCandidates;
    return ReserveFor(*entry);
  }
  if (entry->mode == Mode::kPreempt && world_->workloads[entry->workload].gated) {
    entry->status = EntryStatus::kPreemptionGated;
    entry->requeue = RequeueReason::kPreemptionGated;
    return;
  }
  if (entry->mode == Mode::kDeferredFit) {
    entry->requeue = RequeueReason::kPendingPreemption;
    entry->progress.reset();
    return AddUsage(*entry);
  }
  if (Overlaps(*entry)) {
    ++result->skipped_preemptions;
    return Skip(entry, "Workload has overlapping preemption targets with another workload");
  }
  if (room != Room::kFits) {
    if (entry->mode == Mode::kPreempt) ++result->skipped_preemptions;
    return Skip(entry, "Workload no longer fits after processing another workload");
  }
  for (const Victim& v : entry->victims) victims_.push_back(v.workload);
  AddUsage(*entry);
  if (entry->mode == Mode::kPreempt) {
    entry->requeue = RequeueReason::kPendingPreemption;
    entry->progress.reset();
    return;
  }
  const WorkloadIndex sibling = Sibling(*entry, /*better=*/false);
  if (sibling != kNothing) return Migrate(entry, sibling);
  entry->status = EntryStatus::kAssumed;
}

void Scheduler::Admit(const Entry& entry) {
  WorkloadRow& row = world_->workloads[entry.workload];
  row.progress.reset();
  if (topology_ != nullptr && row.holds) topology_->Release(topology_->UsageOf(row));
  if (entry.replaced != kNothing) Release(entry.replaced);
  world_->Hold(entry.workload, GrantedOf(entry.assignment), world_->now);
  if (topology_ == nullptr) return;
  topology_->Use(topology_->UsageOf(row));
  topology_->Forget();
}

void Scheduler::Release(WorkloadIndex w) {
  if (topology_ != nullptr) {
    topology_->Release(topology_->UsageOf(world_->workloads[w]));
    topology_->Forget();
  }
  world_->Release(w);
}

void Scheduler::Requeue(Entry* entry, CycleResult* result) {
  if (entry->considered) world_->workloads[entry->workload].progress = entry->progress;
  const RequeueReason reason = FinalReason(entry->status, entry->requeue);
  if (pending(entry->queue).Requeue(entry->workload, reason)) {
    result->requeued.push_back(entry->workload);
  }
}

}  // namespace muster::kueue
