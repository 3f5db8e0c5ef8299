// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/topology.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/kueue/topology_balanced.h"
#include "lib/peer/kueue/topology_counts.h"
#include "lib/peer/kueue/topology_deal.h"
#include "lib/peer/kueue/topology_filters.h"
#include "lib/peer/kueue/topology_levels.h"
#include "lib/peer/kueue/topology_reasons.h"

namespace muster::kueue {
namespace {

// The request and the pod itself.
PodRequest WithPod(const TopologyTree& tree, const PodRequest& pod) {
  PodRequest request = pod;
  const uint32_t pods = tree.resources().pods();
  const auto at = std::find_if(request.begin(), request.end(),
                               [&](const PodAmount& a) { return a.resource == pods; });
  if (at == request.end()) {
    request.push_back({pods, 1});
  } else {
    ++at->amount;
  }
  return request;
}

// Without the places on the node; `*count` is the number of their pods.
NamedPlaces WithoutNode(const NamedPlaces& places, std::string_view node, int32_t* count) {
  NamedPlaces rest;
  *count = 0;
  for (const NamedPlace& place : places) {
    if (!place.leaf.empty() && place.leaf.back() == node) {
      *count = place.count;
    } else {
      rest.push_back(place);
    }
  }
  return rest;
}

}  // namespace

class TopologySearch {
 public:
  TopologySearch(TopologyFinder* finder, const TopologyQuestion& question, TopologyAssumed* assumed)
      : finder_(*finder), tree_(finder->tree()), question_(question), assumed_(*assumed) {
    answer_.pod_sets.resize(question.pod_sets.size());
  }

  TopologyAnswer Run() {
    std::vector<std::vector<uint32_t>> groups;
    std::map<std::string, size_t, std::less<>> by_name;
    for (uint32_t i = 0; i < question_.pod_sets.size(); ++i) {
      const std::string& name = question_.pod_sets[i].group;
      const auto known = name.empty() ? by_name.end() : by_name.find(name);
      if (known == by_name.end()) {
        if (!name.empty()) by_name[name] = groups.size();
        groups.push_back({i});
      } else {
        groups[known->second].push_back(i);
      }
    }
    for (const std::vector<uint32_t>& group : groups) {
      if (!question_.unhealthy.empty()) {
        if (!ReplaceAll(group)) break;
      } else if (!Place(group)) {
        break;
      }
    }
    return std::move(answer_);
  }

 private:
  using Leaves = std::pair<uint32_t, uint32_t>;  // first .. second - 1
  struct Found {
    TopologyPlaces workers, leader;
    std::string failure;
  };

  const TopologyPodSet& pod_set(uint32_t i) const { return question_.pod_sets[i]; }
  void Set(uint32_t i, TopologyPlaces places) {
    answer_.pod_sets[i] = TopologyPlacement{.places = std::move(places)};
  }
  void Fail(uint32_t i, const std::string& failure) {
    answer_.pod_sets[i] = TopologyPlacement{.failure = failure};
    answer_.failed = std::min(answer_.failed, i);
  }
  void Assume(const TopologyPlaces& places, const TopologyPodSet& of) {
    assumed_.Add(places, of.pod, tree_.resources().pods());
  }

  bool Place(const std::vector<uint32_t>& group) {
    uint32_t workers = group[0], leader = kNone;
    if (group.size() > 1) {
      leader = group[1];
      if (pod_set(leader).count > pod_set(workers).count) std::swap(leader, workers);
    }
    if (finder_.gates().elastic_slices) {
      if (const std::optional<bool> kept = PlaceElastic(workers, leader)) return *kept;
    }
    const Found found =
        Search(pod_set(workers), leader == kNone ? nullptr : &pod_set(leader), std::nullopt);
    for (const uint32_t i : group) {
      if (!found.failure.empty()) {
        Fail(i, found.failure);
        continue;
      }
      Set(i, i == workers ? found.workers : i == leader ? found.leader : TopologyPlaces());
      Assume(answer_.pod_sets[i]->places, pod_set(i));
    }
    return found.failure.empty();
  }

  // Absent: there is nothing to keep. False: the search ends.
  std::optional<bool> PlaceElastic(uint32_t workers, uint32_t leader) {
    const TopologyPodSet& of = pod_set(workers);
    if (of.previous == nullptr) return std::nullopt;
    const std::optional<TopologyPlaces> previous = LeavesOf(tree_, *of.previous);
    if (!previous) return std::nullopt;
    std::optional<TopologyPlaces> leaders;
    if (leader != kNone && pod_set(leader).previous != nullptr) {
      leaders = LeavesOf(tree_, *pod_set(leader).previous);
      if (!leaders) return std::nullopt;
    }
    const int64_t before = PodsIn(*of.previous);
    if (of.count <= before) {
      TopologyPlaces kept = *previous;
      if (of.count < before) {
        kept = *LeavesOf(tree_, TruncatePlaces(*of.previous, of.count));
      }
      Assume(kept, of);
      Set(workers, std::move(kept));
      if (leaders) {
        Assume(*leaders, pod_set(leader));
        Set(leader, *leaders);
      }
      return true;
    }
    Assume(*previous, of);
    if (leaders) Assume(*leaders, pod_set(leader));
    TopologyPodSet more = of;
    more.count = of.count - static_cast<int32_t>(before);
    const bool places_leader = leader != kNone && !leaders;
    const Found found = Search(more, places_leader ? &pod_set(leader) : nullptr, std::nullopt);
    if (!found.failure.empty()) {
      Fail(workers, found.failure);
      return false;
    }
    Set(workers, MergePlaces(found.workers, *previous));
    if (leader != kNone) {
      Set(leader, leaders ? *leaders : found.leader);
      if (places_leader) Assume(found.leader, pod_set(leader));
    }
    Assume(found.workers, of);
    return true;
  }

  bool ReplaceAll(const std::vector<uint32_t>& group) {
    for (const uint32_t i : group) {
      if (pod_set(i).existing == nullptr) continue;
      if (finder_.gates().skip_pod_owned && question_.owned_by_single_pod) {
        answer_.pod_sets[i] = TopologyPlacement{.kept = true};
      } else if (const std::string failure = Replace(i); !failure.empty()) {
        Fail(i, failure);
        return false;
      }
    }
    return true;
  }

  std::string Replace(uint32_t i) {
    TopologyPodSet lost = pod_set(i);
    const NamedPlaces named = WithoutNode(*lost.existing, question_.unhealthy, &lost.count);
    std::string gone;
    const std::optional<TopologyPlaces> rest = LeavesOf(tree_, named, &gone);
    if (!rest) {
      return absl::StrCat(
          "Cannot replace the node, because the existing topologyAssignment is invalid, as it "
          "contains the stale domain ",
          gone);
    }
    const std::optional<int32_t> size = SliceSizeOf(lost.request);
    const std::optional<Leaves> within =
        size ? ReplacementDomain(lost, *rest, *size) : std::nullopt;
    if (!size) return "slice topology requested, but slice size not provided";
    TopologyRequest changed;
    const bool has_slices = lost.request != nullptr && !lost.request->slices.empty();
    if (has_slices && within && lost.count % *size != 0) {
      changed = *lost.request;
      changed.slices.clear();
      const std::vector<TopologySlice>& slices = lost.request->slices;
      for (auto slice = slices.rbegin(); slice != slices.rend(); ++slice) {
        if (slice->size <= 0 || lost.count % slice->size != 0) continue;
        changed.slices = {*slice};
        break;
      }
      lost.request = &changed;
    }
    const Found found = Search(lost, nullptr, within);
    if (!found.failure.empty()) return found.failure;
    if (found.workers.empty()) {
      return absl::StrCat("cannot find replacement assignment for unhealthy node: ",
                          ToAbsl(question_.unhealthy));
    }
    Set(i, MergePlaces(found.workers, *rest));
    Assume(found.workers, lost);
    return "";
  }

  // The leaves that may replace lost ones; absent: all.
  std::optional<Leaves> ReplacementDomain(const TopologyPodSet& lost, const TopologyPlaces& rest,
                                          int32_t size) const {
    const std::optional<std::string> key = LevelKeyOf(tree_, lost);
    const std::optional<uint32_t> level = key ? tree_.level_of(*key) : std::nullopt;
    if (!level || rest.empty()) return std::nullopt;
    if (lost.request == nullptr) return std::nullopt;
    const std::vector<TopologySlice>& slices = lost.request->slices;
    if (!slices.empty() && lost.count % size != 0) {
      // The innermost slice that is broken.
      for (size_t i = slices.size(); i-- > 1;) {
        if (slices[i].size > 0 && lost.count % slices[i].size != 0) {
          return BrokenSlice(lost.count, slices[i].size, slices[i].level, rest);
        }
      }
      return BrokenSlice(lost.count, size, slices[0].level, rest);
    }
    if (!lost.request->required) return std::nullopt;
    return LeavesNamed(*level, tree_.ancestor(tree_.lowest(), rest[0].leaf, *level));
  }

  // A domain in which the lost pods complete a slice.
  std::optional<Leaves> BrokenSlice(int32_t lost, int32_t size, const std::string& key,
                                    const TopologyPlaces& rest) const {
    const std::optional<uint32_t> level = tree_.level_of(key);
    if (!level) return std::nullopt;
    std::map<uint32_t, int32_t> pods;
    for (const TopologyPlace& place : rest) {
      pods[tree_.ancestor(tree_.lowest(), place.leaf, *level)] += place.count;
    }
    for (const auto& [domain, count] : pods) {
      if ((count + lost) % size == 0) return LeavesNamed(*level, domain);
    }
    return std::nullopt;
  }

  // The peer compares the path of a leaf with the name of a domain, and a host's name is no path:
  // it is that of a widest domain of the same name, or of none.
  Leaves LeavesNamed(uint32_t level, uint32_t domain) const {
    if (level < tree_.lowest() || !tree_.leaves_are_hosts() || level == 0) {
      return tree_.leaves_below(level, domain);
    }
    for (uint32_t root = 0; root < tree_.size(0); ++root) {
      if (tree_.value(0, root) == tree_.value(level, domain)) return tree_.leaves_below(0, root);
    }
    return {0, 0};
  }

  Found Search(const TopologyPodSet& workers, const TopologyPodSet* leader,
               const std::optional<Leaves>& within) {
    Found found;
    LevelPlan plan;
    found.failure = ReadLevels(tree_, workers, finder_.gates(), &plan);
    if (!found.failure.empty()) return found;
    plan.leaders = leader != nullptr ? 1 : 0;
    const TaskShape none;
    TopologyCounts::Key key{
        .pod = WithPod(tree_, workers.pod),
        .filter = finder_.filters_->Find(workers.shape != nullptr ? *workers.shape : none),
        .empty = question_.empty,
        .scored = finder_.LooksAtFirst(question_, workers),
        .slice_size = plan.slice_size,
        .slice_level = plan.slice_level,
        .sizes = plan.sizes};
    if (leader != nullptr) key.leader = WithPod(tree_, leader->pod);
    if (tree_.leaves() == 0) {
      found.failure = absl::StrCat("no topology domains at level: ", tree_.key(plan.level));
      return found;
    }
    TopologyCounts& counts = *finder_.counts_;
    TopologyCounts::Board& board = counts.Find(key);
    if (!assumed_.empty()) counts.Assume(assumed_, &board);
    if (within) counts.Confine(within->first, within->second, &board);
    DealOut(plan, workers.request, board, within.value_or(Leaves{0, tree_.leaves()}), &found);
    TopologyCounts::Restore(&board);
    return found;
  }

  void DealOut(const LevelPlan& plan, const TopologyRequest* request,
               const TopologyCounts::Board& board, const Leaves& within, Found* found) {
    const bool by_affinity = finder_.gates().respect_preferred_affinity;
    if (finder_.gates().balanced_placement && !plan.required && !plan.unconstrained) {
      LevelCounts work = board.at;
      const auto balance = FindBalance(tree_, plan, by_affinity, &work);
      uint32_t level = 0;
      std::vector<uint32_t> domains;
      if (balance && PlaceBalanced(tree_, plan, *balance, by_affinity, &work, &level, &domains)) {
        TopologyDeal deal(tree_, work, plan, by_affinity);
        deal.Choose(level, std::move(domains), /*balanced=*/true);
        Read(deal.DealOut(), found);
        return;
      }
    }
    TopologyDeal deal(tree_, board.at, plan, by_affinity);
    if (deal.Choose()) {
      Read(deal.DealOut(), found);
      return;
    }
    found->failure = "no room";
    if (!question_.explain) return;
    found->failure = TextOf({.tree = &tree_,
                             .filter = &finder_.filters_->at(board.key.filter),
                             .counts = finder_.counts_.get(),
                             .board = &board,
                             .assumed = &assumed_,
                             .first = within.first,
                             .last = within.second,
                             .level = deal.shortage_level(),
                             .fits = deal.shortage_fits()},
                            plan, request);
  }

  static void Read(const std::vector<Portion>& portions, Found* found) {
    for (const Portion& portion : portions) {
      if (portion.pods > 0) found->workers.push_back({portion.domain, portion.pods});
      if (portion.leaders > 0) found->leader.push_back({portion.domain, portion.leaders});
    }
  }

  TopologyFinder& finder_;
  const TopologyTree& tree_;
  const TopologyQuestion& question_;
  TopologyAssumed& assumed_;
  TopologyAnswer answer_;
};

TopologyFinder::TopologyFinder(TopologyBooks* books, const TopologyGates& gates)
    : books_(books),
      gates_(gates),
      filters_(std::make_unique<LeafFilters>(&books->tree(), gates.respect_preferred_affinity)),
      counts_(std::make_unique<TopologyCounts>(books, filters_.get())) {}
TopologyFinder::~TopologyFinder() = default;
TopologyFinder::TopologyFinder(TopologyFinder&&) noexcept = default;
TopologyFinder& TopologyFinder::operator=(TopologyFinder&&) noexcept = default;

// The peer forgets the scores of hosts when it looks at a pod set for the second time in a cycle.
bool TopologyFinder::LooksAtFirst(const TopologyQuestion& question, const TopologyPodSet& pod_set) {
  if (!gates_.respect_preferred_affinity) return false;
  if (!gates_.cache_node_matches || question.workload == 0) return true;
  const std::pair<uint64_t, uint32_t> key{question.workload, pod_set.index};
  if (std::find(looked_at_.begin(), looked_at_.end(), key) != looked_at_.end()) return false;
  looked_at_.push_back(key);
  return true;
}

TopologyAnswer TopologyFinder::Find(const TopologyQuestion& question) {
  TopologyAssumed assumed(tree().resources().size());
  return Find(question, &assumed);
}

TopologyAnswer TopologyFinder::Find(const TopologyQuestion& question, TopologyAssumed* assumed) {
  return TopologySearch(this, question, assumed).Run();
}

std::vector<TopologyAnswer> FindTopologies(
    std::span<const std::pair<TopologyFinder*, TopologyQuestion>> flavors) {
  std::vector<size_t> order(flavors.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return flavors[a].first->tree().flavor() < flavors[b].first->tree().flavor();
  });
  std::vector<TopologyAnswer> answers(flavors.size());
  std::map<std::string, std::vector<int64_t>> by_host;
  for (const size_t i : order) {
    TopologyFinder& finder = *flavors[i].first;
    const TopologyTree& tree = finder.tree();
    TopologyAssumed assumed(tree.resources().size());
    const bool shares =
        flavors.size() > 1 && finder.gates().overlapping_flavors && tree.leaves_are_hosts();
    if (shares) {
      for (const auto& [host, amounts] : by_host) {
        const auto leaf = tree.FindLeaf(std::span(&host, 1));
        if (leaf) assumed.AddRow(*leaf, amounts);
      }
    }
    answers[i] = finder.Find(flavors[i].second, &assumed);
    if (!shares) continue;
    for (size_t j = 0; j < assumed.leaves().size(); ++j) {
      const auto row = assumed.row(j);
      by_host[tree.value(tree.lowest(), assumed.leaves()[j])].assign(row.begin(), row.end());
    }
  }
  return answers;
}

NamedPlaces NamesOf(const TopologyTree& tree, const TopologyPlaces& places) {
  NamedPlaces named;
  for (const auto& [leaf, count] : places) named.push_back({tree.leaf_name(leaf), count});
  return named;
}

std::optional<TopologyPlaces> LeavesOf(const TopologyTree& tree, const NamedPlaces& places,
                                       std::string* gone) {
  TopologyPlaces leaves;
  for (const NamedPlace& place : places) {
    const std::optional<uint32_t> leaf = tree.FindLeaf(place.leaf);
    if (!leaf) {
      if (gone != nullptr) *gone = place.leaf.empty() ? "" : place.leaf.front();
      return std::nullopt;
    }
    leaves.push_back({*leaf, place.count});
  }
  return leaves;
}

TopologyPlaces MergePlaces(const TopologyPlaces& a, const TopologyPlaces& b) {
  TopologyPlaces all = a;
  all.insert(all.end(), b.begin(), b.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const TopologyPlace& x, const TopologyPlace& y) { return x.leaf < y.leaf; });
  TopologyPlaces merged;
  for (const TopologyPlace& place : all) {
    if (!merged.empty() && merged.back().leaf == place.leaf) {
      merged.back().count += place.count;
    } else {
      merged.push_back(place);
    }
  }
  return merged;
}

NamedPlaces TruncatePlaces(const NamedPlaces& places, int32_t count) {
  NamedPlaces kept;
  for (const NamedPlace& place : places) {
    if (count <= 0) break;
    kept.push_back({place.leaf, std::min(place.count, count)});
    count -= kept.back().count;
  }
  return kept;
}

int64_t PodsIn(const NamedPlaces& places) {
  int64_t pods = 0;
  for (const NamedPlace& place : places) pods += place.count;
  return pods;
}

}  // namespace muster::kueue
