// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// No row keeps a text that is not UTF-8, wherever it stands: documents are JSON, and a row that is
// accepted can be written. The texts are found by the lists of members, so a member that is added
// later is tested, too.
#include <gtest/gtest.h>

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lib/model/words.h"
#include "lib/scenario/members.h"
#include "muster/cluster.h"

namespace muster {
namespace {

// Sets the text of number `chosen` to a byte that is no UTF-8, and texts beside it to "x". Lists on
// the way to it get one element; everything else stays as it is.
class TextSetter {
 public:
  explicit TextSetter(int chosen) : chosen_(chosen) {}

  bool found() const { return found_; }
  const std::string& path() const { return path_; }

  // Returns whether the text is inside.
  bool Set(std::string* text) {
    if (next_++ != chosen_) return false;
    *text = "\xFF";
    return found_ = true;
  }
  bool Set(Quantity*) { return false; }
  template <class T>
  requires std::integral<T> || std::floating_point<T> || HasWords<T>
  bool Set(T*) { return false; }
  template <class T>
  bool Set(std::optional<T>* out) {
    if constexpr (std::is_same_v<T, Quantity>) {
      return false;
    } else {
      return Inside<T>([&](T value) { out->emplace(std::move(value)); });
    }
  }
  template <class T>
  bool Set(Boxed<T>* out) {
    return Inside<T>([&](T value) { out->emplace() = std::move(value); });
  }
  template <class T>
  bool Set(std::vector<T>* out) {
    return Inside<T>([&](T value) { *out = {std::move(value)}; });
  }
  template <class T>
  bool Set(Named<T>* out) {
    if constexpr (std::is_same_v<T, Quantity>) {
      std::string key;
      const bool inside = Set(&key);
      if (inside) *out = {{key, Quantity(1)}};
      return inside;
    } else {
      std::string key = "x";
      T value = T();
      bool inside = Set(&key);
      inside = Set(&value) || inside;
      if (inside) *out = {{key, value}};
      return inside;
    }
  }
  template <HasMembers S>
  bool Set(S* out) {
    bool inside = false;
    ForEachMember(*out, [&](auto member) {
      if (!Set(&member.value)) return;
      inside = true;
      path_ = std::string(member.key) + (path_.empty() ? "" : ".") + path_;
    });
    if (inside) Complete(out);
    return inside;
  }

 private:
  template <class T, class Keep>
  bool Inside(const Keep& keep) {
    T value = T();
    const bool inside = Set(&value);
    if (inside) keep(std::move(value));
    return inside;
  }

  // What a part must have to be accepted.
  template <class S>
  void Complete(S* out) {
    ForEachMember(*out, [&](auto member) {
      if constexpr (std::is_same_v<decltype(member.value), std::string&>) {
        const bool is_needed = member.required || member.key == "key" || member.key == "kind";
        if (is_needed && member.value.empty()) member.value = "x";
      }
    });
    if constexpr (std::is_same_v<S, DeviceSpec>) out->kind = out->kind.empty() ? "x" : out->kind;
    if constexpr (std::is_same_v<S, GroupAdmission>) out->count = 1;
    if constexpr (std::is_same_v<S, AssignedPlace>) {
      out->count = 1;
      if (out->values.empty()) out->values.push_back("x");
    }
    if constexpr (std::is_same_v<S, ByCount>) out->count = 1;
  }

  const int chosen_;
  int next_ = 0;
  bool found_ = false;
  std::string path_;
};

// The rows that others name are there.
Cluster World() {
  Cluster cluster;
  EXPECT_TRUE(cluster.AddDomain({.name = "x"}).ok());
  EXPECT_TRUE(cluster.AddNode({.name = "x", .capacity = {{"cpu", 8}}}).ok());
  EXPECT_TRUE(cluster.AddQueue({.name = "x"}).ok());
  EXPECT_TRUE(cluster.AddJob({.name = "x", .groups = {{.name = "x"}}}).ok());
  return cluster;
}

template <class S>
void RefuseBadTexts(const char* kind, const std::function<absl::Status(Cluster&, const S&)>& add) {
  for (int text = 0;; ++text) {
    S row;
    row.name = "new";
    TextSetter setter(text);
    setter.Set(&row);
    if (!setter.found()) {
      EXPECT_GT(text, 1) << kind;
      return;
    }
    Cluster cluster = World();
    EXPECT_FALSE(add(cluster, row).ok()) << kind << ": " << setter.path();
  }
}

TEST(Utf8, NoRowKeepsAnotherText) {
  RefuseBadTexts<NodeSpec>("node", [](Cluster& c, const NodeSpec& row) { return c.AddNode(row); });
  RefuseBadTexts<QueueSpec>("queue",
                            [](Cluster& c, const QueueSpec& row) { return c.AddQueue(row); });
  RefuseBadTexts<JobSpec>("job", [](Cluster& c, const JobSpec& row) { return c.AddJob(row); });
  RefuseBadTexts<TaskSpec>("task", [](Cluster& c, const TaskSpec& row) { return c.AddTask(row); });
  RefuseBadTexts<DomainSpec>("domain",
                             [](Cluster& c, const DomainSpec& row) { return c.AddDomain(row); });
  RefuseBadTexts<DisruptionBudgetSpec>(
      "budget", [](Cluster& c, const auto& row) { return c.SetDisruptionBudget(row); });
  RefuseBadTexts<NamespaceSpec>("namespace",
                                [](Cluster& c, const auto& row) { return c.SetNamespace(row); });
  RefuseBadTexts<FlavorSpec>("flavor",
                             [](Cluster& c, const auto& row) { return c.SetFlavor(row); });
  RefuseBadTexts<PartitionSpec>("partition",
                                [](Cluster& c, const auto& row) { return c.SetPartition(row); });
  RefuseBadTexts<ReservationSpec>(
      "reservation", [](Cluster& c, const auto& row) { return c.SetReservation(row); });
}

// The same through the door of events.
TEST(Utf8, NoEventKeepsAnotherText) {
  const auto apply = [](Cluster& c, const auto& row) {
    return c.ApplyDelta({.generation = 1, .object = row}).status();
  };
  RefuseBadTexts<NodeSpec>("node", apply);
  RefuseBadTexts<QueueSpec>("queue", apply);
  RefuseBadTexts<JobSpec>("job", apply);
  RefuseBadTexts<TaskSpec>("task", apply);
  RefuseBadTexts<FlavorSpec>("flavor", apply);
  RefuseBadTexts<PartitionSpec>("partition", apply);
  RefuseBadTexts<ReservationSpec>("reservation", apply);
}

}  // namespace
}  // namespace muster
