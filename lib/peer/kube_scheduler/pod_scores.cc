// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The scores of the feasible nodes, and the choice among them. Every score is an integer of 0 to
// 100 before its weight; the double expressions are those of the peer, operation by operation.
#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/base/digest.h"
#include "lib/base/math.h"
#include "lib/model/key.h"
#include "lib/peer/kube_scheduler/extra_plugins.h"
#include "lib/peer/kube_scheduler/pod_cycle.h"
#include "lib/peer/kube_scheduler/resource_scores.h"

namespace muster::kube {
namespace {

constexpr int64_t kMebi = 1024 * 1024;

std::string TaggedImage(const std::string& image) {
  const size_t colon = image.rfind(':'), slash = image.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? image : image + ":latest";
}

}  // namespace

int64_t FitScore(const World& world, const Settings& settings, const ClassState& state, NodeIndex n,
                 const NodeBooks& books) {
  return FitScoreOf(settings, state, NodeAmounts{world, n, books});
}

int64_t BalancedScore(const World& world, const ClassState& state, NodeIndex n,
                      const NodeBooks& books) {
  return BalancedScoreOf(state, NodeAmounts{world, n, books}, /*evenness=*/nullptr);
}

void PodCycle::AddUp(Plugin plugin, std::vector<int64_t> raw, std::vector<int64_t> scores) {
  const int64_t weight = settings_.weights[static_cast<int>(plugin)];
  for (size_t i = 0; i < scores.size(); ++i) {
    scores[i] *= weight;
    totals_[i] += scores[i];
  }
  raw_[static_cast<int>(plugin)] = std::move(raw);
  weighted_[static_cast<int>(plugin)] = std::move(scores);
}

// Scales to 0..100, the largest being 100; `reverse` turns the scale around.
void PodCycle::Score(Plugin plugin, std::vector<int64_t> raw, bool reverse, bool normalize) {
  std::vector<int64_t> scores = raw;
  const int64_t most = std::max<int64_t>(0, *std::max_element(raw.begin(), raw.end()));
  for (int64_t& score : scores) {
    if (!normalize) break;
    if (most == 0) {
      score = reverse ? 100 : score;
    } else {
      score = reverse ? 100 - 100 * score / most : 100 * score / most;
    }
  }
  AddUp(plugin, std::move(raw), std::move(scores));
}

void PodCycle::ScoreSpread() {
  SpreadScores& spread = state_->spread_scores;
  if (spread.skips()) return;
  spread.Score(feasible_);
  AddUp(Plugin::kPodTopologySpread, spread.raw(), spread.Scaled());
}

void PodCycle::ScoreAffinity() {
  const AffinityScores& affinity = state_->affinity_scores;
  if (affinity.skips()) return;
  std::vector<int64_t> raw;
  for (const NodeIndex n : feasible_) raw.push_back(affinity.Raw(n));
  AddAffinity(std::move(raw));
}

void PodCycle::AddAffinity(std::vector<int64_t> raw) {
  std::vector<int64_t> scores = AffinityScores::Scaled(raw);
  AddUp(Plugin::kInterPodAffinity, std::move(raw), std::move(scores));
}

void PodCycle::ScoreImages() {
  const NodeTable& nodes = world_.tables().nodes;
  std::vector<int64_t> sums(nodes.alive.size(), 0);
  for (const ContainerSpec& container : shape_.containers) {
    if (container.image.empty() || !world_.has_images()) continue;
    const std::string name = TaggedImage(container.image);
    int64_t size = -1;  // that of the first node that has the image
    for (NodeIndex n = 0; n < nodes.alive.size(); ++n) {
      if (!nodes.alive[n] || nodes.spec[n].images.empty()) continue;
      const std::vector<int64_t>& counts = world_.image_counts()[n];
      size_t number = 0;
      for (const ImageSpec& image : nodes.spec[n].images) {
        const auto it = std::find(image.names.begin(), image.names.end(), name);
        const size_t at = number + static_cast<size_t>(it - image.names.begin());
        number += image.names.size();
        if (it == image.names.end()) continue;
        if (size < 0) size = image.size;
        const double share =
            static_cast<double>(at < counts.size() ? std::max<int64_t>(counts[at], 0) : 0) /
            static_cast<double>(world_.order().size());
        // Far above where scores end.
        constexpr double kMost = 9007199254740992;
        sums[n] = SatAdd(sums[n],
                         static_cast<int64_t>(std::min(static_cast<double>(size) * share, kMost)));
        break;
      }
    }
  }
  const int64_t low = 23 * kMebi, high = 1000 * kMebi * static_cast<int64_t>(pod_.containers);
  std::vector<int64_t> raw;
  for (const NodeIndex n : feasible_) {
    raw.push_back(100 * (std::clamp(sums[n], low, high) - low) / (high - low));
  }
  Score(Plugin::kImageLocality, std::move(raw), false, false);
}

// TaintToleration and NodeAffinity.
void PodCycle::ScoreNodesAlone() {
  const auto score = [&](Plugin plugin, const std::vector<int64_t>& by_node, bool reverse) {
    std::vector<int64_t> raw(feasible_.size(), 0);
    for (size_t i = 0; i < raw.size() && !by_node.empty(); ++i) raw[i] = by_node[feasible_[i]];
    Score(plugin, std::move(raw), reverse, /*normalize=*/true);
  };
  score(Plugin::kTaintToleration, state_->nodes->untolerated, true);
  if (!state_->nodes->preferred.empty()) {
    score(Plugin::kNodeAffinity, state_->nodes->preferred, false);
  }
}

template <typename ScoreOf>
int64_t PodCycle::ScoreBooks(NodeIndex n, const ScoreOf& score_of) const {
  if (!SeesOtherBooks(n)) return score_of(world_.books(n));
  NodeBooks seen = world_.books(n);
  world_.extra()->ChangeBooks(task_, n, &seen);
  return score_of(seen);
}

void PodCycle::ScoreAll() {
  ScoreNodesAlone();
  const auto score_each = [&](Plugin plugin, const auto& raw_of) {
    std::vector<int64_t> raw;
    raw.reserve(feasible_.size());
    for (const NodeIndex n : feasible_) raw.push_back(raw_of(n));
    Score(plugin, std::move(raw), /*reverse=*/false, /*normalize=*/false);
  };
  score_each(Plugin::kNodeResourcesFit, [&](NodeIndex n) {
    return ScoreBooks(
        n, [&](const NodeBooks& books) { return FitScore(world_, settings_, *state_, n, books); });
  });
  ScoreSpread();
  ScoreAffinity();
  if (state_->scores_balance) {
    score_each(Plugin::kBalancedAllocation, [&](NodeIndex n) {
      return ScoreBooks(
          n, [&](const NodeBooks& books) { return BalancedScore(world_, *state_, n, books); });
    });
  }
  ScoreImages();
  if (world_.extra() == nullptr) return;
  extra_scores_ = world_.extra()->Score(task_, feasible_);
  for (const ExtraScore& score : extra_scores_) {
    for (size_t i = 0; i < totals_.size(); ++i) totals_[i] += score.weighted[i];
  }
}

NodeIndex PodCycle::Best() {
  if (feasible_.size() == 1) return feasible_[0];
  totals_.assign(feasible_.size(), 0);
  ScoreAll();
  heap_.resize(feasible_.size());
  for (size_t i = 0; i < heap_.size(); ++i) {
    heap_[i].node = feasible_[i];
    heap_[i].total = totals_[i];
    for (size_t p = 0; p < raw_.size(); ++p) heap_[i].raw[p] = raw_[p].empty() ? 0 : raw_[p][i];
  }
  // Nothing that is not better takes the root's place.
  if (const TieRanks* const ties = world_.ties()) {
    size_t best = 0;
    for (size_t i = 1; i < heap_.size(); ++i) {
      const auto key = [&](size_t at) {
        return std::pair(-heap_[at].total, ties->place(heap_[at].node.value()));
      };
      if (key(i) < key(best)) best = i;
    }
    std::swap(heap_[0], heap_[best]);
  }
  MakeHeap(&heap_);
  return PopHeap(&heap_).node;
}

void PodCycle::Rescore(std::vector<ScoredNode>* nodes) {
  feasible_ = {nodes->back().node};
  totals_.assign(1, 0);
  ScoreAll();
  const auto fresh = std::exchange(raw_, {});
  weighted_ = {};
  totals_.assign(nodes->size(), 0);
  for (int p = 0; p < kPluginCount; ++p) {
    if (fresh[p].empty()) continue;
    nodes->back().raw[p] = fresh[p][0];
    std::vector<int64_t> raw;
    for (const ScoredNode& node : *nodes) raw.push_back(node.raw[p]);
    const Plugin plugin = static_cast<Plugin>(p);
    if (plugin == Plugin::kInterPodAffinity) {
      AddAffinity(std::move(raw));
    } else {
      const bool reverse = plugin == Plugin::kTaintToleration;
      Score(plugin, std::move(raw), reverse, reverse || plugin == Plugin::kNodeAffinity);
    }
  }
  for (size_t i = 0; i < nodes->size(); ++i) (*nodes)[i].total = totals_[i];
  feasible_.clear();
  totals_.clear();
  raw_ = weighted_ = {};
}

std::string PodCycle::Signature() const {
  if (!shape_.required_affinity.empty() || !shape_.required_anti_affinity.empty() ||
      !shape_.preferred_affinity.empty() || !shape_.preferred_anti_affinity.empty() ||
      !shape_.spread.empty()) {
    return {};
  }
  Key key;
  for (const int64_t amount : pod_.request) key.Add(amount);
  if (!settings_.ignores_preferred_terms) key.AddSorted(shape_.labels);
  key.Add(shape_.tolerations);
  key.AddSorted(shape_.node_selector);
  key.Add(shape_.required_node_affinity);
  key.Add(shape_.preferred_node_affinity);
  key.Add(shape_.host_ports);
  std::vector<std::string> images;
  for (const ContainerSpec& container : shape_.containers) {
    images.push_back(TaggedImage(container.image));
  }
  std::sort(images.begin(), images.end());
  images.erase(std::unique(images.begin(), images.end()), images.end());
  key.Add(images);
  Digest digest;
  digest.Add(key.Take());
  return digest.Hex();
}

namespace {

void SinkNode(std::vector<ScoredNode>& heap, size_t i, size_t end) {
  while (2 * i + 1 < end) {
    size_t child = 2 * i + 1;
    if (child + 1 < end && heap[child + 1].total > heap[child].total) ++child;
    if (heap[child].total <= heap[i].total) return;
    std::swap(heap[i], heap[child]);
    i = child;
  }
}

}  // namespace

void MakeHeap(std::vector<ScoredNode>* heap) {
  for (size_t i = heap->size() / 2; i-- > 0;) SinkNode(*heap, i, heap->size());
}

ScoredNode PopHeap(std::vector<ScoredNode>* heap) {
  std::swap(heap->front(), heap->back());
  SinkNode(*heap, 0, heap->size() - 1);
  const ScoredNode best = heap->back();
  heap->pop_back();
  return best;
}

}  // namespace muster::kube
