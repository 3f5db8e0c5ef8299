// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/tables.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/hash_map.h"
#include "lib/peer/armada/matching.h"

namespace muster::armada {
namespace {

// The price of running jobs that nothing may preempt.
constexpr double kFixedPrice = 1'000'000;

absl::Status Misfit(const char* list, size_t place, const char* what) {
  return absl::InvalidArgumentError(absl::StrCat(list, "[", place, "]: ", what));
}

template <class List>
bool Within(int place, const List& list) {
  return place >= 0 && static_cast<size_t>(place) < list.size();
}

bool Fits(const Amounts& amounts, size_t size) { return amounts.empty() || amounts.size() == size; }

// The places of a list in the order of a key.
template <class List, class Key>
std::vector<size_t> OrderBy(const List& list, const Key& key) {
  std::vector<size_t> order(list.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Names of rows often ascend already.
  if (!std::ranges::is_sorted(list, {}, key)) {
    std::ranges::sort(order, {}, [&](size_t i) { return key(list[i]); });
  }
  return order;
}

template <class List, class Key>
std::vector<int> RanksBy(const List& list, const Key& key) {
  const std::vector<size_t> order = OrderBy(list, key);
  std::vector<int> ranks(list.size());
  for (size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<int>(i);
  return ranks;
}

absl::Status CheckPool(const State& state) {
  const size_t size = state.resources.size();
  if (state.total.size() != size || state.multipliers.size() != size ||
      state.allocated.size() != size || !Fits(state.round_limit, size) ||
      (state.floating_limits && state.floating_limits->size() != size) ||
      !Fits(state.options.optimiser.most_resources, size) ||
      !Fits(state.options.optimiser.smallest, size) ||
      !Fits(state.options.optimiser.largest, size)) {
    return absl::InvalidArgumentError("pool: amounts must have one entry for each resource");
  }
  if (state.indexed.empty()) {
    return absl::InvalidArgumentError("indexed: at least one resource must be indexed");
  }
  for (size_t i = 0; i < state.indexed.size(); ++i) {
    if (!Within(state.indexed[i].dimension, state.resources) || state.indexed[i].resolution <= 0) {
      return Misfit("indexed", i, "needs a dimension and a resolution above 0");
    }
  }
  for (const int dimension : state.options.unscheduled) {
    if (!Within(dimension, state.resources)) {
      return absl::InvalidArgumentError("options.unscheduled: no such resource");
    }
  }
  if (state.buckets.empty() || state.buckets[0] != kEvictedPriority ||
      !std::ranges::is_sorted(state.buckets, std::less_equal<>())) {
    return absl::InvalidArgumentError("buckets: must ascend from the priority of evicted jobs");
  }
  return absl::OkStatus();
}

absl::Status CheckQueues(const State& state) {
  const size_t size = state.resources.size();
  HashSet<std::string> names;
  for (size_t i = 0; i < state.queues.size(); ++i) {
    const Queue& queue = state.queues[i];
    bool fits = queue.constrained_demand.size() == size && queue.penalty.size() == size &&
                queue.allocated.size() == state.classes.size() &&
                queue.limits.size() == state.classes.size();
    for (const Amounts& amounts : queue.allocated) fits = fits && amounts.size() == size;
    for (const Amounts& amounts : queue.limits) fits = fits && Fits(amounts, size);
    if (!fits) return Misfit("queues", i, "amounts must fit classes and resources");
    if (!names.insert(queue.name).second) return Misfit("queues", i, "the name is taken");
  }
  for (size_t i = 0; i < state.shapes.size(); ++i) {
    const Shape& shape = state.shapes[i];
    if (shape.requests.size() != size || !Within(shape.priority_class, state.classes)) {
      return Misfit("shapes", i, "needs a class and an amount of each resource");
    }
    for (const AwayNodeType& away : state.classes[static_cast<size_t>(shape.priority_class)].away) {
      for (const ConditionalTaints& other : away.others) {
        for (const Condition& condition : other.conditions) {
          if (condition.dimension >= 0 && !Within(condition.dimension, state.resources)) {
            return Misfit("shapes", i, "a condition of its class names no resource");
          }
        }
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckClasses(const State& state) {
  for (size_t i = 0; i < state.classes.size(); ++i) {
    if (state.classes[i].away.size() > Tables::kMostAwayTypes) {
      return Misfit("classes", i, "has more than 64 away node types");
    }
  }
  return absl::OkStatus();
}

// Returns whether each row has an id of its own, by a look at neighbors alone.
template <class List>
bool IdsAscend(const List& list) {
  return std::ranges::is_sorted(list, std::ranges::less_equal(),
                                [](const auto& row) -> const std::string& { return row.id; });
}

absl::Status CheckJobRanks(const State& state) {
  std::vector<bool> taken(state.jobs.size());
  for (const int rank : state.job_ranks) {
    if (!Within(rank, state.jobs) || taken[static_cast<size_t>(rank)]) {
      return absl::InvalidArgumentError("job_ranks: needs each place once");
    }
    taken[static_cast<size_t>(rank)] = true;
  }
  if (state.job_ranks.size() == state.jobs.size()) return absl::OkStatus();
  return absl::InvalidArgumentError("job_ranks: needs one entry for each job");
}

absl::Status CheckJobs(const State& state) {
  HashSet<std::string> ids;
  if (!state.job_ranks.empty()) {
    if (absl::Status status = CheckJobRanks(state); !status.ok()) return status;
  }
  const bool distinct = !state.job_ranks.empty() || IdsAscend(state.jobs);
  for (size_t i = 0; i < state.jobs.size(); ++i) {
    const Job& job = state.jobs[i];
    if (!Within(job.queue, state.queue_names) || !Within(job.shape, state.shapes) ||
        (job.gang != -1 && !Within(job.gang, state.gangs)) ||
        (job.run && job.run->node != -1 && !Within(job.run->node, state.nodes))) {
      return Misfit("jobs", i, "names a queue, shape, gang or node that is not there");
    }
    if (!distinct && !ids.insert(job.id).second) return Misfit("jobs", i, "the id is taken");
  }
  if (state.bound_priority.size() != state.jobs.size()) {
    return absl::InvalidArgumentError("bound_priority: needs one entry for each job");
  }
  return absl::OkStatus();
}

absl::Status CheckNodes(const State& state) {
  const size_t size = state.resources.size();
  HashSet<std::string> ids;
  const bool distinct = IdsAscend(state.nodes);
  std::vector<bool> held(state.jobs.size());
  for (size_t i = 0; i < state.nodes.size(); ++i) {
    const Node& node = state.nodes[i];
    if (!distinct && !ids.insert(node.id).second) return Misfit("nodes", i, "the id is taken");
    bool fits = node.total.size() == size && node.free.size() == state.buckets.size();
    for (const Amounts& amounts : node.free) fits = fits && amounts.size() == size;
    if (!fits || !Within(node.type, state.node_types)) {
      return Misfit("nodes", i, "needs a type and the amounts of each bucket");
    }
    for (const Holding& holding : node.jobs) {
      if (!Within(holding.job, state.jobs)) return Misfit("nodes", i, "holds an unknown job");
      if (held[static_cast<size_t>(holding.job)]) return Misfit("nodes", i, "a job is held twice");
      held[static_cast<size_t>(holding.job)] = true;
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string IdOf(const State& state, size_t job) {
  if (state.job_ranks.empty()) return state.jobs[job].id;
  return absl::StrFormat("%08x", state.job_ranks[job]);
}

absl::Status Tables::Check(const State& state) {
  for (const auto check : {CheckPool, CheckClasses, CheckQueues, CheckJobs, CheckNodes}) {
    if (absl::Status status = check(state); !status.ok()) return status;
  }
  return absl::OkStatus();
}

Tables::Tables(const State& s) : state(s) {
  dimensions = state.resources.size();
  buckets = state.buckets.size();
  classes = state.classes.size();
  order = OrderBy(state.queues, [](const Queue& q) -> const std::string& { return q.name; });
  SetPenalties();
  node_rank_ = RanksBy(state.nodes, [](const Node& n) -> const std::string& { return n.id; });
  job_rank_ = state.job_ranks;
  if (job_rank_.empty()) {
    job_rank_ = RanksBy(state.jobs, [](const Job& j) -> const std::string& { return j.id; });
  }
  FillShapes();
  FillContexts();
  FillJobs();
  FillLabels();
}

void Tables::SetPenalties() {
  penalties_.clear();
  for (const size_t place : order) {
    const Amounts& penalty = state.queues[place].penalty;
    penalties_.insert(penalties_.end(), penalty.begin(), penalty.end());
  }
}

void Tables::AddRows() {
  FillShapes();
  members_.resize(state.gangs.size());
}

void Tables::SetJob(int j) {
  const auto place = static_cast<size_t>(j);
  if (place == gang_.size()) {
    gang_.push_back(-1);
    away_.push_back(false);
    context_.push_back(-1);
    job_rank_.push_back(state.job_ranks[place]);
  }
  const auto before = [this](int member) { return job_rank(member); };
  if (gang_[place] >= 0) std::erase(members_[static_cast<size_t>(gang_[place])], j);
  const Job& job = state.jobs[place];
  away_[place] = !job.queued && job.run && job.run->away;
  const auto queue = static_cast<size_t>(job.queue);
  context_[place] = away_[place] ? away_contexts_[queue] : home_[queue];
  gang_[place] = GangOf(job);
  if (gang_[place] < 0) return;
  std::vector<int>& members = members_[static_cast<size_t>(job.gang)];
  members.insert(std::ranges::upper_bound(members, job_rank(j), {}, before), j);
}

int Tables::GangOf(const Job& job) const {
  const bool together =
      job.gang != -1 && state.gangs[static_cast<size_t>(job.gang)].cardinality > 1;
  return together ? job.gang : -1;
}

// Those that are not there yet.
void Tables::FillShapes() {
  for (size_t s = class_.size(); s < state.shapes.size(); ++s) {
    const Shape& shape = state.shapes[s];
    bool floating = false;
    for (size_t r = 0; r < dimensions; ++r) {
      all_.push_back(shape.requests[r]);
      held_.push_back(state.resources[r].floating ? 0 : shape.requests[r]);
      floating = floating || (state.resources[r].floating && shape.requests[r] != 0);
    }
    floating_.push_back(floating);
    class_.push_back(shape.priority_class);
  }
}

void Tables::FillContexts() {
  HashMap<std::string, int> contexts;
  for (size_t c = 0; c < order.size(); ++c) {
    contexts.try_emplace(state.queues[order[c]].name, static_cast<int>(c));
  }
  const auto context_named = [&](const std::string& name) {
    const auto found = contexts.find(name);
    return found == contexts.end() ? -1 : found->second;
  };
  for (const std::string& name : state.queue_names) {
    home_.push_back(context_named(name));
    away_contexts_.push_back(context_named(absl::StrCat(name, "-away")));
  }
}

void Tables::FillJobs() {
  members_.resize(state.gangs.size());
  away_.reserve(state.jobs.size());
  context_.reserve(state.jobs.size());
  gang_.reserve(state.jobs.size());
  for (size_t j = 0; j < state.jobs.size(); ++j) {
    const Job& job = state.jobs[j];
    away_.push_back(!job.queued && job.run && job.run->away);
    const auto queue = static_cast<size_t>(job.queue);
    context_.push_back(away_.back() ? away_contexts_[queue] : home_[queue]);
    gang_.push_back(GangOf(job));
    if (gang_.back() >= 0) members_[static_cast<size_t>(job.gang)].push_back(static_cast<int>(j));
  }
  for (std::vector<int>& members : members_) {
    std::ranges::sort(members, {}, [&](int job) { return job_rank(job); });
  }
}

void Tables::FillLabels() {
  for (const std::string& key : state.indexed_labels) {
    LabelValues label;
    for (const Node& node : state.nodes) {
      if (const std::string* value = FindLabel(node.labels, key)) label.values.push_back(*value);
    }
    std::ranges::sort(label.values);
    label.values.erase(std::unique(label.values.begin(), label.values.end()), label.values.end());
    const auto place_of = [&](const std::string* value) {
      if (value == nullptr) return -1;
      const auto found = std::ranges::lower_bound(label.values, *value);
      if (found == label.values.end() || *found != *value) return -1;
      return static_cast<int>(found - label.values.begin());
    };
    for (const Node& node : state.nodes) {
      label.of_node.push_back(place_of(FindLabel(node.labels, key)));
    }
    for (const NodeType& type : state.node_types) {
      const std::string* value = FindLabel(type.labels, key);
      const bool unset = std::ranges::find(type.unset, key) != type.unset.end();
      label.of_type.push_back(value == nullptr && !unset ? -2 : place_of(value));
    }
    labels_.push_back(std::move(label));
  }
}

int Tables::BucketOf(int32_t priority) const {
  const auto found = std::ranges::lower_bound(state.buckets, priority);
  if (found == state.buckets.end() || *found != priority) return -1;
  return static_cast<int>(found - state.buckets.begin());
}

size_t Tables::ReachOfCutoff(int32_t cutoff) const {
  return static_cast<size_t>(std::ranges::upper_bound(state.buckets, cutoff) -
                             state.buckets.begin());
}

size_t Tables::ReachOf(int job, int32_t priority) const {
  return priority_class(job).preemptible ? ReachOfCutoff(priority) : buckets;
}

double Tables::BidOf(int job) const {
  const Job& own = state.jobs[static_cast<size_t>(job)];
  if (own.queued) return own.queued_bid;
  return priority_class(job).preemptible ? own.running_bid : kFixedPrice;
}

const LabelValues* Tables::FindValues(const std::string& label) const {
  const auto found = std::ranges::find(state.indexed_labels, label);
  if (found == state.indexed_labels.end()) return nullptr;
  return &labels_[static_cast<size_t>(found - state.indexed_labels.begin())];
}

}  // namespace muster::armada
