// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/class_board.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "lib/peer/kube_scheduler/class_state.h"
#include "lib/peer/kube_scheduler/resource_scores.h"

namespace muster::kube {
namespace {

// Fewer nodes of a state than that, and a class that comes back does better with a tree.
constexpr size_t kNodesOfState = 4;

// Returns whether place a of a heap is visited before place b, from the root down, left first.
bool IsVisitedFirst(size_t a, size_t b) {
  size_t x = a + 1, y = b + 1;  // children of x are 2x and 2x + 1
  const int deeper = std::bit_width(x) - std::bit_width(y);
  if (deeper > 0) return (x >> deeper) < y;
  return x <= (y >> -deeper);
}

}  // namespace

bool ClassBoard::Serves(const World& world, ClassIndex c, const ClassState& state) {
  const TaskShape& shape = world.classes().shape(c);
  const auto has_image = [](const ContainerSpec& container) { return !container.image.empty(); };
  return !state.names_nodes && shape.host_ports.empty() && state.nodes->untolerated.empty() &&
         state.nodes->preferred.empty() &&
         !(world.has_images() &&
           std::any_of(shape.containers.begin(), shape.containers.end(), has_image));
}

ClassBoard::ClassBoard(World& world, const Settings& settings, ClassIndex c, ClassState* state)
    : world_(world), settings_(settings), pod_(world.classes().at(c)), state_(*state) {}

void ClassBoard::Build() {
  if (built_) return;
  built_ = true;
  position_ = world_.journal().size();
  const std::vector<uint32_t>& states = world_.StatesInOrder();
  std::vector<int64_t> of_state(world_.states(), kUnknown);
  score_.reserve(states.size());
  for (Place p = 0; p < states.size(); ++p) {
    const NodeIndex n = world_.order()[p];
    int64_t& score = of_state[states[p]];
    if (score == kUnknown) score = ScoreOfState(states[p]);
    score_.push_back(state_.nodes->answer[n] == NodeAnswer::kFits ? score : kUnfit);
  }
}

NodeIndex ClassBoard::ChooseAmongStates(uint64_t start) {
  const size_t nodes = world_.order().size();
  NodesByState& by_state = world_.nodes_by_state();
  by_state.Follow(start % nodes);
  if (by_state.states().size() > nodes / kNodesOfState) return kNone;
  if (epoch_ != world_.epoch()) of_state_.clear();
  epoch_ = world_.epoch();
  of_state_.resize(world_.states(), kUnknown);
  int64_t best_score = kUnfit;
  uint32_t best = kNone, best_visit = kNone;
  for (const uint32_t state : by_state.states()) {
    int64_t& score = of_state_[state];
    if (score == kUnknown) score = ScoreOfState(state);
    if (score == kUnfit) return kNone;
    if (score < best_score) continue;
    const uint32_t visit = by_state.VisitOf(state);
    if (score == best_score && visit > best_visit) continue;
    best_score = score;
    best = state;
    best_visit = visit;
  }
  return best == kNone ? kNone : by_state.First(best);
}

// As Build and ChooseByScan.
NodeIndex ClassBoard::ChooseByState(uint64_t* start, size_t wanted) const {
  const std::vector<uint32_t>& states = world_.StatesInOrder();
  const std::vector<uint32_t>& visits = world_.HeapVisits();
  std::vector<int64_t> of_state(world_.states(), kUnknown);
  const bool all_fit = state_.nodes->all_fit;
  const size_t nodes = states.size();
  size_t examined = 0, found = 0;
  uint32_t best_visit = 0;
  int64_t best_score = kUnfit;
  Place p = static_cast<Place>(*start % nodes), best_place = 0;
  for (; examined < nodes; ++examined, p = p + 1 == nodes ? 0 : p + 1) {
    int64_t& score = of_state[states[p]];
    if (score == kUnknown) score = ScoreOfState(states[p]);
    if (score == kUnfit) continue;
    if (!all_fit && state_.nodes->answer[world_.order()[p]] != NodeAnswer::kFits) continue;
    if (found == wanted) break;  // one beyond those to be found ends the search
    if (score > best_score || (score == best_score && visits[found] < best_visit)) {
      best_score = score;
      best_visit = visits[found];
      best_place = p;
    }
    ++found;
  }
  if (found == 0) return kNone;
  *start = (*start + examined) % nodes;
  return world_.order()[best_place];
}

template <class Amounts>
int64_t ClassBoard::ScoreOf(const Amounts& amounts, int64_t* evenness) const {
  if (state_.checks_fit && amounts.pods() + 1 > amounts.allocatable(kPods)) return kUnfit;
  for (const DimensionIndex d : state_.requested) {
    if (pod_.request[d] > amounts.allocatable(d) - amounts.requested(d)) return kUnfit;
  }
  const auto weight = [&](Plugin plugin) { return settings_.weights[static_cast<int>(plugin)]; };
  const int64_t fit = weight(Plugin::kNodeResourcesFit) * FitScoreOf(settings_, state_, amounts);
  if (!state_.scores_balance) return fit;
  return fit + weight(Plugin::kBalancedAllocation) * BalancedScoreOf(state_, amounts, evenness);
}

int64_t ClassBoard::ScoreOfNode(NodeIndex n) const {
  return ScoreOf(NodeAmounts{world_, n, world_.books(n)}, nullptr);
}

int64_t ClassBoard::ScoreOfState(uint32_t state) const {
  return ScoreOf(world_.AmountsOf(state), &world_.evenness_of(state));
}

void ClassBoard::Follow() {
  const std::vector<WorldChange>& journal = world_.journal();
  for (; position_ < journal.size(); ++position_) {
    const WorldChange& change = journal[position_];
    const Place p = world_.place_of(change.node);
    if (change.pods == 0 || p == kNone) continue;
    if (state_.nodes->answer[change.node] != NodeAnswer::kFits) continue;
    const int64_t before = score_[p];
    score_[p] = ScoreOfNode(change.node);
    if ((score_[p] == kUnfit) != (before == kUnfit)) {
      tree_valid_ = false;
    } else if (tree_valid_ && score_[p] != before) {
      Repair(entry_of_[p]);
    }
  }
}

NodeIndex ClassBoard::ChooseByScan(uint64_t* start, size_t wanted) const {
  const size_t nodes = score_.size();
  size_t examined = 0, found = 0, best = 0;
  int64_t best_score = kUnfit;
  Place p = static_cast<Place>(*start % nodes), best_place = 0;
  for (; examined < nodes; ++examined, p = p + 1 == nodes ? 0 : p + 1) {
    const int64_t score = score_[p];
    if (score == kUnfit || (!refused_.empty() && refused_[p] != 0)) continue;
    if (found == wanted) break;  // one beyond those to be found ends the search
    if (score > best_score || (score == best_score && IsVisitedFirst(found, best))) {
      best_score = score;
      best = found;
      best_place = p;
    }
    ++found;
  }
  if (found == 0) return kNone;
  *start = (*start + examined) % nodes;
  return world_.order()[best_place];
}

void ClassBoard::AddScoresOfPods() {
  const auto add = [&](Plugin plugin, const std::vector<int64_t>& scores) {
    const int64_t weight = settings_.weights[static_cast<int>(plugin)];
    for (size_t i = 0; i < totals_.size(); ++i) totals_[i] += weight * scores[i];
  };
  if (!state_.spread_scores.skips()) {
    state_.spread_scores.Score(feasible_);
    add(Plugin::kPodTopologySpread, state_.spread_scores.Scaled());
  }
  if (state_.affinity_scores.skips()) return;
  std::vector<int64_t> raw;
  raw.reserve(feasible_.size());
  for (const NodeIndex n : feasible_) raw.push_back(state_.affinity_scores.Raw(n));
  add(Plugin::kInterPodAffinity, AffinityScores::Scaled(raw));
}

NodeIndex ClassBoard::ChooseAmongPods(uint64_t* start, size_t wanted) {
  const size_t nodes = score_.size();
  const SpreadState::Limits limits = state_.spread.LimitsNow();
  const std::vector<NodeIndex>& order = world_.order();
  feasible_.clear();
  totals_.clear();
  size_t examined = 0;
  Place p = static_cast<Place>(*start % nodes);
  for (; examined < nodes; ++examined, p = p + 1 == nodes ? 0 : p + 1) {
    if (score_[p] == kUnfit || (!refused_.empty() && refused_[p] != 0)) continue;
    const NodeIndex n = order[p];
    if (!limits.Fits(n)) continue;
    if (feasible_.size() == wanted) break;
    feasible_.push_back(n);
    totals_.push_back(score_[p]);
  }
  if (feasible_.empty()) return kNone;
  *start = (*start + examined) % nodes;
  AddScoresOfPods();
  const std::vector<uint32_t>& visits = world_.HeapVisits();
  size_t best = 0;
  for (size_t i = 1; i < totals_.size(); ++i) {
    if (totals_[i] < totals_[best]) continue;
    if (totals_[i] > totals_[best] || visits[i] < visits[best]) best = i;
  }
  return feasible_[best];
}

uint32_t ClassBoard::WinnerAt(uint32_t i) const {
  const uint32_t left = 2 * i + 1, right = left + 1;
  if (left >= entries_.size()) return i;
  const auto score = [&](uint32_t entry) { return score_[entries_[entry]]; };
  uint32_t child = winner_[left];
  if (right < entries_.size() && score(winner_[right]) > score(child)) child = winner_[right];
  return score(child) > score(i) ? child : i;
}

void ClassBoard::BuildTree(uint64_t start) {
  const size_t nodes = score_.size();
  entry_of_.resize(nodes);
  entries_.clear();
  Place p = static_cast<Place>(start % nodes);
  for (size_t i = 0; i < nodes; ++i, p = p + 1 == nodes ? 0 : p + 1) {
    if (score_[p] == kUnfit) continue;
    entry_of_[p] = static_cast<uint32_t>(entries_.size());
    entries_.push_back(p);
  }
  winner_.resize(entries_.size());
  for (uint32_t i = static_cast<uint32_t>(entries_.size()); i-- > 0;) winner_[i] = WinnerAt(i);
  tree_valid_ = true;
  tree_start_ = start;
}

void ClassBoard::Repair(uint32_t i) {
  while (true) {
    winner_[i] = WinnerAt(i);
    if (i == 0) return;
    i = (i - 1) / 2;
  }
}

NodeIndex ClassBoard::Choose(uint64_t* start, size_t wanted) {
  world_.ForgetOldStates();
  const bool is_refused = !state_.affinity.skips();
  const bool among_pods =
      !state_.spread.skips() || !state_.spread_scores.skips() || !state_.affinity_scores.skips();
  const bool alone = !is_refused && !among_pods;
  if (alone && state_.nodes->all_fit && wanted >= world_.order().size()) {
    const NodeIndex chosen = ChooseAmongStates(*start);
    if (chosen != kNone) {
      *start %= world_.order().size();
      return chosen;
    }
  }
  refused_.clear();
  if (!std::exchange(asked_, true) && alone) return ChooseByState(start, wanted);
  Build();
  Follow();
  if (is_refused) {
    refused_.resize(score_.size());
    state_.affinity.MarkRefused(world_.order(), &refused_);
  }
  if (among_pods) return ChooseAmongPods(start, wanted);
  if (is_refused) return ChooseByScan(start, wanted);
  const bool scanned = std::exchange(scanned_, true);
  if (wanted < score_.size() || !scanned) return ChooseByScan(start, wanted);
  if (!tree_valid_ || tree_start_ != *start) BuildTree(*start);
  if (entries_.empty()) return kNone;
  *start %= score_.size();
  return world_.order()[entries_[winner_[0]]];
}

}  // namespace muster::kube
