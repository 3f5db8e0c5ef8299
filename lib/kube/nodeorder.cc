// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// nodeorder: the scores of Kubernetes, weighted.
//
//   least_requested   free share of cpu and memory after the placement, 0..100 each, mean
//   most_requested    the opposite
//   balanced          50..100: how much the placement evens out the used fractions of cpu,
//                     memory and GPU; until 1.35, how even they are after it
//   node_affinity     weights of matching preferred terms, the best candidate 100
//   taint_toleration  100 less 100 per share of the most untolerated PreferNoSchedule taints
//                     among candidates
//   pod_affinity, spread, image_locality   see inter_task.h
//
// Rules. Each score is an integer 0..100 before its weight. least_requested and most_requested
// count a container that names no cpu (memory) as 100 milli-cores (200 MiB); balanced counts real
// requests. Option kubernetes selects the version (versions.h); the scores of 1.16 are the integer
// priorities 0..10.
//
// Arithmetic. Quotients are floors of exact integer quotients: computed as one IEEE division and
// floor. That is the same while amount * 100 < 2^53 (amounts of 90 TB). Beyond that the divisions
// round and those of Kubernetes do not. The engine does not use columns above 2^53 at all. balanced
// is the double expression of Kubernetes.
//
// Cost. Four divisions per state, in loops that vectorize.
#include <cmath>

#include "lib/extension/cycle.h"
#include "lib/kube/inter_task.h"
#include "lib/kube/policies.h"
#include "lib/kube/selectors.h"
#include "lib/kube/versions.h"

namespace muster {
namespace {

constexpr OptionDecl kNodeorderOptions[] = {
    {"least_requested", OptionKind::kNumber, "1", 0, 1e6, "weight of free resources"},
    {"most_requested", OptionKind::kNumber, "0", 0, 1e6, "weight of used resources"},
    {"balanced", OptionKind::kNumber, "1", 0, 1e6, "weight of evenly used resources"},
    {"node_affinity", OptionKind::kNumber, "2", 0, 1e6, "weight of preferred node affinity"},
    {"taint_toleration", OptionKind::kNumber, "3", 0, 1e6, "weight of PreferNoSchedule taints"},
    {"pod_affinity", OptionKind::kNumber, "2", 0, 1e6, "weight of preferred inter-task affinity"},
    {"spread", OptionKind::kNumber, "2", 0, 1e6, "weight of preferred topology spread"},
    {"image_locality", OptionKind::kNumber, "1", 0, 1e6, "weight of images that are there"},
    {"kubernetes", OptionKind::kChoice, "1.36", 0, 0,
     "1.16|1.35|1.36|1.37: the version whose scores these are"},
};

// Weights of least_requested and most_requested with the class's cpu and memory, for one sweep.
struct Sweep {
  double least, most, balanced;
  double scoring_cpu, scoring_memory;  // as least and most count them
  double cpu, memory, gpu;             // as balanced counts them; gpu 0: not asked for
};

inline double LeastPart(double requested, double capacity) {
  const double part = std::floor((capacity - requested) * 100.0 / capacity);
  return requested > capacity ? 0.0 : part;
}

inline double MostPart(double requested, double capacity) {
  return std::floor((requested > capacity ? capacity : requested) * 100.0 / capacity);
}

// The mean of two parts, each left out (weight and all) where the node has nothing of it.
inline double MeanPart(double cpu, bool has_cpu, double memory, bool has_memory) {
  const double both = std::floor((cpu + memory) / 2.0);
  const double one = has_cpu ? cpu : has_memory ? memory : 0.0;
  return (has_cpu & has_memory) ? both : one;
}

MUSTER_KERNEL void AddLeast(double weight, double cpu, double memory, const double* used_cpu,
                            const double* used_memory, const double* capacity_cpu,
                            const double* capacity_memory, size_t begin, size_t end,
                            double* __restrict batch) {
  for (size_t i = begin; i < end; ++i) {
    const bool has_cpu = capacity_cpu[i] != 0, has_memory = capacity_memory[i] != 0;
    batch[i - begin] +=
        weight * MeanPart(LeastPart(used_cpu[i] + cpu, has_cpu ? capacity_cpu[i] : 1.0), has_cpu,
                          LeastPart(used_memory[i] + memory, has_memory ? capacity_memory[i] : 1.0),
                          has_memory);
  }
}

MUSTER_KERNEL void AddMost(double weight, double cpu, double memory, const double* used_cpu,
                           const double* used_memory, const double* capacity_cpu,
                           const double* capacity_memory, size_t begin, size_t end,
                           double* __restrict batch) {
  for (size_t i = begin; i < end; ++i) {
    const bool has_cpu = capacity_cpu[i] != 0, has_memory = capacity_memory[i] != 0;
    batch[i - begin] +=
        weight * MeanPart(MostPart(used_cpu[i] + cpu, has_cpu ? capacity_cpu[i] : 1.0), has_cpu,
                          MostPart(used_memory[i] + memory, has_memory ? capacity_memory[i] : 1.0),
                          has_memory);
  }
}

inline double Fraction(double requested, double capacity) {
  const double fraction = requested / capacity;
  return fraction > 1.0 ? 1.0 : fraction;
}

// trunc((1 - deviation) * 100) for two fractions.
inline double Balance(double f0, double f1) {
  return std::floor((1.0 - std::fabs((f0 - f1) / 2.0)) * 100.0);
}

// The balance once the request is placed, of a node that has both resources.
inline double BalanceAfter(double cpu, double cpu_capacity, double memory, double memory_capacity) {
  return Balance(Fraction(cpu, cpu_capacity != 0 ? cpu_capacity : 1.0),
                 Fraction(memory, memory_capacity != 0 ? memory_capacity : 1.0));
}

MUSTER_KERNEL void AddBalanced(double weight, double cpu, double memory, const double* used_cpu,
                               const double* used_memory, const double* capacity_cpu,
                               const double* capacity_memory, const double* busy_cpu,
                               const double* busy_memory, size_t begin, size_t end,
                               double* __restrict batch) {
  for (size_t i = begin; i < end; ++i) {
    const bool has_cpu = capacity_cpu[i] != 0, has_memory = capacity_memory[i] != 0;
    const double after = BalanceAfter(used_cpu[i] + cpu, capacity_cpu[i], used_memory[i] + memory,
                                      capacity_memory[i]);
    const double before = Balance(busy_cpu[i], busy_memory[i]);
    // One resource alone cannot be out of balance: 100 before and after.
    const double change = (has_cpu & has_memory) ? after - before : 0.0;
    batch[i - begin] += weight * (50.0 + std::floor((50.0 + change) / 2.0));
  }
}

// The same until 1.35: the balance that the placement leaves.
MUSTER_KERNEL void AddBalanceLeft(double weight, double cpu, double memory, const double* used_cpu,
                                  const double* used_memory, const double* capacity_cpu,
                                  const double* capacity_memory, size_t begin, size_t end,
                                  double* __restrict batch) {
  for (size_t i = begin; i < end; ++i) {
    const bool has_cpu = capacity_cpu[i] != 0, has_memory = capacity_memory[i] != 0;
    const double after = BalanceAfter(used_cpu[i] + cpu, capacity_cpu[i], used_memory[i] + memory,
                                      capacity_memory[i]);
    batch[i - begin] += weight * ((has_cpu & has_memory) ? after : 100.0);
  }
}

double BalanceOfThree(double f0, double f1, double f2) {
  const double mean = (f0 + f1 + f2) / 3.0;
  const double variance =
      (f0 - mean) * (f0 - mean) + (f1 - mean) * (f1 - mean) + (f2 - mean) * (f2 - mean);
  return std::trunc((1.0 - std::sqrt(variance / 3.0)) * 100.0);
}

// One resource alone cannot be out of balance.
double BalanceOf(const double* fractions, int count) {
  if (count < 2) return 100.0;
  return count == 2 ? Balance(fractions[0], fractions[1])
                    : BalanceOfThree(fractions[0], fractions[1], fractions[2]);
}

InterTaskOptions ScoreOptions(const Options& options) {
  InterTaskOptions result;
  result.host_ports = result.affinity = result.spread = false;
  result.rules = RulesOfKubernetes(options.text("kubernetes"));
  result.affinity_weight = options.number("pod_affinity");
  result.spread_weight = result.rules.spread ? options.number("spread") : 0;
  result.image_weight = options.number("image_locality");
  return result;
}

class NodeOrder : public Policy, public ScorePolicy {
 public:
  explicit NodeOrder(const Options& options)
      : least_(options.number("least_requested")),
        most_(options.number("most_requested")),
        balanced_(options.number("balanced")),
        node_affinity_(options.number("node_affinity")),
        taint_toleration_(options.number("taint_toleration")),
        rules_(RulesOfKubernetes(options.text("kubernetes"))),
        inter_task_(ScoreOptions(options)) {}

  std::string_view name() const override { return "nodeorder"; }
  PointSet points() const override { return {Point::kScore}; }
  Traits traits() const override {
    Traits traits;
    traits.reads_free = false;
    return traits;
  }
  ScorePolicy* score() override { return this; }
  void Open(const Cycle& cycle) override {
    tables_ = &internal::DataOf(cycle).tables;
    inter_task_.Open(internal::DataOf(cycle).tables, internal::DataOf(cycle).ledger);
    gpu_ = kNone;
    if (const auto gpu = tables_->dimensions.Find("nvidia.com/gpu")) gpu_ = *gpu;
  }

  Scope ScoreScope(ClassIndex c) override {
    return inter_task_.ScoreDepends(c) ? Scope::kCluster : Scope::kState;
  }

  std::vector<KindScore> KindScores() const override {
    std::vector<KindScore> scores = {{node_affinity_, false, rules_.top_score}};
    if (rules_.taint_scores) scores.push_back({taint_toleration_, true, rules_.top_score});
    return scores;
  }
  int64_t RawKindScore(size_t which, ClassIndex c, NodeIndex node) override {
    const TaskShape& shape = tables_->classes.shape[c];
    const NodeSpec& spec = tables_->nodes.spec[node];
    int64_t raw = 0;
    if (which == 0) {
      for (const PreferredNodeTerm& preferred : shape.preferred_node_affinity) {
        if (Matches(preferred.term, spec)) raw += preferred.weight;
      }
      return raw;
    }
    for (const Taint& taint : spec.taints) {
      if (taint.effect != TaintEffect::kPreferNoSchedule) continue;
      bool tolerated = false;
      for (const Toleration& t : shape.tolerations) {
        tolerated |= Tolerates(t, taint);
      }
      raw += tolerated ? 0 : 1;
    }
    return raw;
  }

  void ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                   double* order, double* batch) override {
    const ClassTable& classes = tables_->classes;
    const auto request = classes.request.row(c);
    Sweep sweep;
    sweep.least = least_;
    sweep.most = most_;
    sweep.balanced = balanced_;
    sweep.scoring_cpu = static_cast<double>(classes.scoring_cpu[c]);
    sweep.scoring_memory = static_cast<double>(classes.scoring_memory[c]);
    sweep.cpu = static_cast<double>(request[kCpu]);
    sweep.memory = static_cast<double>(request[kMemory]);
    sweep.gpu = gpu_ == kNone ? 0 : static_cast<double>(request[gpu_]);
    if (!rules_.init_containers_score) {
      sweep.scoring_cpu = static_cast<double>(classes.scoring_cpu_main[c]);
      sweep.scoring_memory = static_cast<double>(classes.scoring_memory_main[c]);
    }
    if (rules_.old_priorities) {
      AddPriorities(sweep, states, begin, end, order);
      return;
    }
    const double* capacity_cpu = states.allocatable[kCpu].data();
    const double* capacity_memory = states.allocatable[kMemory].data();
    if (least_ != 0) {
      AddLeast(sweep.least, sweep.scoring_cpu, sweep.scoring_memory, states.scoring_cpu.data(),
               states.scoring_memory.data(), capacity_cpu, capacity_memory, begin, end, batch);
    }
    if (most_ != 0) {
      AddMost(sweep.most, sweep.scoring_cpu, sweep.scoring_memory, states.scoring_cpu.data(),
              states.scoring_memory.data(), capacity_cpu, capacity_memory, begin, end, batch);
    }
    if (balanced_ == 0 || (sweep.cpu == 0 && sweep.memory == 0 && sweep.gpu == 0)) return;
    if (sweep.gpu != 0) {
      AddBalancedWithGpu(sweep, states, begin, end, batch);
    } else if (rules_.balance_is_change) {
      AddBalanced(sweep.balanced, sweep.cpu, sweep.memory, states.requested[kCpu].data(),
                  states.requested[kMemory].data(), capacity_cpu, capacity_memory,
                  states.busy_cpu.data(), states.busy_memory.data(), begin, end, batch);
    } else {
      AddBalanceLeft(sweep.balanced, sweep.cpu, sweep.memory, states.requested[kCpu].data(),
                     states.requested[kMemory].data(), capacity_cpu, capacity_memory, begin, end,
                     batch);
    }
  }

  void ScoreNodes(TaskIndex task, std::span<const NodeIndex> nodes, std::span<double> order,
                  std::span<double> batch) override {
    inter_task_.Score(tables_->tasks.task_class[task], nodes, order, batch);
  }

 private:
  void AddBalancedWithGpu(const Sweep& sweep, const StateColumns& states, size_t begin, size_t end,
                          double* batch) const {
    const double amounts[3] = {sweep.cpu, sweep.memory, sweep.gpu};
    const DimensionIndex dimensions[3] = {kCpu, kMemory, gpu_};
    for (size_t i = begin; i < end; ++i) {
      double after[3], before[3];
      int count = 0;
      for (int k = 0; k < 3; ++k) {
        const double capacity = states.allocatable[dimensions[k]][i];
        if (capacity == 0) continue;
        const double used = states.requested[dimensions[k]][i];
        after[count] = Fraction(used + amounts[k], capacity);
        before[count++] = Fraction(used, capacity);
      }
      const double left = BalanceOf(after, count);
      const double change = left - BalanceOf(before, count);
      const double score =
          rules_.balance_is_change ? 50.0 + std::floor((50.0 + change) / 2.0) : left;
      batch[i - begin] += sweep.balanced * score;
    }
  }

  // A node without a resource scores 0 for it, and a full fraction makes the balance 0.
  void AddPriorities(const Sweep& sweep, const StateColumns& states, size_t begin, size_t end,
                     double* order) const {
    const double top = rules_.top_score;
    for (size_t i = begin; i < end; ++i) {
      const double capacity[2] = {states.allocatable[kCpu][i], states.allocatable[kMemory][i]};
      const double requested[2] = {states.scoring_cpu[i] + sweep.scoring_cpu,
                                   states.scoring_memory[i] + sweep.scoring_memory};
      double least = 0, most = 0, fraction[2];
      for (int k = 0; k < 2; ++k) {
        fraction[k] = capacity[k] == 0 ? 1.0 : requested[k] / capacity[k];
        if (capacity[k] == 0 || requested[k] > capacity[k]) continue;
        least += std::floor((capacity[k] - requested[k]) * top / capacity[k]);
        most += std::floor(requested[k] * top / capacity[k]);
      }
      double balance = 0;
      if (fraction[0] < 1 && fraction[1] < 1) {
        balance = std::trunc((1.0 - std::fabs(fraction[0] - fraction[1])) * top);
      }
      order[i - begin] +=
          least_ * std::floor(least / 2.0) + most_ * std::floor(most / 2.0) + balanced_ * balance;
    }
  }

  const double least_, most_, balanced_, node_affinity_, taint_toleration_;
  const KubernetesRules& rules_;
  InterTask inter_task_;
  const Tables* tables_ = nullptr;
  DimensionIndex gpu_ = kNone;
};

}  // namespace

PolicyDecl NodeOrderPolicy() {
  return {"nodeorder", "the scores of Kubernetes, weighted", kNodeorderOptions,
          [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<NodeOrder>(options);
          },
          /*revision=*/2};
}

}  // namespace muster
