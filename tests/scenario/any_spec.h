// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Random specs and their comparison, member by member, for every struct that has a list of keys. A
// member that the list lacks does not compile, so nothing can be forgotten here.
#ifndef MUSTER_TESTS_SCENARIO_ANY_SPEC_H_
#define MUSTER_TESTS_SCENARIO_ANY_SPEC_H_

#include <string>
#include <utility>
#include <vector>

#include "lib/base/rng.h"
#include "lib/model/words.h"
#include "lib/scenario/members.h"
#include "lib/scenario/scenario.h"

namespace muster {

// --- equality

template <class T>
bool Same(const T& a, const T& b) {
  if constexpr (HasMembers<const T>) {
    const auto left = Members(a), right = Members(b);
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return (Same(std::get<i>(left).value, std::get<i>(right).value) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(left)>>());
  } else {
    return a == b;
  }
}

template <class T>
bool Same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!Same(a[i], b[i])) return false;
  }
  return true;
}

template <class T>
bool Same(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() == b.has_value() && (!a.has_value() || Same(*a, *b));
}

template <class T>
bool Same(const Boxed<T>& a, const Boxed<T>& b) {
  return a.has_value() == b.has_value() && (!a.has_value() || Same(*a, *b));
}

inline bool Same(const ClusterSpec& a, const ClusterSpec& b) {
  return Same(a.nodes, b.nodes) && Same(a.queues, b.queues) && Same(a.jobs, b.jobs) &&
         Same(a.tasks, b.tasks) && Same(a.domains, b.domains) && Same(a.budgets, b.budgets) &&
         Same(a.namespaces, b.namespaces) && Same(a.flavors, b.flavors) &&
         Same(a.partitions, b.partitions) && Same(a.reservations, b.reservations);
}

inline bool Same(const Scenario& a, const Scenario& b) {
  return Same(a.cluster, b.cluster) && a.profile == b.profile && a.options.now == b.options.now &&
         a.options.seed == b.options.seed && a.options.work_budget == b.options.work_budget &&
         a.expect == b.expect;
}

// --- chance

class AnySpec {
 public:
  explicit AnySpec(uint64_t seed) : rng_(seed) {}

  void Fill(bool* out) { *out = Below(2) == 1; }
  void Fill(int32_t* out) { *out = static_cast<int32_t>(Number()); }
  void Fill(int64_t* out) { *out = Number(); }
  void Fill(uint64_t* out) { *out = static_cast<uint64_t>(Number()); }
  void Fill(double* out) {
    *out = static_cast<double>(Number()) / static_cast<double>(1 + Below(1000));
  }
  template <HasWords Enum>
  void Fill(Enum* out) {
    *out = static_cast<Enum>(Below(WordsOf(Enum()).words.size()));
  }
  void Fill(std::string* out) {
    static constexpr const char* kWords[] = {"",        "a",
                                             "default", "Equal",
                                             "n0",      "n1",
                                             "0",       "nvidia.com/gpu",
                                             "a\"b\\c", "line\nbreak\t\x01",
                                             "ü",       "日本",
                                             "𝛼",       "{\"x\": 1}",
                                             "\u2028",  "/",
                                             "\x7f"};
    *out = kWords[Below(std::size(kWords))];
  }
  void Fill(Quantity* out) {
    static constexpr const char* kTexts[] = {"0",
                                             "1",
                                             "-1",
                                             "007",
                                             "+5",
                                             "500m",
                                             "8Gi",
                                             "1e3",
                                             "0.1",
                                             "-0",
                                             "",
                                             "9223372036854775807",
                                             "9223372036854775808",
                                             "x"};
    out->text = kTexts[Below(std::size(kTexts))];
  }

  template <class T>
  void Fill(std::optional<T>* out) {
    if (Below(2) == 0) return;
    if constexpr (std::is_same_v<T, Quantity>) {
      Fill(&out->emplace(0));
    } else {
      Fill(&out->emplace());
    }
  }

  template <class T>
  void Fill(Boxed<T>* out) {
    if (Below(2) == 0) return;
    Fill(&out->emplace());
  }

  template <class T>
  void Fill(std::vector<T>* out) {
    for (uint64_t i = Below(3); i > 0; --i) Fill(&out->emplace_back());
  }

  // Names differ, as they must.
  template <class T>
  void Fill(Named<T>* out) {
    for (uint64_t i = Below(3); i > 0; --i) {
      std::string name;
      Fill(&name);
      if constexpr (std::is_same_v<T, Quantity>) {
        out->emplace_back(name + std::to_string(i), Quantity(0));
      } else {
        out->emplace_back(name + std::to_string(i), T());
      }
      Fill(&out->back().second);
    }
  }

  template <HasMembers S>
  void Fill(S* out) {
    ForEachMember(*out, [this](auto member) {
      if (Below(3) > 0) Fill(&member.value);
    });
  }

  void Fill(Scenario* out) {
    ClusterSpec& cluster = out->cluster;
    Fill(&cluster.domains);
    Fill(&cluster.queues);
    Fill(&cluster.namespaces);
    Fill(&cluster.budgets);
    Fill(&cluster.jobs);
    Fill(&cluster.tasks);
    Fill(&cluster.nodes);
    Fill(&cluster.flavors);
    Fill(&cluster.partitions);
    Fill(&cluster.reservations);
    // Runs of equal nodes, whole and broken, and shapes that are used again.
    for (uint64_t i = Below(4); i > 0 && !cluster.nodes.empty(); --i) {
      cluster.nodes.push_back(cluster.nodes.back());
      cluster.nodes.back().name = "n" + std::to_string(Below(3));
    }
    for (TaskSpec& task : cluster.tasks) {
      if (Below(2) == 0) task.shape = cluster.tasks[0].shape;
    }
    for (JobSpec& job : cluster.jobs) {
      for (GroupSpec& group : job.groups) {
        if (Below(2) == 0 && !cluster.tasks.empty()) group.shape = cluster.tasks[0].shape;
        group.count = static_cast<int64_t>(Below(1000));
      }
    }
    Fill(&out->profile);
    Fill(&out->options.now);
    Fill(&out->options.seed);
    Fill(&out->options.work_budget);
    Fill(&out->expect);
  }

  uint64_t Below(uint64_t bound) { return rng_.Below(bound); }

 private:
  // Small ones and the ends of the range.
  int64_t Number() {
    switch (Below(4)) {
      case 0:
        return static_cast<int64_t>(Below(10));
      case 1:
        return -static_cast<int64_t>(Below(10));
      case 2:
        return std::numeric_limits<int64_t>::max() - static_cast<int64_t>(Below(2));
      default:
        return std::numeric_limits<int64_t>::min() + static_cast<int64_t>(Below(2));
    }
  }

  Rng rng_;
};

}  // namespace muster

#endif  // MUSTER_TESTS_SCENARIO_ANY_SPEC_H_
