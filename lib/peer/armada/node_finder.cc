// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/armada/node_finder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/peer/armada/matching.h"

namespace muster::armada {

NodeFinder::NodeFinder(const Tables& tables, NodeBooks& books, EvictedJobs& evicted,
                       std::vector<JobContext>& contexts)
    : tables_(tables),
      books_(books),
      evicted_(evicted),
      contexts_(contexts),
      bound_(tables.state.bound_priority),
      variants_(tables.state.shapes.size()),
      available_(tables.state.nodes.size() * tables.dimensions),
      visit_(tables.state.nodes.size()) {}

void NodeFinder::Undo(const Mark& mark) {
  books_.Undo(mark.books);
  evicted_.Undo(mark.evicted);
}

void NodeFinder::Bind(int job, int node, int32_t priority) {
  if (tables_.state.options.cross_pool_bucket && tables_.away(job)) priority = kCrossPoolPriority;
  books_.Seat(job, {node, static_cast<uint32_t>(tables_.ReachOf(job, priority)), false});
  bound_[static_cast<size_t>(job)] = priority;
}

absl::StatusOr<bool> NodeFinder::Place(absl::Span<const int> jobs, const ValueFilter& filter,
                                       std::vector<Preemption>* preempted) {
  for (const int job : jobs) {
    contexts_[static_cast<size_t>(job)].reason = Reason::kNone;
    const size_t first = preempted->size();
    const absl::StatusOr<int> node = Select(job, filter, preempted);
    if (!node.ok()) return node.status();
    if (*node < 0) return false;
    Bind(job, *node, contexts_[static_cast<size_t>(job)].attempt.scheduled_at);
    evicted_.Remove(job);
    PreemptSiblings(first, preempted);
  }
  return true;
}

// Gangs are preempted as a whole. The jobs of `preempted` from `first` on have just lost their
// places.
void NodeFinder::PreemptSiblings(size_t first, std::vector<Preemption>* preempted) {
  const size_t last = preempted->size();
  for (size_t i = first; i < last; ++i) {
    const Preemption original = (*preempted)[i];
    if (tables_.gang(original.job) < 0) continue;
    for (const int sibling : tables_.members(tables_.gang(original.job))) {
      if (!evicted_.Has(sibling)) continue;
      books_.Remove(sibling);
      evicted_.Remove(sibling);
      preempted->push_back({sibling, original.preemptor, original.job});
    }
  }
}

absl::StatusOr<int> NodeFinder::Select(int job, const ValueFilter& filter,
                                       std::vector<Preemption>* preempted) {
  JobContext& context = contexts_[static_cast<size_t>(job)];
  if (context.preemptor >= 0) return -1;
  const PriorityClass& own = tables_.priority_class(job);
  Attempt& attempt = context.attempt;
  attempt = {.made = true, .scheduled_at = bound_priority(job).value_or(own.priority)};
  if (context.own_node >= 0) {
    attempt.method = Method::kRescheduled;
    attempt.node = SelectOwn(job);
    if (attempt.node >= 0) attempt.preempted_at = attempt.scheduled_at;
    return attempt.node;
  }
  const Options& options = tables_.state.options;
  for (const int dimension : options.unscheduled) {
    if (tables_.node_requests(job)[dimension] > 0) return -1;
  }
  if (!options.no_home) {
    const absl::StatusOr<int> node =
        SelectAt(job, VariantOf(job, context.tolerated), filter, preempted);
    if (!node.ok() || *node >= 0) return node;
  }
  if (options.no_away || (options.no_gang_away && tables_.gang(job) >= 0)) return -1;
  for (size_t i = 0; i < own.away.size(); ++i) {
    const uint64_t bit = uint64_t{1} << i;
    if (VariantOf(job, bit).added.size() == options.tolerations.size()) continue;
    Variant& variant = VariantOf(job, context.tolerated | bit);
    attempt.scheduled_at = own.away[i].priority;
    const absl::StatusOr<int> node = SelectAt(job, variant, filter, preempted);
    if (!node.ok()) return node;
    if (*node < 0) continue;
    context.tolerated |= bit;
    attempt.away_type = static_cast<int>(i);
    attempt.method = Method::kAway;
    attempt.away = true;
    return node;
  }
  return -1;
}

// An evicted job is not asked whether it still suits its node, and nothing moves it from a node
// that lost resources for a while.
int NodeFinder::SelectOwn(int job) const {
  const JobContext& context = contexts_[static_cast<size_t>(job)];
  const Node& node = tables_.state.nodes[static_cast<size_t>(context.own_node)];
  if (node.unschedulable && node.over_allocated) return context.own_node;
  const int bucket = tables_.BucketOf(context.attempt.scheduled_at);
  if (bucket < 0) {
    const int64_t* requests = tables_.node_requests(job);
    const bool nothing = std::all_of(requests, requests + tables_.dimensions,
                                     [](int64_t amount) { return amount <= 0; });
    return nothing ? context.own_node : -1;
  }
  return Fits(job, books_.free(static_cast<size_t>(bucket), context.own_node)) ? context.own_node
                                                                               : -1;
}

absl::StatusOr<int> NodeFinder::SelectAt(int job, Variant& variant, const ValueFilter& filter,
                                         std::vector<Preemption>* preempted) {
  Attempt& attempt = contexts_[static_cast<size_t>(job)].attempt;
  absl::StatusOr<int> node = Search(job, variant, filter, 0);
  if (!node.ok()) return node;
  if (*node >= 0) {
    attempt.method = Method::kNoPreemption;
    attempt.node = *node;
    attempt.preempted_at = kEvictedPriority;
    return node;
  }
  const int bucket = tables_.BucketOf(attempt.scheduled_at);
  if (bucket < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("buckets: none has the priority ", attempt.scheduled_at));
  }
  node = Search(job, variant, filter, bucket);
  if (!node.ok() || *node < 0) return node;
  if (!tables_.state.options.no_fair_share) {
    const int fair = SelectFair(job, variant, filter, preempted);
    if (fair >= 0) {
      attempt.method = Method::kFairShare;
      attempt.node = fair;
      return fair;
    }
  }
  attempt.preempted_at = kEvictedPriority;
  if (tables_.state.options.no_urgency) return -1;
  return SelectUrgent(job, variant, filter);
}

absl::StatusOr<int> NodeFinder::SelectUrgent(int job, Variant& variant, const ValueFilter& filter) {
  Attempt& attempt = contexts_[static_cast<size_t>(job)].attempt;
  for (size_t b = 1; b < tables_.buckets; ++b) {
    const int32_t priority = tables_.state.buckets[b];
    if (priority > attempt.scheduled_at) break;
    const absl::StatusOr<int> node = Search(job, variant, filter, static_cast<int>(b));
    if (!node.ok()) return node;
    if (*node < 0) continue;
    attempt.method = Method::kUrgency;
    attempt.node = *node;
    attempt.preempted_at = priority;
    return node;
  }
  return -1;
}

bool NodeFinder::Fits(int job, const int64_t* free) const {
  const int64_t* requests = tables_.node_requests(job);
  for (size_t r = 0; r < tables_.dimensions; ++r) {
    if (requests[r] > free[r]) return false;
  }
  return true;
}

NodeFinder::Variant& NodeFinder::VariantOf(int job, uint64_t away_types) {
  const auto shape = static_cast<size_t>(tables_.state.jobs[static_cast<size_t>(job)].shape);
  for (Variant& variant : variants_[shape]) {
    if (variant.away_types == away_types) return variant;
  }
  Variant& variant = variants_[shape].emplace_back();
  variant.away_types = away_types;
  variant.of_node.resize(tables_.state.nodes.size());
  AddTolerations(job, variant);
  const std::vector<NodeType>& types = tables_.state.node_types;
  for (size_t t = 0; t < types.size(); ++t) {
    if (TypeSuits(types[t], tables_.shape(job), variant.added)) {
      variant.types.push_back(static_cast<int>(t));
    }
  }
  return variant;
}

void NodeFinder::AddTolerations(int job, Variant& variant) const {
  variant.added = tables_.state.options.tolerations;
  const std::vector<AwayNodeType>& away = tables_.priority_class(job).away;
  for (size_t i = 0; i < away.size(); ++i) {
    if ((variant.away_types >> i & 1) == 0) continue;
    for (Toleration& toleration :
         AwayTolerations(away[i], tables_.shape(job).requests, tables_.state.resources)) {
      variant.added.push_back(std::move(toleration));
    }
  }
}

bool NodeFinder::Suits(int job, Variant& variant, int node, const ValueFilter& filter) {
  const auto place = static_cast<size_t>(node);
  if (filter.label != nullptr && filter.label->of_node[place] != filter.value) return false;
  int8_t& known = variant.of_node[place];
  if (known == 0) {
    known = NodeSuits(tables_.state.nodes[place], tables_.shape(job), variant.added,
                      tables_.state.resources)
                ? 1
                : -1;
  }
  return known > 0;
}

absl::StatusOr<int> NodeFinder::Search(int job, Variant& variant, const ValueFilter& filter,
                                       int bucket) {
  return SearchTypes(job, variant, filter, books_.index(static_cast<size_t>(bucket)));
}

// Goes through the nodes of all types that may suit: always to the one with the least free among
// the next nodes of each type.
absl::StatusOr<int> NodeFinder::SearchTypes(int job, Variant& variant, const ValueFilter& filter,
                                            const NodeIndex& index) {
  const auto later = [&](const Head& a, const Head& b) {
    for (const IndexedResource& indexed : tables_.state.indexed) {
      const int64_t of_a = index.free(a.node)[indexed.dimension];
      const int64_t of_b = index.free(b.node)[indexed.dimension];
      if (of_a != of_b) return of_a > of_b;
    }
    return tables_.node_rank(a.node) > tables_.node_rank(b.node);
  };
  heads_.clear();
  bool loops = false;
  const auto advance = [&](size_t cursor) {
    const int node = cursors_[cursor].Next();
    loops = loops || node == TypeCursor::kLoop;
    if (node < 0) return;
    heads_.push_back({node, cursor});
    std::ranges::push_heap(heads_, later);
  };
  size_t used = 0;
  for (const int type : variant.types) {
    if (filter.label != nullptr) {
      const int value = filter.label->of_type[static_cast<size_t>(type)];
      if (value != filter.value && value != -2) continue;
    }
    if (used == cursors_.size()) cursors_.emplace_back();
    cursors_[used].Start(index, type, tables_.node_requests(job));
    advance(used++);
  }
  while (!loops && !heads_.empty()) {
    std::ranges::pop_heap(heads_, later);
    const Head head = heads_.back();
    heads_.pop_back();
    // The peer advances first; only its error could show that.
    if (Suits(job, variant, head.node, filter) && Fits(job, index.free(head.node))) {
      return head.node;
    }
    advance(head.cursor);
  }
  if (loops) return absl::FailedPreconditionError("nodes: amounts below a resolution are negative");
  return -1;
}

// Goes through the evicted jobs from the one that would come back last, and counts their places as
// free, until a node has enough.
int NodeFinder::SelectFair(int job, Variant& variant, const ValueFilter& filter,
                           std::vector<Preemption>* preempted) {
  const int32_t priority = contexts_[static_cast<size_t>(job)].attempt.scheduled_at;
  const std::vector<int>& order = evicted_.order();
  ++walk_;
  for (size_t i = order.size(); i-- > 0;) {
    const int victim = order[i];
    if (!evicted_.Has(victim) || bound_priority(victim).value_or(0) > priority) continue;
    const int node = contexts_[static_cast<size_t>(victim)].own_node;
    int& visit = visit_[static_cast<size_t>(node)];
    if (visit == -walk_) continue;
    int64_t* available = available_.data() + static_cast<size_t>(node) * tables_.dimensions;
    if (visit != walk_) {
      visit = walk_;
      std::copy_n(books_.free(0, node), tables_.dimensions, available);
    }
    const int64_t* given = tables_.node_requests(victim);
    for (size_t r = 0; r < tables_.dimensions; ++r) available[r] += given[r];
    if (!Fits(job, available)) continue;
    if (!Suits(job, variant, node, filter)) {
      visit = -walk_;
      continue;
    }
    TakePlaces(job, node, static_cast<int>(i), preempted);
    return node;
  }
  return -1;
}

// Preempts the evicted jobs of the node from the place `last` on, even those that the job could do
// without.
void NodeFinder::TakePlaces(int job, int node, int last, std::vector<Preemption>* preempted) {
  Attempt& attempt = contexts_[static_cast<size_t>(job)].attempt;
  std::vector<int> victims;
  for (const int victim : books_.jobs_on(node)) {
    if (evicted_.place(victim) < last) continue;
    const int32_t priority = bound_priority(victim).value_or(0);
    if (priority > attempt.scheduled_at) continue;
    attempt.preempted_at = std::max(attempt.preempted_at, priority);
    victims.push_back(victim);
  }
  std::ranges::sort(victims, [&](int a, int b) { return evicted_.place(a) > evicted_.place(b); });
  for (const int victim : victims) {
    books_.Remove(victim);
    evicted_.Remove(victim);
    preempted->push_back({victim, job, -1});
  }
}

}  // namespace muster::armada
