// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How many nodes until all that waits is placed (upkeep.h).
//
// Idea. A cycle tries to place what waits and what it starts today, and any of these tasks may go
// to a new node: with as many nodes of a type as there are such tasks, each could have its own;
// more never help. So that number tells how many tasks must go on waiting, and a search finds the
// smallest number with which no more do. For a mix, nodes of one type are replaced by nodes of
// another one: half of them, a quarter, and so on, as long as the price falls. Only the eight types
// that do best alone are mixed, since each two of them cost a search.
// Some tasks may fit one type only, and others another one. So where tasks go on waiting with every
// type alone, all types are tried together. If that places more, types are reduced, one after
// another, to the fewest nodes with which no more tasks wait: the most expensive first, and then
// the other way round. The cheaper of the two mixes is improved by replacements as above,
// unless it has more than eight types.
// Where the profile has an autoscaler's rule of its own (WantedNodesRule), that rule answers too,
// and a cycle tells what would wait with its nodes.
// Tie-break. The offer that comes first, and one type before two.
#include "lib/advice/need_nodes.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/advice/changes.h"
#include "lib/advice/counted_tasks.h"
#include "lib/advice/executor_of.h"
#include "lib/advice/node_types.h"
#include "lib/advice/smallest.h"
#include "lib/advice/trials.h"
#include "lib/base/hash_map.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/change_guard.h"
#include "lib/plan/plan_data.h"
#include "lib/profile/profile.h"
#include "muster/upkeep.h"

namespace muster {
namespace {

constexpr size_t kMostMixed = 8;      // types: a search is made for each two of them
constexpr size_t kMostTogether = 32;  // types: a search is made for each of them

class Search {
 public:
  Search(const Cluster& cluster, std::string_view profile, std::span<const NodeOffer> offers,
         const NeedOptions& options, const ProfileConfig& config,
         const std::function<void()>& tried)
      : cluster_(cluster),
        profile_(profile),
        offers_(offers),
        options_(options),
        tried_(tried),
        executor_(ExecutorOf(options.executor, options.schedule)),
        rule_(config.wanted_nodes),
        admits_(std::ranges::any_of(
            config.actions, [](const ConfiguredAction& action) { return action.decl.admits; })) {}

  absl::StatusOr<NodesNeeded> Run() {
    NodesNeeded needed;
    const absl::StatusOr<Left> before = Try({});
    if (!before.ok()) return before.status();
    needed.waiting_before = needed.waiting_after = waiting_ = before->tasks;
    if (waiting_ > 0) useful_ = before->tried;
    std::vector<absl::StatusOr<Alone>> tries(offers_.size(), Alone());
    // The search of one offer alone has the executor to itself.
    Executor* const together = tries.size() > 1 ? executor_ : nullptr;
    RunPieces(together, tries.size(),
              [&](size_t i) { tries[i] = TryAlone(i, together == nullptr ? executor_ : nullptr); });
    for (size_t i = 0; i < tries.size(); ++i) {
      if (!tries[i].ok()) return tries[i].status();
      const auto& [count, left] = *tries[i];
      if (count == 0) {
        needed.alone.push_back({offers_[i].node.name, 0, before->first, waiting_});
        continue;
      }
      needed.alone.push_back({offers_[i].node.name, count, left.first, left.tasks});
      Consider({{i, count}}, left.tasks);
    }
    const int64_t left = best_.empty() ? waiting_ : best_waiting_;
    if (left == 0 || !MixAll(needed.alone, left)) MixTwo(needed.alone);
    std::ranges::sort(best_);
    if (!best_.empty()) {
      // A mix that was made smaller may leave fewer tasks waiting than it had to.
      if (const absl::StatusOr<Left> last = Try(best_); last.ok()) best_waiting_ = last->tasks;
      needed.cheapest = CountsOf(best_);
      needed.price = PriceOf(best_);
      needed.waiting_after = best_waiting_;
    }
    return Want(std::move(needed));
  }

 private:
  using Mix = std::vector<std::pair<size_t, int64_t>>;  // offer, count
  // What waits after a cycle: how many tasks, and the first one with the reason.
  struct Left {
    int64_t tasks = 0;
    std::string first = {};
    int64_t tried = 0;  // tasks that the cycle placed or left waiting
  };

  // The fewest nodes of one offer that help as much as many, and what waits then; 0: none help.
  struct Alone {
    int64_t count = 0;
    Left left = {};
  };
  absl::StatusOr<Alone> TryAlone(size_t offer, Executor* executor) const {
    // Also where nothing waits, so that a bad offer is refused in any cluster.
    const absl::StatusOr<Left> least = Try({{offer, std::max<int64_t>(MostOf(offer), 1)}});
    if (!least.ok()) return least.status();
    if (MostOf(offer) == 0 || least->tasks >= waiting_) return Alone();
    const int64_t count = FewestOf(offer, least->tasks, executor);
    const absl::StatusOr<Left> left = Try({{offer, count}});
    if (!left.ok()) return left.status();
    return Alone{count, *left};
  }

  // The most nodes of the type that can help: one for each task that the cycle tries to place.
  int64_t MostOf(size_t offer) const {
    return std::min({options_.most, useful_, offers_[offer].most.value_or(options_.most)});
  }

  // Adds to each type that does well alone some of another one.
  void MixTwo(std::span<const NodeCount> alone) {
    if (best_.empty()) return;
    const std::vector<size_t> types = BestAlone(alone, kMostMixed);
    for (const size_t i : types) {
      for (const size_t j : types) {
        if (i != j) Replace({{i, alone[i].count}}, i, j);
      }
    }
  }

  // Returns false, and considers nothing, unless all types together leave fewer than `before` tasks
  // waiting.
  bool MixAll(std::span<const NodeCount> alone, int64_t before) {
    const std::vector<size_t> types = BestAlone(alone, kMostTogether);
    if (types.size() < 2) return false;
    Mix most, few;
    for (const size_t i : types) {
      most = With(std::move(most), i, MostOf(i));
      few = With(std::move(few), i, alone[i].count > 0 ? alone[i].count : MostOf(i));
    }
    const absl::StatusOr<Left> left = Try(most);
    if (!left.ok() || left->tasks >= before) return false;
    // What a type needs alone is mostly enough of it, and fewer nodes are quicker to try.
    const Mix all = IsEnough(few, left->tasks) ? few : most;
    std::vector<size_t> by_price = types;
    std::ranges::stable_sort(by_price, std::ranges::greater(),
                             [&](size_t i) { return offers_[i].price; });
    Consider(Fewest(all, by_price, left->tasks), left->tasks);
    std::ranges::reverse(by_price);
    Consider(Fewest(all, by_price, left->tasks), left->tasks);
    const Mix mix = best_;
    for (const auto& [i, count] : mix) {
      if (mix.size() > kMostMixed) break;  // no type of it can be spared, and a search costs much
      for (const size_t j : BestAlone(alone, kMostMixed)) {
        if (i != j) Replace(mix, i, j);
      }
    }
    best_ = Fewest(best_, by_price, best_waiting_);
    return true;
  }

  // Returns the mix with fewer nodes, type by type in that order: the fewest with which no more
  // tasks wait.
  Mix Fewest(Mix mix, std::span<const size_t> types, int64_t waiting) const {
    for (const size_t i : types) {
      const auto enough = [&](int64_t count) { return IsEnough(With(mix, i, count), waiting); };
      const int64_t count = CountIn(mix, i);
      if (count == 0) continue;
      mix = With(mix, i, enough(0) ? 0 : Smallest(count, enough, executor_).value_or(count));
    }
    return mix;
  }

  static int64_t CountIn(const Mix& mix, size_t offer) {
    const auto found = std::ranges::find(mix, offer, &std::pair<size_t, int64_t>::first);
    return found == mix.end() ? 0 : found->second;
  }
  // Returns the mix with so many of the offer instead.
  static Mix With(Mix mix, size_t offer, int64_t count) {
    std::erase_if(mix, [offer](const auto& part) { return part.first == offer; });
    if (count > 0) mix.emplace_back(offer, count);
    std::ranges::sort(mix);
    return mix;
  }

  // The offers that alone leave the fewest tasks waiting, at the lowest price, ascending.
  std::vector<size_t> BestAlone(std::span<const NodeCount> alone, size_t most) const {
    std::vector<size_t> types(alone.size());
    std::iota(types.begin(), types.end(), size_t{0});
    std::ranges::stable_sort(types, {}, [&](size_t i) {
      return std::pair(alone[i].waiting, PriceOf({{i, alone[i].count}}));
    });
    types.resize(std::min(types.size(), most));
    std::ranges::sort(types);
    return types;
  }

  // Adds what the profile's autoscaler would start.
  absl::StatusOr<NodesNeeded> Want(NodesNeeded needed) const {
    needed.wanted = needed.cheapest;
    needed.wanted_price = needed.price;
    needed.wanted_waiting = needed.waiting_after;
    if (rule_ == nullptr) return needed;
    const absl::StatusOr<NodeDemands> demands = Demands();
    if (!demands.ok()) return demands.status();
    const std::vector<int64_t> counts = rule_(*demands);
    Mix mix;
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) mix.emplace_back(i, counts[i]);
    }
    const absl::StatusOr<Left> left = Try(mix);
    if (!left.ok()) return left.status();
    needed.wanted = CountsOf(mix);
    needed.wanted_price = PriceOf(mix);
    needed.wanted_waiting = left->tasks;
    return needed;
  }
  std::vector<NodeCount> CountsOf(const Mix& mix) const {
    std::vector<NodeCount> counts;
    for (const auto& [offer, count] : mix) counts.push_back({offers_[offer].node.name, count});
    return counts;
  }

  // What waits after a cycle, what is free then, and the types, as rows of a clone.
  absl::StatusOr<NodeDemands> Demands() const {
    Cluster clone = cluster_.Clone();
    const absl::StatusOr<Plan> plan = Schedule(clone.Freeze(), profile_, options_.schedule);
    if (!plan.ok()) return plan.status();
    const size_t nodes = TablesOf(clone).nodes.alive.size();
    for (const NodeOffer& offer : offers_) {
      const WhatIfChange change{.add_nodes = NewNodes{.count = 1, .node = offer.node}};
      if (absl::Status s = MakeChange(change, &clone); !s.ok()) return s;
    }
    return DemandsIn(TablesOf(clone), *plan, nodes);
  }
  NodeDemands DemandsIn(const Tables& tables, const Plan& plan, size_t nodes) const {
    NodeDemands demands;
    for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
      demands.dimensions.emplace_back(tables.dimensions.name(d));
    }
    const auto cells = [](std::span<const int64_t> row) {
      std::vector<int64_t> amounts(row.begin(), row.end());
      for (int64_t& amount : amounts) amount = OrZero(amount);
      return amounts;
    };
    const auto request = [&](TaskIndex t) {
      return cells(tables.classes.request.row(tables.tasks.task_class[t]));
    };
    std::vector<std::vector<int64_t>> free;
    for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
      free.push_back(cells(tables.nodes.allocatable.row(n)));
    }
    const auto take = [&](TaskIndex t, NodeIndex n) {
      const std::vector<int64_t> amounts = request(t);
      for (size_t d = 0; d < amounts.size(); ++d) free[n][d] -= amounts[d];
    };
    for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
      if (tables.tasks.alive[t] && tables.tasks.node[t] != kNone) take(t, tables.tasks.node[t]);
    }
    for (const Bind& bind : plan.binds()) take(bind.task, bind.node);
    for (NodeIndex n = 0; n < nodes; ++n) {
      const NodeSpec& spec = tables.nodes.spec[n];
      if (tables.nodes.alive[n] && spec.ready && !spec.unschedulable) {
        demands.free.push_back(std::move(free[n]));
      }
    }
    for (size_t i = 0; i < offers_.size(); ++i) {
      demands.types.push_back({offers_[i].node.name, std::move(free[nodes + i]),
                               offers_[i].most.value_or(options_.most)});
    }
    const std::vector<bool> wants = JobsThatWant(tables, plan);
    HashMap<JobIndex, size_t> entries;  // of demands.jobs
    for (const PendingTask& pending : plan.pending()) {
      const JobIndex job = tables.tasks.job[pending.task];
      if (job == kNone || !wants[job]) continue;
      const auto [entry, is_new] = entries.try_emplace(job, demands.jobs.size());
      if (is_new) demands.jobs.push_back({tables.jobs.spec[job].bundle_strategy, {}});
      demands.jobs[entry->second].requests.push_back(request(pending.task));
    }
    return demands;
  }

  // By job, whether its tasks may want nodes: not before it is admitted, where actions admit jobs.
  std::vector<bool> JobsThatWant(const Tables& tables, const Plan& plan) const {
    std::vector<bool> wants(tables.jobs.alive.size(), true);
    if (!admits_) return wants;
    for (JobIndex job = 0; job < wants.size(); ++job) {
      wants[job] = tables.jobs.spec[job].phase != JobPhase::kPending;
    }
    for (const Decision& decision : plan.decisions()) {
      if (decision.job >= wants.size()) continue;  // of no job, or of one that the cycle made
      if (decision.kind == DecisionKind::kAdmit) wants[decision.job] = true;
      if (decision.kind == DecisionKind::kPhase) {
        wants[decision.job] = decision.phase != JobPhase::kPending;
      }
    }
    return wants;
  }

  absl::StatusOr<Left> Try(const Mix& mix) const {
    if (tried_) {
      const std::lock_guard lock(telling_);
      tried_();
    }
    Cluster clone = cluster_.Clone();
    for (const auto& [offer, count] : mix) {
      const WhatIfChange change{.add_nodes = NewNodes{.count = count, .node = offers_[offer].node}};
      if (absl::Status s = MakeChange(change, &clone); !s.ok()) {
        return absl::Status(s.code(), absl::StrCat("offer[", offer, "]: ", s.message()));
      }
    }
    const Snapshot snapshot = clone.Freeze();
    const absl::StatusOr<Plan> plan = Schedule(snapshot, profile_, options_.schedule);
    if (!plan.ok()) return plan.status();
    return LeftBy(TablesOf(snapshot), *plan);
  }
  static Left LeftBy(const Tables& tables, const Plan& plan) {
    const std::vector<CountedWait> counted = CountedWaits(tables, plan);
    Left left{.tasks = static_cast<int64_t>(plan.pending().size())};
    for (const CountedWait& wait : counted) left.tasks = SatAdd(left.tasks, wait.tasks);
    left.tried = TriedIn(tables, plan);
    const auto words = [&plan](std::string_view name, uint32_t reason) {
      return absl::StrCat(ToAbsl(name), ": ",
                          ReasonText(plan.reasons()[reason], *DataOf(plan)->names));
    };
    if (!plan.pending().empty()) {
      const PendingTask& first = plan.pending().front();
      left.first = words(plan.task_name(first.task), first.reason);
    } else if (!counted.empty()) {
      left.first = words(plan.job_name(counted[0].job), counted[0].reason);
    }
    return left;
  }
  bool IsEnough(const Mix& mix, int64_t waiting) const {
    const absl::StatusOr<Left> left = Try(mix);
    return left.ok() && left->tasks <= waiting;
  }
  int64_t FewestOf(size_t offer, int64_t waiting, Executor* executor) const {
    const auto enough = [&](int64_t count) { return IsEnough({{offer, count}}, waiting); };
    return Smallest(MostOf(offer), enough, executor).value_or(MostOf(offer));
  }
  double PriceOf(const Mix& mix) const {
    double price = 0;
    for (const auto& [offer, count] : mix) {
      price += offers_[offer].price * static_cast<double>(count);
    }
    return price;
  }
  void Consider(const Mix& mix, int64_t waiting) {
    const bool better = best_.empty() || waiting < best_waiting_ ||
                        (waiting == best_waiting_ && PriceOf(mix) < PriceOf(best_));
    if (!better) return;
    best_ = mix;
    best_waiting_ = waiting;
  }
  // Fewer of `offer` in the mix, and the fewest more of `other` that make up for them.
  void Replace(const Mix& mix, size_t offer, size_t other) {
    const int64_t count = CountIn(mix, offer), others = CountIn(mix, other);
    if (others >= MostOf(other)) return;
    for (int64_t fewer = count / 2; fewer >= 1; fewer /= 2) {
      const Mix kept = With(mix, offer, count - fewer);
      const auto enough = [&](int64_t c) {
        return IsEnough(With(kept, other, others + c), best_waiting_);
      };
      const std::optional<int64_t> more = Smallest(MostOf(other) - others, enough, executor_);
      if (more) Consider(With(kept, other, others + *more), best_waiting_);
    }
  }

  const Cluster& cluster_;
  const std::string_view profile_;
  const std::span<const NodeOffer> offers_;
  const NeedOptions& options_;
  const std::function<void()>& tried_;
  mutable std::mutex telling_;  // held while `tried_` is called
  Executor* const executor_;    // null: all trials stay on the calling thread
  const WantedNodesRule rule_;  // may be null
  const bool admits_;           // an action of the profile admits jobs
  int64_t waiting_ = 0;
  int64_t useful_ = 0;  // more nodes of one type help nothing
  Mix best_;
  int64_t best_waiting_ = 0;
};

std::vector<NodeOffer> OffersLike(const Tables& tables) {
  std::vector<NodeOffer> offers;
  for (const NodeIndex n : NodeTypes(tables)) {
    offers.push_back({.node = NewNodeLike(tables.nodes.spec[n])});
  }
  return offers;
}

}  // namespace

absl::StatusOr<NodesNeeded> NeedNodes(const Cluster& cluster, std::string_view profile,
                                      std::span<const NodeOffer> offers,
                                      const NeedOptions& options) {
  return WatchNeedNodes(cluster, profile, offers, options, {});
}

absl::StatusOr<NodesNeeded> WatchNeedNodes(const Cluster& cluster, std::string_view profile,
                                           std::span<const NodeOffer> offers,
                                           const NeedOptions& options,
                                           const std::function<void()>& tried) {
  if (IsLost(ImplOf(cluster))) return LostError();
  if (options.most < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("most is ", options.most, "; must be 1 or more"));
  }
  for (size_t i = 0; i < offers.size(); ++i) {
    if (offers[i].most.value_or(0) < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("offer[", i, "]: most is ", *offers[i].most, "; must be 0 or more"));
    }
    if (std::isfinite(offers[i].price) && offers[i].price >= 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("offer[", i, "]: price is ", offers[i].price, "; must be 0 or more"));
  }
  const absl::StatusOr<ProfileConfig> config =
      ResolveProfile(profile, options.schedule.extensions.get());
  if (!config.ok()) return config.status();
  if (!offers.empty()) {
    return Search(cluster, profile, offers, options, *config, tried).Run();
  }
  const std::vector<NodeOffer> alike = OffersLike(TablesOf(cluster));
  return Search(cluster, profile, alike, options, *config, tried).Run();
}

}  // namespace muster
