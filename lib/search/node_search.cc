// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/search/node_search.h"

#include <algorithm>

namespace muster {
namespace {

// Returns whether a policy that filters or scores nodes has the trait.
bool AnyHas(const Dispatcher& dispatcher, bool Traits::*trait) {
  for (Point point : {Point::kFit, Point::kScore}) {
    for (const PolicyEntry* entry : dispatcher.at(point)) {
      if (entry->traits.*trait) return true;
    }
  }
  return false;
}

// Makes what the first question about nodes needs. A profile that decides on a world of its own
// asks none, and does not wait for it.
void Make(const Ledger& ledger, const Dispatcher& dispatcher, const SearchRules& rules,
          const SpeedOptions& speed, std::unique_ptr<NodeKinds>* kinds,
          std::unique_ptr<NodeStates>* states) {
  *kinds = std::make_unique<NodeKinds>(ledger, dispatcher);
  *states = std::make_unique<NodeStates>(
      ledger, **kinds, speed.share_equal_states && !AnyHas(dispatcher, &Traits::tells_nodes_apart),
      rules.overfull_nodes_are_out ? rules.slack : std::vector<int64_t>());
}

}  // namespace

NodeSearch::NodeSearch(const Ledger& ledger, const Dispatcher& dispatcher, SearchRules rules,
                       const SpeedOptions& speed)
    : ledger_(ledger),
      dispatcher_(dispatcher),
      rules_(std::move(rules)),
      speed_(speed),
      apart_(AnyHas(dispatcher, &Traits::tells_nodes_apart)) {}

void NodeSearch::BeginCycle() {
  ++cycle_;
  if (apart_ || AnyHas(dispatcher_, &Traits::states_changed)) changed_in_ = cycle_;
  ranks_.clear();
  for (const PolicyEntry* entry : dispatcher_.at(Point::kScore)) {
    if (!entry->traits.ranks_nodes || ranks()) continue;
    for (NodeIndex n = 0; n < ledger_.tables().nodes.alive.size(); ++n) {
      ranks_.push_back(entry->score->RankOf(n));
    }
  }
  sampler_ = nullptr;
  for (const PolicyEntry* entry : dispatcher_.at(Point::kFit)) {
    if (sampler_ == nullptr && entry->traits.samples_nodes) sampler_ = entry->fit;
  }
  next_ = sampler_ == nullptr ? 0 : sampler_->FirstPlace();
}

void NodeSearch::SetPlace(size_t place) {
  next_ = place;
  if (sampler_ != nullptr) sampler_->SetNextPlace(place);
}

std::vector<NodeIndex> NodeSearch::Sample(ClassIndex c, Want want,
                                          const std::vector<uint8_t>* absent,
                                          const std::vector<uint8_t>* refused,
                                          std::vector<uint8_t>* examined) {
  const ClassNeeds& needs = SyncedNeeds(c);
  const size_t nodes = ledger_.tables().nodes.alive.size();
  std::vector<uint8_t> fits(nodes, 0);
  for (const Ranked& r : ScanNodes(c, needs, want, want == Want::kEvicting, kNone)) {
    fits[r.node] = 1;
  }
  if (want == Want::kNow) {
    for (const Ranked& r : ScanNodes(c, needs, Want::kLater, false, kNone)) fits[r.node] = 1;
  }
  std::vector<NodeIndex> list, sample;
  for (NodeIndex n = 0; n < nodes; ++n) {
    if (states_->state(n) != kNone && (absent == nullptr || !(*absent)[n])) list.push_back(n);
  }
  if (examined != nullptr) examined->assign(nodes, 0);
  if (list.empty()) return sample;
  const size_t wanted = sampler_->NodesToFind(list.size());
  size_t looked_at = 0;
  // Counts as the peer does: the search ends when it meets one fitting node more than it needs.
  for (bool enough = false; looked_at < list.size() && !enough; ++looked_at) {
    const NodeIndex node = list[(next_ + looked_at) % list.size()];
    if (examined != nullptr) (*examined)[node] = 1;
    if (!fits[node] || (refused != nullptr && (*refused)[node])) continue;
    enough = sample.size() == wanted;
    if (!enough) sample.push_back(node);
  }
  SetPlace((next_ + looked_at) % list.size());
  std::stable_sort(sample.begin(), sample.end(),
                   [&](NodeIndex a, NodeIndex b) { return rank(a) < rank(b); });
  return sample;
}

ClassNeeds& NodeSearch::Needs(ClassIndex c) {
  if (c >= needs_.size()) {
    const size_t classes = ledger_.tables().classes.shape.size();
    needs_.resize(classes);
    failures_.resize(classes);
    boards_.resize(classes * kWants);
    use_order_.resize(classes * kWants, {kNoBoard, kNoBoard});
  }
  ClassNeeds& needs = needs_[c];
  if (!needs.ready) {
    if (states_ == nullptr) Make(ledger_, dispatcher_, rules_, speed_, &kinds_, &states_);
    needs.ready = true;
    needs.row = kinds_->Ensure(c);
    const auto request = ledger_.tables().classes.initial_request.row(c);
    for (DimensionIndex d = 0; d < request.size(); ++d) {
      if (d == kPods && !rules_.pods_are_a_resource) continue;
      // cpu, memory and pods are always compared; other dimensions only if requested. Where there
      // is a slack, the least amount that it does not cover counts as nothing, too.
      if (d > kPods && request[d] <= rules_.slack[d] + (rules_.slack[d] > 0)) continue;
      needs.compared.push_back(d);
      needs.amount.push_back(static_cast<double>(request[d]));
      needs.slack.push_back(static_cast<double>(rules_.slack[d]));
    }
  }
  if (needs.cycle != cycle_) AskScopes(c, &needs);
  return needs;
}

ClassNeeds& NodeSearch::SyncedNeeds(ClassIndex c) {
  ClassNeeds& needs = Needs(c);
  states_->Sync();
  return needs;
}

void NodeSearch::AskScopes(ClassIndex c, ClassNeeds* needs) {
  const bool first = needs->cycle == 0, kept = needs->cycle >= changed_in_;
  needs->cycle = cycle_;
  bool fit = false, score = false, reads_free = false;
  needs->fit_policies.clear();
  needs->score_policies.clear();
  needs->pick_policies.clear();
  for (const PolicyEntry* entry : dispatcher_.at(Point::kFit)) {
    if (entry->fit->Picks(c)) needs->pick_policies.push_back(entry->fit);
  }
  for (const PolicyEntry* entry : dispatcher_.at(Point::kFit)) {
    const Scope scope = entry->fit->FitScope(c);
    fit |= scope == Scope::kCluster;
    if (scope >= Scope::kState) needs->fit_policies.push_back(entry);
    reads_free |= scope >= Scope::kState && entry->traits.reads_free;
  }
  for (const PolicyEntry* entry : dispatcher_.at(Point::kScore)) {
    const Scope scope = entry->score->ScoreScope(c);
    score |= scope == Scope::kCluster;
    if (scope >= Scope::kState) needs->score_policies.push_back(entry);
    reads_free |= scope >= Scope::kState && entry->traits.reads_free;
  }
  needs->reads_free = reads_free;
  AskAnswers(c, needs);
  // Answers of scope kCluster hold within a cycle, and so do failures by them.
  if (fit) {
    for (Failure& failure : failures_[c]) failure.valid = false;
  }
  if (!first && kept && fit == needs->cluster_fit && score == needs->cluster_score) return;
  needs->cluster_fit = fit;
  needs->cluster_score = score;
  needs->uniform = !fit && !score && kinds_->uniform(needs->row);
  needs->constant = 0;
  for (int want = 0; want < kWants; ++want) {
    const size_t index = c * kWants + want;
    if (boards_[index] != nullptr) boards_[index]->Retarget(c, static_cast<Want>(want));
  }
  for (Failure& failure : failures_[c]) failure.valid = false;
  if (!needs->uniform) return;
  for (KindIndex kind = 0; kind < kinds_->size(); ++kind) {
    if (!kinds_->alive(kind) || !kinds_->fits(needs->row, kind)) continue;
    for (size_t k = 0; k < kinds_->scores().size(); ++k) {
      const int64_t raw = kinds_->raw(needs->row, k, kind);
      needs->constant += Normalized(kinds_->scores()[k], raw, std::max<int64_t>(raw, 0));
    }
    return;
  }
}

void NodeSearch::Unlink(size_t board) {
  const Neighbors at = use_order_[board];
  (at.older == kNoBoard ? oldest_ : use_order_[at.older].newer) = at.newer;
  (at.newer == kNoBoard ? newest_ : use_order_[at.newer].older) = at.older;
}

void NodeSearch::MarkUsed(size_t board) {
  use_order_[board] = {newest_, kNoBoard};
  (newest_ == kNoBoard ? oldest_ : use_order_[newest_].newer) = board;
  newest_ = board;
}

Scoreboard& NodeSearch::Board(ClassIndex c, Want want) {
  const size_t index = c * kWants + static_cast<size_t>(want);
  if (boards_[index] != nullptr) {
    if (newest_ != index) {
      Unlink(index);
      MarkUsed(index);
    }
    return *boards_[index];
  }
  const int64_t bytes = static_cast<int64_t>(states_->slots()) * 9 + 256;
  const bool full = board_bytes_ + bytes > speed_.memory_limit;
  if (oldest_ != kNoBoard &&
      (full || (oldest_ != newest_ && !boards_[oldest_]->Follows(*states_)))) {
    const size_t oldest = oldest_;
    Unlink(oldest);
    boards_[index] = std::move(boards_[oldest]);
    boards_[index]->Retarget(c, want);
  } else {
    boards_[index] = std::make_unique<Scoreboard>(c, want);
    board_bytes_ += bytes;
  }
  MarkUsed(index);
  return *boards_[index];
}

NodeIndex NodeSearch::Best(TaskIndex task, Want want) {
  const ClassIndex c = ClassOf(task);
  const ClassNeeds& needs = SyncedNeeds(c);
  bool remembers = speed_.infeasibility_memory && !needs.fit_improves;
  if (remembers && StillFails(c, want)) {
    if (meter_ != nullptr) ++meter_->searches().remembered;
    return kNone;
  }
  // A node on which the class fits now will serve later, once a placement has taken its idle part.
  // So only where nothing fits now can placements only take from what will fit later.
  if (want == Want::kLater) {
    remembers = remembers && StillFails(c, Want::kNow);
  }

  NodeIndex best = kNone;
  if (UseStates(needs)) {
    best = Board(c, want).Best(context(), needs);
    if (meter_ != nullptr) ++meter_->searches().by_table;
    if (best != kNone && meter_ != nullptr && meter_->explains()) {
      Explain(task, needs, ScanNodes(c, needs, want, want == Want::kEvicting, task), best);
    }
  } else if (UseKeptNodes(needs)) {
    best = BestKept(task, needs, want);
  } else {
    best = BestOf(task, needs, ScanNodes(c, needs, want, want == Want::kEvicting, task));
  }
  if (best == kNone && remembers) {
    failures_[c][static_cast<size_t>(want)] = {ledger_.moment(), true};
  }
  return best;
}

NodeIndex NodeSearch::BestExcept(TaskIndex task, Want want, const std::vector<uint8_t>& refused) {
  const ClassIndex c = ClassOf(task);
  const ClassNeeds& needs = SyncedNeeds(c);
  return BestOf(task, needs, ScanNodes(c, needs, want, want == Want::kEvicting, task, &refused));
}

NodeIndex NodeSearch::BestAmong(TaskIndex task, Want want, std::span<const NodeIndex> nodes,
                                const std::vector<uint8_t>* refused) {
  const ClassIndex c = ClassOf(task);
  const ClassNeeds& needs = SyncedNeeds(c);
  return BestOf(task, needs,
                ScanNodes(c, needs, want, want == Want::kEvicting, task, refused, &nodes));
}

bool NodeSearch::LooksAtNodesAlone(ClassIndex c) {
  if (apart_ || ranks() || samples() || Needs(c).cluster_fit || !states_->exact()) return false;
  if (dispatcher_.node_ties().any()) return false;
  if (Picks(c)) return false;
  for (const PolicyEntry* entry : dispatcher_.at(Point::kScore)) {
    if (entry->score->ScoreScope(c) == Scope::kCluster && !entry->traits.scores_by_domain) {
      return false;
    }
  }
  return true;
}

StateIndex NodeSearch::StateOf(NodeIndex node) {
  if (states_ == nullptr) Make(ledger_, dispatcher_, rules_, speed_, &kinds_, &states_);
  states_->Sync();
  return states_->state(node);
}

KindIndex NodeSearch::KindOf(NodeIndex node) {
  const StateIndex state = StateOf(node);
  return state == kNone ? kNone : kinds_->kind(node);
}

void NodeSearch::AddRefused(ClassIndex c, Want want, bool tell_hopeless,
                            std::vector<uint8_t>* refused) {
  const ClassNeeds& needs = SyncedNeeds(c);
  // What is settled already is not asked about: refused before, or found to fit.
  std::vector<uint8_t> settled = *refused;
  const auto fit = [&](Want asked) {
    const bool evict = asked == Want::kEvicting;
    for (const Ranked& r : ScanNodes(c, needs, asked, evict, kNone, &settled)) settled[r.node] = 1;
  };
  fit(want);
  if (want == Want::kNow) fit(Want::kLater);
  std::vector<uint8_t> now(refused->size());
  for (NodeIndex n = 0; n < now.size(); ++n) now[n] = settled[n] ? kNotRefused : kCurable;
  const bool news = std::any_of(now.begin(), now.end(), [](uint8_t r) { return r != kNotRefused; });
  if (tell_hopeless && news) {
    std::vector<uint8_t> hopeless = now;
    if (want != Want::kEvicting) {
      for (const Ranked& r : ScanNodes(c, needs, Want::kEvicting, true, kNone)) {
        hopeless[r.node] = 0;
      }
    }
    for (NodeIndex n = 0; n < now.size(); ++n) {
      if (hopeless[n] && (want != Want::kNow || FitsFutureIdle(c, n))) now[n] = kHopeless;
    }
  }
  for (NodeIndex n = 0; n < now.size(); ++n) {
    (*refused)[n] |= now[n];
  }
}

bool NodeSearch::FitsWant(ClassIndex c, const ClassNeeds& needs, NodeIndex n, Want want) const {
  const auto request = ledger_.tables().classes.initial_request.row(c);
  const auto idle = ledger_.node(n, kIdle);
  const auto releasing = ledger_.node(n, kReleasing);
  bool now = true, later = true, released = true;
  for (DimensionIndex d : needs.compared) {
    const int64_t need = request[d] - rules_.slack[d];
    now &= idle[d] >= need;
    later &= ledger_.future_idle(n, d) >= need;
    released &= releasing[d] >= need;
  }
  for (FitPolicy* policy : needs.pick_policies) {
    const bool parts_later = policy->CanPick(c, /*later=*/true, n);
    now &= policy->CanPick(c, /*later=*/false, n);
    later &= parts_later;
    released &= parts_later;
  }
  switch (want) {
    case Want::kNow:
      return now && later;
    case Want::kLater:
      return later && !now;
    case Want::kEither:
      return now || released;
    case Want::kAnywhere:
    case Want::kEvicting:
      return true;
  }
  return false;
}

void NodeSearch::KeepFitting(ClassIndex c, bool evict, std::vector<NodeIndex>* nodes) {
  std::vector<uint8_t> fits(nodes->size(), 1), hard(nodes->size(), 0);
  std::vector<RefusalCode> codes(nodes->size());
  for (const PolicyEntry* entry : dispatcher_.at(Point::kFit)) {
    if (entry->fit->FitScope(c) != Scope::kCluster) continue;
    Measured(meter_, *entry, nodes->size(),
             [&] { entry->fit->FitNodes(c, *nodes, fits, codes, hard); });
  }
  size_t kept = 0;
  for (size_t i = 0; i < nodes->size(); ++i) {
    if (fits[i] || (evict && !hard[i])) (*nodes)[kept++] = (*nodes)[i];
  }
  nodes->resize(kept);
}

std::vector<Ranked> NodeSearch::ScanNodes(ClassIndex c, const ClassNeeds& needs, Want want,
                                          bool evict, TaskIndex scored_for,
                                          const std::vector<uint8_t>* except,
                                          const std::span<const NodeIndex>* among) {
  // A board answers for the node's own state. With amounts beyond exact doubles it leaves resources
  // out, which are then compared as integers.
  const bool exact = states_->exact();
  const Want asked = exact ? want : evict ? Want::kEvicting : Want::kAnywhere;
  Scoreboard& board = Board(c, asked);
  board.Refresh(context(), needs);
  const size_t all = ledger_.tables().nodes.alive.size();
  std::vector<NodeIndex> nodes(among != nullptr ? among->size() : all);
  size_t found = 0;
  const auto look_at = [&](NodeIndex n) {
    if (except != nullptr && (*except)[n]) return;
    const StateIndex slot = states_->state(n);
    if (slot == kNone || !board.fits(slot)) return;
    if (!exact && !FitsWant(c, needs, n, want)) return;
    nodes[found++] = n;
  };
  if (among != nullptr) {
    for (NodeIndex n : *among) look_at(n);
  } else {
    for (NodeIndex n = 0; n < all; ++n) look_at(n);
  }
  nodes.resize(found);
  if (needs.cluster_fit) KeepFitting(c, evict, &nodes);
  std::vector<Ranked> ranked(nodes.size());
  // By member: a whole value would be read back at once from small stores, and wait for them.
  for (size_t i = 0; i < nodes.size(); ++i) ranked[i].node = nodes[i];
  if (dispatcher_.node_ties().any()) {
    for (Ranked& r : ranked) r.place = dispatcher_.node_ties().place(r.node);
  }
  if (ranks()) {
    for (Ranked& r : ranked) r.rank = rank(r.node);
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
  }
  if (scored_for == kNone) return ranked;
  if (needs.uniform) {
    for (Ranked& r : ranked) r.score = board.score(states_->state(r.node));
    return ranked;
  }
  for (size_t begin = 0; begin < ranked.size();) {
    size_t end = begin;
    while (end < ranked.size() && ranked[end].rank == ranked[begin].rank) ++end;
    ScoreTogether(scored_for, needs, board, std::span(ranked).subspan(begin, end - begin));
    begin = end;
  }
  return ranked;
}

void NodeSearch::ScoreTogether(TaskIndex task, const ClassNeeds& needs, const Scoreboard& board,
                               std::span<Ranked> ranked) {
  std::vector<NodeIndex> nodes(ranked.size());
  std::vector<double> order, batch;
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i] = ranked[i].node;
  AddScores(task, needs, board, nodes, /*except=*/nullptr, &order, &batch);
  for (size_t i = 0; i < nodes.size(); ++i) ranked[i].score = order[i] + batch[i];
}

void NodeSearch::AddScores(TaskIndex task, const ClassNeeds& needs, const Scoreboard& board,
                           std::span<const NodeIndex> nodes, const PolicyEntry* except,
                           std::vector<double>* order, std::vector<double>* batch) {
  order->resize(nodes.size());
  batch->resize(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const StateIndex slot = states_->state(nodes[i]);
    (*order)[i] = board.order(slot);
    (*batch)[i] = board.batch(slot);
  }
  const auto kind_scores = kinds_->scores();
  for (size_t k = 0; k < kind_scores.size() && !nodes.empty(); ++k) {
    const auto raw = [&](NodeIndex n) { return kinds_->raw(needs.row, k, kinds_->kind(n)); };
    int64_t largest = std::max<int64_t>(raw(nodes[0]), 0);
    if (kinds_->uniform(needs.row)) {
      const double each = Normalized(kind_scores[k], raw(nodes[0]), largest);
      for (double& score : *batch) score += each;
      continue;
    }
    for (NodeIndex n : nodes) largest = std::max(largest, raw(n));
    for (size_t i = 0; i < nodes.size(); ++i) {
      (*batch)[i] += Normalized(kind_scores[k], raw(nodes[i]), largest);
    }
  }
  if (!needs.cluster_score) return;
  const ClassIndex c = ClassOf(task);
  for (const PolicyEntry* entry : dispatcher_.at(Point::kScore)) {
    if (entry->score->ScoreScope(c) != Scope::kCluster || entry == except) continue;
    Measured(meter_, *entry, nodes.size(),
             [&] { entry->score->ScoreNodes(task, nodes, *order, *batch); });
  }
}

bool NodeSearch::FitsNode(ClassIndex c, NodeIndex node, bool* hard) {
  const ClassNeeds& needs = Needs(c);
  if (hard != nullptr) *hard = false;
  if (!kinds_->fits(needs.row, kinds_->kind(node))) {
    if (hard != nullptr) *hard = true;
    return false;
  }
  if (needs.fit_policies.empty() && !rules_.overfull_nodes_are_out) return true;
  // Most callers change the node next, so a state that no search asked for is not worth keeping.
  const bool followed = states_->Followed();
  const StateColumns* columns =
      followed ? &states_->columns() : states_->Look(node, needs.reads_free);
  const StateIndex slot = followed ? states_->state(node) : StateIndex(0);
  if (columns == nullptr || slot == kNone) return false;  // it counts as gone
  uint8_t fits = 1;
  for (const PolicyEntry* entry : needs.fit_policies) {
    entry->fit->FitStates(c, *columns, slot, slot + 1, &fits);
    if (!fits && entry->traits.tells_nodes_apart) {
      if (hard != nullptr) *hard = true;
      return false;
    }
  }
  if (!needs.cluster_fit) return fits;
  RefusalCode code;
  uint8_t fits_others = 1, no_cure = 0;
  for (const PolicyEntry* entry : needs.fit_policies) {
    if (entry->fit->FitScope(c) == Scope::kCluster) {
      entry->fit->FitNodes(c, {&node, 1}, {&fits_others, 1}, {&code, 1}, {&no_cure, 1});
    }
  }
  if (hard != nullptr) *hard = no_cure;
  return fits && fits_others;
}

bool NodeSearch::FitsIdle(ClassIndex c, NodeIndex node) {
  const ClassNeeds& needs = Needs(c);
  const auto request = ledger_.tables().classes.initial_request.row(c);
  const auto idle = ledger_.node(node, kIdle);
  for (DimensionIndex d : needs.compared) {
    if (idle[d] < request[d] - rules_.slack[d]) return false;
  }
  return CanPickNow(c, node);
}

bool NodeSearch::CanPickNow(ClassIndex c, NodeIndex node) {
  for (FitPolicy* policy : Needs(c).pick_policies) {
    if (!policy->CanPick(c, /*later=*/false, node)) return false;
  }
  return true;
}

bool NodeSearch::FitsFutureIdle(ClassIndex c, NodeIndex node) {
  const ClassNeeds& needs = Needs(c);
  const auto request = ledger_.tables().classes.initial_request.row(c);
  for (DimensionIndex d : needs.compared) {
    if (ledger_.future_idle(node, d) < request[d] - rules_.slack[d]) return false;
  }
  for (FitPolicy* policy : needs.pick_policies) {
    if (!policy->CanPick(c, /*later=*/true, node)) return false;
  }
  return true;
}

}  // namespace muster
