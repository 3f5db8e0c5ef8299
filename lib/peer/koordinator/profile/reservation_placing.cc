// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reservations that wait: their nodes, and the tasks that they take over.
#include <algorithm>

#include "lib/base/digest.h"
#include "lib/kube/selectors.h"
#include "lib/model/spec_key.h"
#include "lib/peer/koordinator/profile/reservation_plugin.h"
#include "lib/peer/koordinator/reservation/reservation_choice.h"

namespace muster::koordinator {
namespace {

constexpr int64_t kBestNode = 100;

// Returns whether a selector of an owner selects the labels.
bool SelectsLabels(const ReservationSpec& spec, const Labels& labels) {
  return std::any_of(spec.owners.begin(), spec.owners.end(), [&](const ReservationOwner& owner) {
    return owner.selector && Matches(*owner.selector, labels);
  });
}

}  // namespace

// Those that have a node serve their owners there.
void ReservationPlugin::OpenStandIns(HashMap<std::string, Number>* by_name) {
  stand_ins_ = ReadStandIns(*tables_);
  for (const auto& [t, stand_in] : stand_ins_) {
    const NodeIndex n = world_->node_of(t);
    if (n == kNone || HasExpired(*stand_in.spec)) continue;
    Digest meaning;
    meaning.Add(MeaningKey(*stand_in.spec));
    meaning.Add(tables_->nodes.names.name(n));
    meanings_.Set(stand_in.spec->name, {meaning.Hex()});
    (*by_name)[stand_in.spec->name] = static_cast<Number>(kept_.size());
    placed_[t] = static_cast<Number>(kept_.size());
    Kept& kept = Keep(*stand_in.spec, n);
    kept.stand_in = t;
    kept.entry.record.is_available = tables_->tasks.devices[t] == 0;
  }
}

// Finds the tasks that the reservation may take over, by node.
void ReservationPlugin::LookForNode(TaskIndex t) {
  candidates_.clear();
  left_.clear();
  own_entry_ = {};
  own_entry_.record = RecordOf(*own_->spec);
  own_request_ = RequestOf(t);
  if (!MayTakeOver()) return;
  for (const TaskIndex other : world_->placed()) {
    if (held_.contains(other) || stand_ins_.contains(other) || world_->terminating(other) ||
        tables_->tasks.status[other] == TaskStatus::kWaiting) {
      continue;
    }
    const TaskShape& shape = world_->classes().shape(world_->class_of(other));
    const bool is_candidate =
        own_->of_cluster ? IsTakenOverByAll(shape) : SelectsLabels(*own_->spec, shape.labels);
    if (!is_candidate) continue;
    const NodeIndex n = world_->node_of(other);
    const ReservationAsker asker = AskerOf(other, ClaimOf(other));
    if (IsMatch(MatchRunningTask(asker, own_entry_.record.offered, world_->spec(n).labels,
                                 !own_->of_cluster))) {
      candidates_[n].push_back({other, asker.request});
    }
  }
  const auto before = [&](const TakeOverTask& a, const TakeOverTask& b) {
    const auto priority = [&](const TakeOverTask& task) {
      return own_->of_cluster
                 ? TakeOverPriority(world_->classes().shape(world_->class_of(task.task)))
                 : 0;
    };
    const int64_t pa = priority(a), pb = priority(b);
    if (pa != pb) return pa > pb;
    return tables_->tasks.names.name(a.task) < tables_->tasks.names.name(b.task);
  };
  for (auto& [n, tasks] : candidates_) std::sort(tasks.begin(), tasks.end(), before);
}

bool ReservationPlugin::MayTakeOver() const {
  return own_->takes_over && own_entry_.record.policy == Reserved::Policy::kRestricted &&
         (!own_->of_cluster || settings_.of_cluster);
}

kube::Status ReservationPlugin::PreFilter() const {
  const auto refuse = [&](const std::string& words) {
    return Refuse(kube::Code::kUnresolvable, words);
  };
  if (claim_ != nullptr && !claim_->is_readable) {
    return refuse("what the pod states about reservations cannot be read");
  }
  if (own_ == nullptr) return {};
  if (HasExpired(*own_->spec)) return refuse("the reservation has expired");
  if (!own_->takes_over) return {};
  if (own_entry_.record.policy != Reserved::Policy::kRestricted) {
    return refuse("only a reservation of allocate policy Restricted takes over pods");
  }
  if (!MayTakeOver()) return refuse("pre-allocation of mode Cluster is off");
  if (own_->must_take_over && candidates_.empty()) {
    return refuse("node(s) no pod match reservation with pre allocation required");
  }
  return {};
}

ReservedNode ReservationPlugin::NodeForOwn(NodeIndex n, const kube::NodeBooks& books) const {
  ReservedNode node = AsNode(n, books);
  if (const auto tasks = candidates_.find(n); tasks != candidates_.end()) {
    for (const TakeOverTask& task : tasks->second) node.requested.Add(task.request);
  }
  return node;
}

kube::Status ReservationPlugin::FilterOwn(NodeIndex n, const kube::NodeBooks& books) {
  if (const auto others = on_node_.find(n); others != on_node_.end()) {
    for (const Number i : others->second) {
      const ReservationBook::Entry& other = kept_[i].entry;
      if (!other.IsMatchable() || MayShareNode(own_entry_.record.policy, other.record.policy)) {
        continue;
      }
      return Refuse(kube::Code::kUnresolvable, "node(s) reservation allocate policy conflict");
    }
  }
  if (!own_->takes_over) return {};
  std::vector<TakeOverTask>& left = left_[n];
  const auto tasks = candidates_.find(n);
  left = tasks == candidates_.end() ? std::vector<TakeOverTask>() : tasks->second;
  const Reserved reserved = own_entry_.AsReserved();
  const PreAllocationAnswer answer = TakeOver(*own_, own_request_, reserved, rules_, settings_)
                                         .Filter(NodeForOwn(n, books), &left);
  if (answer.fits) return {};
  return Lacking(answer.node, answer.reservation,
                 "node(s) no pod(s) to meet the pre-allocation requirements");
}

std::vector<TakeOverTask> ReservationPlugin::TakenOver(NodeIndex n) const {
  const auto left = left_.find(n);
  if (left == left_.end()) return {};
  kube::NodeBooks books = world_->books(n);
  ChangeBooks(n, &books);
  const Reserved reserved = own_entry_.AsReserved();
  return TakeOver(*own_, own_request_, reserved, rules_, settings_)
      .Choose(NodeForOwn(n, books), left->second);
}

// As at the peer, these are not scaled.
std::vector<int64_t> ReservationPlugin::ScoreOwn(std::span<const NodeIndex> feasible) const {
  std::vector<int64_t> scores;
  const Reserved reserved = own_entry_.AsReserved();
  for (const NodeIndex n : feasible) {
    const std::vector<TakeOverTask> taken = TakenOver(n);
    const auto number = static_cast<int64_t>(taken.size());
    scores.push_back(own_->takes_several ? kBestNode / (1 + number)
                     : taken.empty()     ? 0
                                         : ReservationScore(taken[0].request, reserved));
  }
  return scores;
}

// The task requests the room of its reservation, less what the tasks that it takes over hold.
void ReservationPlugin::Place(TaskIndex t, NodeIndex n) {
  const std::vector<TakeOverTask> taken = TakenOver(n);
  const auto number = static_cast<Number>(kept_.size());
  Keep(*own_->spec, n).stand_in = t;
  placed_[t] = number;
  for (const TakeOverTask& task : taken) Hold(task.task, number);
  MoveRoom(kept_[number], kept_[number].entry.record.offered.total);
}

void ReservationPlugin::Displace(TaskIndex t) {
  const Number number = placed_.at(t);
  placed_.erase(t);
  Kept& kept = kept_[number];
  const Sparse before = RoomOf(kept);
  for (const auto& [task, request] : kept.entry.tasks) {
    if (const auto holder = tables_->tasks.names.Find(task)) held_.erase(*holder);
  }
  kept.entry.tasks.clear();
  kept.entry.used = Sparse();
  kept.entry.record.is_available = false;
  MoveRoom(kept, before);
  std::erase(on_node_[kept.node], number);
}

void ReservationPlugin::NoteDevices(TaskIndex t) {
  if (const auto placed = placed_.find(t); placed != placed_.end()) {
    kept_[placed->second].entry.record.is_available = false;
  }
}

}  // namespace muster::koordinator
