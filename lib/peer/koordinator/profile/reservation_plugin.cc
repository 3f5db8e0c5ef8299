// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/reservation_plugin.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/digest.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"
#include "lib/model/spec_key.h"
#include "lib/peer/koordinator/reservation/reservation_choice.h"
#include "lib/peer/koordinator/scores/resource_scores.h"

namespace muster::koordinator {
namespace {

constexpr char kHolderSlot[] = "koordinator-holders", kKeptSlot[] = "koordinator-kept";
constexpr size_t kMostDimensions = Sparse::kMostResources;

OwnerRule RuleOf(const ReservationOwner& owner) {
  OwnerRule rule;
  if (!owner.task.empty() || !owner.name_space.empty()) {
    rule.object = ObjectReference{.name = owner.task, .name_space = owner.name_space};
  }
  if (!owner.job.empty()) {
    // "KIND NAME" is a controller, any other text a job, which has no kind.
    const std::vector<std::string> words = absl::StrSplit(owner.job, absl::MaxSplits(' ', 1));
    rule.controller = ControllerReference{.object = {.name = words.back()}};
    if (words.size() == 2 && words[0] != "*") rule.controller->kind = words[0];
    rule.controller->controls = words.size() == 2;
  }
  rule.selector = owner.selector;
  return rule;
}

}  // namespace

absl::Status CheckReservations(const Tables& tables) {
  bool has_some = false;
  for (size_t row = 0; row < tables.reservations.alive.size(); ++row) {
    if (!tables.reservations.alive[row]) continue;
    has_some = true;
    const auto parts = ReadReservedParts(tables.reservations.spec[row]);
    if (parts.ok()) continue;
    return absl::InvalidArgumentError(absl::StrCat("action schedule: ", parts.status().message()));
  }
  absl::Status status = CheckReservationClaims(tables);
  status.Update(CheckStandIns(tables));
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("action schedule: ", status.message()));
  }
  if (!has_some || tables.dimension_count() <= kMostDimensions) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("action schedule: reservations: the cluster has ", tables.dimension_count(),
                   " resources; reservations know ", kMostDimensions, " at most"));
}

ReservationBook::Record ReservationPlugin::RecordOf(const ReservationSpec& spec) const {
  ReservationBook::Record record;
  record.uid = spec.name;
  record.node = spec.node;
  record.offered.name = spec.name;
  record.offered.labels = spec.shape.labels;
  for (const ReservationOwner& owner : spec.owners) record.offered.owners.push_back(RuleOf(owner));
  record.offered.taints = spec.taints;
  record.offered.total = AmountsByDimension(*tables_, spec.shape.request);
  record.offered.is_unschedulable = spec.unschedulable;
  record.policy = PolicyOf(spec);
  record.names = record.offered.total.keys();
  if (record.policy == Reserved::Policy::kRestricted && !spec.restricted.empty()) {
    record.names = 0;
    for (const std::string& name : spec.restricted) {
      const auto d = tables_->dimensions.Find(name);
      if (d) record.names |= record.offered.total.keys() & uint64_t{1} << static_cast<size_t>(*d);
    }
  }
  record.is_available = true;
  record.allocate_once = spec.allocate_once;
  record.order = spec.order;
  return record;
}

ReservationPlugin::Kept& ReservationPlugin::Keep(const ReservationSpec& spec, NodeIndex n) {
  on_node_[n].push_back(static_cast<Number>(kept_.size()));
  Kept& kept = kept_.emplace_back();
  kept.spec = &spec;
  kept.node = n;
  kept.entry.record = RecordOf(spec);
  kept.entry.record.node = tables_->nodes.names.name(n);
  return kept;
}

void ReservationPlugin::Open(kube::World* world, MemorySlots* memory, int64_t now) {
  world_ = world;
  tables_ = &world->tables();
  now_ = now;
  HashMap<std::string, Number> by_name;
  for (size_t row = 0; row < tables_->reservations.alive.size(); ++row) {
    if (!tables_->reservations.alive[row]) continue;
    const ReservationSpec& spec = tables_->reservations.spec[row];
    const auto node = tables_->nodes.names.Find(spec.node);
    if (spec.phase != ReservationPhase::kAvailable || !node || !tables_->nodes.alive[*node] ||
        (spec.expires && *spec.expires <= now)) {
      continue;
    }
    Digest meaning;
    meaning.Add(MeaningKey(spec));
    meanings_.Set(spec.name, {meaning.Hex()});
    by_name[spec.name] = static_cast<Number>(kept_.size());
    // The action's check has refused what cannot be read.
    Keep(spec, *node).parts = ReadReservedParts(spec).value_or(ReservedParts());
    for (const std::string& holder : spec.holders) {
      const auto t = tables_->tasks.names.Find(holder);
      if (t && world_->node_of(*t) == *node) Hold(*t, by_name[spec.name]);
    }
  }
  OpenStandIns(&by_name);
  have_changed_ = !(memory->Recall(kKeptSlot).rows() == meanings_.rows());
  if (!any()) return;
  for (const std::string_view name : {"cpu", "memory", "ephemeral-storage"}) {
    const auto d = tables_->dimensions.Find(name);
    if (d) rules_.always |= uint64_t{1} << static_cast<size_t>(*d);
  }
  const MemorySlot& holders = memory->Recall(kHolderSlot);
  for (const auto& [name, row] : holders.rows()) {
    const auto t = tables_->tasks.names.Find(name);
    const auto number = by_name.find(std::string(holders.Text(name)));
    if (!t || number == by_name.end() || held_.contains(*t)) continue;
    if (world_->node_of(*t) == kept_[number->second].node) Hold(*t, number->second);
  }
  for (const Kept& kept : kept_) {
    // A stand-in requests the room already.
    const bool stands = kept.stand_in != kNone;
    world_->Keep(kept.node,
                 stands ? Difference(RoomOf(kept), kept.entry.record.offered.total) : RoomOf(kept),
                 stands ? 0 : 1);
  }
}

void ReservationPlugin::Store(MemorySlots* memory) const {
  MemorySlot& holders = memory->Remember(kHolderSlot);
  holders = MemorySlot();
  for (const auto& [t, number] : held_) {
    holders.Set(tables_->tasks.names.name(t), {kept_[number].entry.record.uid});
  }
  if (have_changed_) memory->Remember(kKeptSlot) = meanings_;
}

Sparse ReservationPlugin::RequestOf(TaskIndex t) const {
  Sparse request;
  const auto& amounts = world_->pod(t).request;
  for (DimensionIndex d = 0; d < amounts.size(); ++d) {
    if (d != kPods && amounts[d] != 0) request.Set(d, amounts[d]);
  }
  return request;
}

void ReservationPlugin::Hold(TaskIndex t, Number number) {
  held_[t] = number;
  kept_[number].entry.Add({std::string(tables_->tasks.names.name(t)), RequestOf(t)});
}

Sparse ReservationPlugin::RoomOf(const Kept& kept) {
  Sparse room = kept.entry.record.offered.total;
  room.Subtract(kept.entry.used.Only(room.keys()));
  room.NotBelowZero();
  return room;
}

void ReservationPlugin::MoveRoom(const Kept& kept, const Sparse& before) {
  Sparse change = RoomOf(kept);
  change.Subtract(before);
  world_->Keep(kept.node, change, 0);
}

KeptReservation ReservationPlugin::Told(const Kept& kept) {
  KeptReservation told{.spec = kept.spec, .parts = &kept.parts, .node = kept.node};
  for (const auto& [task, request] : kept.entry.tasks) told.holders.push_back(task);
  return told;
}

std::vector<KeptReservation> ReservationPlugin::All() const {
  std::vector<KeptReservation> all;
  for (const Kept& kept : kept_) all.push_back(Told(kept));
  return all;
}

std::string_view ReservationPlugin::HeldBy(TaskIndex t) const {
  const auto held = held_.find(t);
  return held == held_.end() ? std::string_view() : kept_[held->second].spec->name;
}

bool ReservationPlugin::IsMatched(Number i, NodeIndex n) const {
  const auto matched = matched_.find(n);
  return matched != matched_.end() &&
         std::find(matched->second.begin(), matched->second.end(), i) != matched->second.end();
}

std::vector<KeptReservation> ReservationPlugin::On(NodeIndex n, bool matched) const {
  std::vector<KeptReservation> on_node;
  const auto numbers = on_node_.find(n);
  if (numbers == on_node_.end()) return on_node;
  for (const Number i : numbers->second) {
    if (IsMatched(i, n) == matched) on_node.push_back(Told(kept_[i]));
  }
  return on_node;
}

const ReservationClaim& ReservationPlugin::ClaimOf(TaskIndex t) {
  const ClassIndex c = world_->class_of(t);
  const auto known = claims_.find(c);
  if (known != claims_.end()) return *known->second;
  // The action's check has refused what cannot be read.
  auto& claim = claims_[c];
  claim = ReadReservationClaim(tables_->classes.shape[c]).value_or(ReservationClaim());
  return *claim;
}

ReservationAsker ReservationPlugin::AskerOf(TaskIndex t, const ReservationClaim& claim) const {
  const TaskShape& shape = world_->classes().shape(world_->class_of(t));
  ReservationAsker asker;
  asker.object = {.name = std::string(tables_->tasks.names.name(t)),
                  .name_space = shape.name_space};
  asker.labels = shape.labels;
  asker.request = RequestOf(t);
  asker.ignores = claim.ignores;
  asker.wish = claim.wish;
  asker.is_readable = claim.is_readable;
  for (const std::string& name : claim.exact) {
    const auto d = tables_->dimensions.Find(name);
    if (!d) break;  // neither side has it, and no later one is compared
    asker.exact.push_back(static_cast<size_t>(*d));
  }
  const JobIndex job = tables_->tasks.job[t];
  if (job == kNone) return asker;
  asker.controllers.push_back(
      {.object = {.name = std::string(tables_->jobs.names.name(job))}, .controls = false});
  const Labels& settings = tables_->jobs.spec[job].settings;
  const std::string* owner = FindLabel(settings, "koordinator/owner");
  const std::string* kind = FindLabel(settings, "koordinator/owner_kind");
  if (owner == nullptr || kind == nullptr) return asker;
  asker.controllers.push_back(
      {.object = {.name = owner->substr(owner->rfind('/') + 1)}, .kind = *kind, .controls = true});
  return asker;
}

void ReservationPlugin::Match(TaskIndex t) {
  matched_.clear();
  nominated_.clear();
  tallies_.clear();
  own_ = nullptr;
  if (world_ == nullptr) return;
  if (const auto stand_in = stand_ins_.find(t); stand_in != stand_ins_.end()) {
    own_ = &stand_in->second;
    claim_ = &no_claim_;
    LookForNode(t);
    return;
  }
  claim_ = &ClaimOf(t);
  if (kept_.empty()) return;
  if (const auto held = held_.find(t); held != held_.end()) {
    matched_[kept_[held->second].node] = {held->second};
    return;
  }
  const ReservationAsker asker = AskerOf(t, *claim_);
  for (Number i = 0; i < kept_.size(); ++i) {
    const Kept& kept = kept_[i];
    if (!kept.entry.IsMatchable()) continue;
    const Labels& labels = world_->spec(kept.node).labels;
    const ReservationOffered& offered = kept.entry.record.offered;
    const ReservationMatch match = MatchReservation(asker, offered, labels);
    tallies_[kept.node].Count(
        match, match == ReservationMatch::kTaint ? FirstRepelling(asker, offered) : nullptr);
    if (IsMatch(match)) matched_[kept.node].push_back(i);
  }
}

kube::Status ReservationPlugin::Refuse(kube::Code code, const std::string& words) const {
  kube::Status status;
  status.code = code;
  status.plugin = NumberOf(ExtraPlugin::kReservation);
  status.causes = {kube::WordsCause(world_, words)};
  return status;
}

std::string ReservationPlugin::WhyNoneServes(const kube::PodCycle& cycle) const {
  if (own_ != nullptr || claim_ == nullptr) return {};
  std::vector<TalliedNode> nodes;
  for (const auto& [n, tally] : tallies_) {
    TalliedNode& node = nodes.emplace_back();
    node.tally = tally;
    for (const kube::Cause cause : cycle.status(n).causes) {
      node.reasons.push_back(kube::CauseText(cause, *world_));
    }
  }
  return absl::StrJoin(ReservationReasons(nodes, IsHeldTo()), ", ");
}

void ReservationPlugin::ChangeBooks(NodeIndex n, kube::NodeBooks* books) const {
  if (const auto taken = candidates_.find(n); own_ != nullptr && taken != candidates_.end()) {
    for (const TakeOverTask& task : taken->second) {
      books->Keep(Difference(Sparse(), task.request), -1);
    }
  }
  const auto matched = matched_.find(n);
  if (matched != matched_.end()) {
    for (const Number i : matched->second) {
      books->Keep(Difference(Sparse(), RoomOf(kept_[i])), -1);
    }
  }
  const auto victims = victims_on_.find(n);
  if (victims == victims_on_.end()) return;
  for (const Number i : victims->second) {
    if (!IsMatched(i, n)) books->Keep(kept_[i].preempted, 0);
  }
}

Reserved ReservationPlugin::AsReserved(const Kept& kept) const {
  Reserved reserved = kept.entry.AsReserved();
  reserved.preempted = kept.preempted;
  reserved.preempted_tasks = kept.preempted_tasks;
  return reserved;
}

// Within the rules a node has each reservation whole, and its owners besides.
ReservedNode ReservationPlugin::AsNode(NodeIndex n, const kube::NodeBooks& books) const {
  ReservedNode node;
  for (DimensionIndex d = 0; d < tables_->dimension_count(); ++d) {
    if (d == kPods) continue;
    node.capacity.Set(d, world_->allocatable(n, d));
    node.requested.Set(d, books.requested[d]);
  }
  node.tasks = books.pods;
  node.most_tasks = world_->allocatable(n, kPods);
  const auto matched = matched_.find(n);
  if (matched == matched_.end()) return node;
  for (const Number i : matched->second) {
    node.requested.Add(RoomOf(kept_[i]));
    node.requested.Add(kept_[i].entry.used);
    // What victims held is not among the requests any more.
    node.held_by_owners.Add(Difference(kept_[i].entry.used, kept_[i].preempted));
    ++node.tasks;
    ++node.matched;
  }
  return node;
}

kube::Status ReservationPlugin::Lacking(const Lacks& node, std::span<const Lacks> reservations,
                                        const std::string& none) const {
  kube::Status status;
  status.code = kube::Code::kUnschedulable;
  status.plugin = NumberOf(ExtraPlugin::kReservation);
  const auto add = [&](const std::string& words) {
    const kube::Cause cause = kube::WordsCause(world_, words);
    if (std::find(status.causes.begin(), status.causes.end(), cause) == status.causes.end()) {
      status.causes.push_back(cause);
    }
  };
  const auto name_of = [&](size_t r) {
    return ToAbsl(tables_->dimensions.name(DimensionIndex(static_cast<uint32_t>(r))));
  };
  for (const Lacks& lacks : reservations) {
    if (lacks.tasks) add("Reservation(s) Too many pods");
    ForEachResource(lacks.resources, [&](size_t r) {
      add(absl::StrCat("Reservation(s) Insufficient ", name_of(r)));
    });
  }
  if (node.tasks) add("Too many pods by node");
  ForEachResource(node.resources,
                  [&](size_t r) { add(absl::StrCat("Insufficient ", name_of(r), " by node")); });
  if (status.causes.empty()) add(none);
  return status;
}

kube::Status ReservationPlugin::Filter(TaskIndex t, NodeIndex n, const kube::NodeBooks& books) {
  if (own_ != nullptr) return FilterOwn(n, books);
  if (claim_->ignores) return {};
  const auto matched = matched_.find(n);
  if (matched == matched_.end()) {
    if (!IsHeldTo()) return {};
    return Refuse(kube::Code::kUnresolvable, "node(s) no reservations match reservation affinity");
  }
  ReservationRules rules = rules_;
  rules.has_affinity = rules.required = IsHeldTo();
  std::vector<Reserved> reserved;
  for (const Number i : matched->second) reserved.push_back(AsReserved(kept_[i]));
  const ReservationAnswer answer =
      FilterByReservations(RequestOf(t), AsNode(n, books), reserved, rules);
  if (answer.fits) return {};
  return Lacking(answer.node, answer.reservations,
                 "node(s) no reservation(s) to meet the requirements");
}

ReservationPlugin::Number ReservationPlugin::Nominate(TaskIndex t, NodeIndex n) {
  if (const auto held = held_.find(t); held != held_.end()) {
    return kept_[held->second].node == n ? held->second : Number(kNone);
  }
  const auto known = nominated_.find(n);
  if (known != nominated_.end()) return known->second;
  return nominated_[n] = FindBest(t, n);
}

std::string ReservationPlugin::Nominated(TaskIndex t, NodeIndex n) {
  const Number number = Nominate(t, n);
  return number == kNone ? std::string() : kept_[number].spec->name;
}

ReservationPlugin::Number ReservationPlugin::FindBest(TaskIndex t, NodeIndex n) {
  const auto matched = matched_.find(n);
  if (matched == matched_.end() || claim_->ignores) return kNone;
  if (matched->second.size() == 1 && IsHeldTo()) return matched->second[0];
  kube::NodeBooks books = world_->books(n);
  ChangeBooks(n, &books);
  const Sparse request = RequestOf(t);
  const ReservedNode node = AsNode(n, books);
  ReservationRules alone = rules_;
  alone.required = true;
  alone.has_affinity = IsHeldTo();
  std::vector<ReservationOffer> offers;
  std::vector<Number> offered;
  for (const Number i : matched->second) {
    const Reserved reserved = AsReserved(kept_[i]);
    if (!FilterByReservations(request, node, {&reserved, 1}, alone).fits) continue;
    const bool is_refused = std::any_of(filters_.begin(), filters_.end(), [&](LoanFilter* filter) {
      return !filter->FitsLoan(t, n, kept_[i].spec->name);
    });
    if (is_refused) continue;
    offers.push_back({kept_[i].entry.record.order, ReservationScore(request, reserved)});
    offered.push_back(i);
  }
  const size_t chosen = NominateReservation(offers);
  return chosen == kNoReservation ? Number(kNone) : offered[chosen];
}

std::vector<int64_t> ReservationPlugin::Score(TaskIndex t, std::span<const NodeIndex> feasible) {
  if (own_ != nullptr) return ScoreOwn(feasible);
  std::vector<ReservationNode> nodes;
  const Sparse request = RequestOf(t);
  for (const NodeIndex n : feasible) {
    ReservationNode& node = nodes.emplace_back();
    const auto matched = matched_.find(n);
    if (matched == matched_.end()) continue;
    std::vector<int64_t> orders;
    for (const Number i : matched->second) orders.push_back(kept_[i].entry.record.order);
    if (const size_t least = LeastOrder(orders); least != kNoReservation) {
      node.least_order = orders[least];
    }
    const Number chosen = Nominate(t, n);
    if (chosen != kNone) node.score = ReservationScore(request, AsReserved(kept_[chosen]));
  }
  std::vector<int64_t> scores = ReservationNodeScores(nodes);
  ScaleScores(scores);
  return scores;
}

void ReservationPlugin::Reserve(TaskIndex t, NodeIndex n) {
  if (own_ != nullptr && !placed_.contains(t)) Place(t, n);
  if (!matched_.contains(n) || held_.contains(t)) return;
  const Number chosen = Nominate(t, n);
  if (chosen == kNone) return;
  const Sparse before = RoomOf(kept_[chosen]);
  Hold(t, chosen);
  MoveRoom(kept_[chosen], before);
}

void ReservationPlugin::Unreserve(TaskIndex t) {
  if (placed_.contains(t)) return Displace(t);
  const auto it = held_.find(t);
  // A pod that an earlier plan let wait is still on its node.
  if (it == held_.end() || tables_->tasks.status[t] == TaskStatus::kWaiting) return;
  Kept& kept = kept_[it->second];
  held_.erase(it);
  const Sparse before = RoomOf(kept);
  kept.entry.Remove(std::string(tables_->tasks.names.name(t)));
  MoveRoom(kept, before);
}

void ReservationPlugin::CountVictim(TaskIndex t, int sign) {
  const auto it = held_.find(t);
  if (it == held_.end()) return;
  Kept& kept = kept_[it->second];
  const Sparse share = RequestOf(t).Only(kept.entry.record.names);
  if (sign < 0) {
    kept.preempted.Add(share);
  } else {
    kept.preempted.Subtract(share);
  }
  kept.preempted_tasks -= sign;
  std::vector<Number>& numbers = victims_on_[kept.node];
  const auto place = std::find(numbers.begin(), numbers.end(), it->second);
  if (kept.preempted_tasks > 0 && place == numbers.end()) numbers.push_back(it->second);
  if (kept.preempted_tasks == 0 && place != numbers.end()) numbers.erase(place);
  if (numbers.empty()) victims_on_.erase(kept.node);
}

}  // namespace muster::koordinator
