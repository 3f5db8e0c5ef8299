// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Scores of the policies nodeorder and binpack. Those of nodeorder are the integer scores of
// Kubernetes, 0..100 after normalisation over the candidates, times a weight; those of Kubernetes
// 1.16 are 0..10.
#include "lib/reference/kube/scores.h"

#include <algorithm>
#include <cmath>

#include "lib/reference/fit/node_devices.h"
#include "lib/reference/kube/domains.h"
#include "lib/reference/kube/selectors.h"

namespace muster::reference {

namespace {

constexpr char kGpu[] = "nvidia.com/gpu";

// cpu and memory as scorers count them: those of containers without a request have a default.
std::vector<Load> ScoringLoads(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  const ClassTable& classes = cycle.tables().classes;
  const bool all = cycle.rules.kubernetes.init_containers;
  const auto& cpu = all ? classes.scoring_cpu : classes.scoring_cpu_main;
  const auto& memory = all ? classes.scoring_memory : classes.scoring_memory_main;
  const auto& class_of = cycle.tables().tasks.task_class;
  Load cpu_load{cpu[class_of[task]], cycle.world.capacity[node][kCpu]};
  Load memory_load{memory[class_of[task]], cycle.world.capacity[node][kMemory]};
  for (TaskIndex t : cycle.world.present[node]) {
    cpu_load.requested += cpu[class_of[t]];
    memory_load.requested += memory[class_of[t]];
  }
  return {cpu_load, memory_load};
}

int64_t BalancedOnNode(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                       NodeIndex node) {
  std::vector<Load> before, after;
  for (DimensionIndex d = 0; d < cycle.world.dimensions(); ++d) {
    const int64_t asked = OrZero(cycle.world.request(task)[d]);
    if (IsScalar(d) && (cycle.tables().dimensions.name(d) != kGpu || asked == 0)) continue;
    const int64_t capacity = cycle.world.capacity[node][d];
    if (capacity == 0) continue;
    int64_t used = 0;
    for (TaskIndex t : cycle.world.present[node]) used += OrZero(cycle.world.request(t)[d]);
    before.push_back({used, capacity});
    after.push_back({used + asked, capacity});
  }
  if (TextOption(policy, "kubernetes", "1.36") == "1.35") return Balance(after);
  return BalancedAllocation(before, after);
}

bool AsksForBalanced(const Cycle& cycle, TaskIndex task) {
  const auto request = cycle.world.request(task);
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    if (IsScalar(d) && cycle.tables().dimensions.name(d) != kGpu) continue;
    if (OrZero(request[d]) > 0) return true;
  }
  return false;
}

int64_t PreferredNodeScore(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  int64_t score = 0;
  for (const auto& [weight, term] : cycle.world.shape(task).preferred_node_affinity) {
    const NodeSpec& spec = cycle.tables().nodes.spec[node];
    const bool fields = cycle.rules.kubernetes.fields;
    if (fields ? Matches(term, spec) : MatchesLabels(term, spec)) score += weight;
  }
  return score;
}

int64_t UntoleratedPreferences(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  const auto& tolerations = cycle.world.shape(task).tolerations;
  int64_t count = 0;
  for (const Taint& taint : cycle.tables().nodes.spec[node].taints) {
    if (taint.effect != TaintEffect::kPreferNoSchedule) continue;
    count += std::none_of(tolerations.begin(), tolerations.end(),
                          [&](const Toleration& t) { return Tolerates(t, taint); });
  }
  return count;
}

// Adds weight * scores[i] to each total.
class Sum {
 public:
  Sum(const ReferencePolicy& policy, size_t nodes) : policy_(policy), totals_(nodes, 0.0) {}

  bool Wants(const std::string& option, double otherwise) {
    weight_ = NumberOption(policy_, option, otherwise);
    return weight_ != 0;
  }
  void Add(const std::vector<int64_t>& scores) {
    for (size_t i = 0; i < scores.size(); ++i)
      totals_[i] += static_cast<double>(scores[i]) * weight_;
  }
  const std::vector<double>& totals() const { return totals_; }

 private:
  const ReferencePolicy& policy_;
  std::vector<double> totals_;
  double weight_ = 0;
};

std::vector<double> NodeOrder(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                              const std::vector<NodeIndex>& nodes) {
  Sum sum(policy, nodes.size());
  const auto each = [&](auto&& score) {
    std::vector<int64_t> scores;
    for (NodeIndex n : nodes) scores.push_back(score(n));
    return scores;
  };
  if (sum.Wants("least_requested", 1)) {
    sum.Add(each([&](NodeIndex n) { return LeastAllocated(ScoringLoads(cycle, task, n)); }));
  }
  if (sum.Wants("most_requested", 0)) {
    sum.Add(each([&](NodeIndex n) { return MostAllocated(ScoringLoads(cycle, task, n)); }));
  }
  if (sum.Wants("balanced", 1) && AsksForBalanced(cycle, task)) {
    sum.Add(each([&](NodeIndex n) { return BalancedOnNode(cycle, policy, task, n); }));
  }
  if (sum.Wants("node_affinity", 2) && !cycle.world.shape(task).preferred_node_affinity.empty()) {
    sum.Add(Normalize(each([&](NodeIndex n) { return PreferredNodeScore(cycle, task, n); }), 100,
                      false));
  }
  if (sum.Wants("taint_toleration", 3)) {
    sum.Add(Normalize(each([&](NodeIndex n) { return UntoleratedPreferences(cycle, task, n); }),
                      100, true));
  }
  if (sum.Wants("pod_affinity", 2)) {
    if (const auto scores = AffinityScores(cycle, task, nodes)) sum.Add(*scores);
  }
  if (sum.Wants("spread", 2)) {
    if (const auto scores = SpreadScores(cycle, task, nodes)) sum.Add(*scores);
  }
  return sum.totals();
}

std::vector<double> OldNodeOrder(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task,
                                 const std::vector<NodeIndex>& nodes) {
  Sum sum(policy, nodes.size());
  const auto each = [&](auto&& score) {
    std::vector<int64_t> scores;
    for (NodeIndex n : nodes) scores.push_back(score(n));
    return scores;
  };
  if (sum.Wants("least_requested", 1)) {
    sum.Add(each([&](NodeIndex n) { return OldLeastRequested(ScoringLoads(cycle, task, n)); }));
  }
  if (sum.Wants("most_requested", 0)) {
    sum.Add(each([&](NodeIndex n) { return OldMostRequested(ScoringLoads(cycle, task, n)); }));
  }
  if (sum.Wants("balanced", 1)) {
    sum.Add(each([&](NodeIndex n) {
      const auto loads = ScoringLoads(cycle, task, n);
      return OldBalanced(loads[0], loads[1]);
    }));
  }
  if (sum.Wants("node_affinity", 1)) {
    sum.Add(Normalize(each([&](NodeIndex n) { return PreferredNodeScore(cycle, task, n); }), 10,
                      false));
  }
  if (sum.Wants("pod_affinity", 1)) sum.Add(OldAffinityScores(cycle, task, nodes));
  return sum.totals();
}

std::string TaggedImage(const std::string& image) {
  const size_t colon = image.rfind(':'), slash = image.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? image : image + ":latest";
}

bool HasImage(const NodeSpec& node, const std::string& name, int64_t* size) {
  for (const ImageSpec& image : node.images) {
    if (std::find(image.names.begin(), image.names.end(), name) != image.names.end()) {
      *size = image.size;
      return true;
    }
  }
  return false;
}

}  // namespace

int64_t LeastAllocated(const std::vector<Load>& loads) {
  int64_t sum = 0, weights = 0;
  for (const auto& [requested, capacity] : loads) {
    if (capacity == 0) continue;
    sum += requested > capacity ? 0 : (capacity - requested) * 100 / capacity;
    ++weights;
  }
  return weights == 0 ? 0 : sum / weights;
}

int64_t MostAllocated(const std::vector<Load>& loads) {
  int64_t sum = 0, weights = 0;
  for (const auto& [requested, capacity] : loads) {
    if (capacity == 0) continue;
    sum += std::min(requested, capacity) * 100 / capacity;
    ++weights;
  }
  return weights == 0 ? 0 : sum / weights;
}

int64_t Balance(const std::vector<Load>& loads) {
  std::vector<double> fractions;
  for (const auto& [requested, capacity] : loads) {
    const double fraction = static_cast<double>(requested) / static_cast<double>(capacity);
    fractions.push_back(fraction > 1 ? 1 : fraction);
  }
  double deviation = 0;
  if (fractions.size() == 2) {
    deviation = std::fabs((fractions[0] - fractions[1]) / 2);
  } else if (fractions.size() > 2) {
    const double count = static_cast<double>(fractions.size());
    double total = 0;
    for (double f : fractions) total += f;
    const double mean = total / count;
    double squares = 0;
    for (double f : fractions) squares = squares + (f - mean) * (f - mean);
    deviation = std::sqrt(squares / count);
  }
  return static_cast<int64_t>((1 - deviation) * 100.0);
}

int64_t BalancedAllocation(const std::vector<Load>& before, const std::vector<Load>& after) {
  return 50 + (50 + Balance(after) - Balance(before)) / 2;
}

std::vector<int64_t> Normalize(std::vector<int64_t> scores, int64_t top, bool reverse) {
  int64_t most = 0;
  for (int64_t score : scores) most = std::max(most, score);
  for (int64_t& score : scores) {
    if (most == 0) {
      if (reverse) score = top;
      continue;
    }
    score = top * score / most;
    if (reverse) score = top - score;
  }
  return scores;
}

int64_t ImageLocality(const Cycle& cycle, TaskIndex task, NodeIndex node) {
  const auto& containers = cycle.world.shape(task).containers;
  const auto nodes = cycle.world.session_nodes();
  int64_t sum = 0;
  for (const ContainerSpec& container : containers) {
    const std::string name = TaggedImage(container.image);
    int64_t ignored = 0;
    if (!HasImage(cycle.tables().nodes.spec[node], name, &ignored)) continue;
    int64_t size = 0, having = 0;  // the size that the first node reports counts for all
    for (NodeIndex n : nodes) {
      int64_t reported = 0;
      if (!HasImage(cycle.tables().nodes.spec[n], name, &reported)) continue;
      if (having == 0) size = reported;
      ++having;
    }
    const double reach = static_cast<double>(having) / static_cast<double>(nodes.size());
    sum += static_cast<int64_t>(static_cast<double>(size) * reach);
  }
  constexpr int64_t kMebibyte = 1024 * 1024;
  const int64_t count = std::max<int64_t>(1, static_cast<int64_t>(containers.size()));
  const int64_t low = 23 * kMebibyte, high = 1000 * kMebibyte * count;
  sum = std::clamp(sum, low, high);
  return 100 * (sum - low) / (high - low);
}

// One dimension that does not fit makes the whole score zero.
double Binpack(const Cycle& cycle, const ReferencePolicy& policy, TaskIndex task, NodeIndex node) {
  const auto request = cycle.world.request(task);
  double score = 0, weights = 0;
  for (DimensionIndex d = 0; d < request.size(); ++d) {
    const double asked = static_cast<double>(OrZero(request[d]));
    const std::string name(cycle.tables().dimensions.name(d));
    const std::string option = IsScalar(d) ? "resource." + name : name;
    if (asked < kTolerance || (IsScalar(d) && policy.options.count(option) == 0)) continue;
    double weight = NumberOption(policy, option, 1);
    if (weight < 0) weight = 1;
    const double capacity = static_cast<double>(cycle.world.capacity[node][d]);
    const double used = static_cast<double>(cycle.world.used[node][d]);
    weights += weight;
    if (capacity == 0 || weight == 0) continue;
    const double finally = asked + used;
    if (finally > capacity) return 0;
    score += finally * weight / capacity;
  }
  if (weights > 0) score /= weights;
  double own = NumberOption(policy, "weight", 1);
  if (own < 0) own = 1;
  return score * (100 * own);
}

int64_t OldLeastRequested(const std::vector<Load>& loads) {
  int64_t sum = 0;
  for (const auto& [requested, capacity] : loads) {
    if (capacity != 0 && requested <= capacity) sum += (capacity - requested) * 10 / capacity;
  }
  return sum / static_cast<int64_t>(loads.size());
}

int64_t OldMostRequested(const std::vector<Load>& loads) {
  int64_t sum = 0;
  for (const auto& [requested, capacity] : loads) {
    if (capacity != 0 && requested <= capacity) sum += requested * 10 / capacity;
  }
  return sum / static_cast<int64_t>(loads.size());
}

int64_t OldBalanced(const Load& cpu, const Load& memory) {
  const auto fraction = [](const Load& load) {
    if (load.capacity == 0) return 1.0;
    return static_cast<double>(load.requested) / static_cast<double>(load.capacity);
  };
  const double c = fraction(cpu), m = fraction(memory);
  if (c >= 1 || m >= 1) return 0;
  return static_cast<int64_t>((1 - std::fabs(c - m)) * 10.0);
}

std::vector<double> Scores(const Cycle& cycle, TaskIndex task,
                           const std::vector<NodeIndex>& nodes) {
  std::vector<double> one_by_one(nodes.size(), 0.0), batch(nodes.size(), 0.0);
  for (const ReferencePolicy* policy : PoliciesAt(cycle, "score")) {
    if (policy->name == "nodeorder") {
      const bool percent = cycle.rules.kubernetes.percent;
      const auto scores = percent ? NodeOrder(cycle, *policy, task, nodes)
                                  : OldNodeOrder(cycle, *policy, task, nodes);
      for (size_t i = 0; i < nodes.size(); ++i) batch[i] += scores[i];
      const double weight = NumberOption(*policy, "image_locality", 1);
      if (!percent || weight == 0) continue;
      for (size_t i = 0; i < nodes.size(); ++i) {
        one_by_one[i] += static_cast<double>(ImageLocality(cycle, task, nodes[i])) * weight;
      }
    } else if (policy->name == "binpack" && NumberOption(*policy, "weight", 1) != 0) {
      for (size_t i = 0; i < nodes.size(); ++i)
        one_by_one[i] += Binpack(cycle, *policy, task, nodes[i]);
    } else if (policy->name == "zones") {
      for (size_t i = 0; i < nodes.size(); ++i)
        one_by_one[i] += ZoneScore(cycle, *policy, task, nodes[i]);
    } else if (policy->name == "devices") {
      const double weight = NumberOption(*policy, "weight", 1);
      for (size_t i = 0; i < nodes.size() && weight != 0; ++i)
        one_by_one[i] += weight * DeviceScore(cycle.world, task, nodes[i]);
    } else {
      const PolicyTwin& twin = TwinOf(cycle, *policy);
      for (size_t i = 0; i < nodes.size() && twin.score != nullptr; ++i)
        one_by_one[i] += twin.score(cycle, *policy, task, nodes[i]);
      if (twin.scores == nullptr) continue;
      const std::vector<double> scores = twin.scores(cycle, *policy, task, nodes);
      for (size_t i = 0; i < nodes.size(); ++i) batch[i] += scores[i];
    }
  }
  for (size_t i = 0; i < nodes.size(); ++i) batch[i] = one_by_one[i] + batch[i];
  return batch;
}

NodeIndex BestNode(const Cycle& cycle, TaskIndex task, const std::vector<NodeIndex>& all) {
  std::vector<NodeIndex> nodes;
  for (const auto& alike : Divided(cycle, all)) {
    if (nodes.empty()) nodes = alike;
  }
  if (nodes.empty()) return kNone;
  std::sort(nodes.begin(), nodes.end());  // a sample may begin anywhere
  if (nodes.size() == 1) return nodes[0];
  const std::vector<double> scores = Scores(cycle, task, nodes);
  size_t best = 0;
  for (size_t i = 1; i < nodes.size(); ++i) {
    if (scores[i] > scores[best]) best = i;
  }
  return nodes[best];
}

}  // namespace muster::reference
