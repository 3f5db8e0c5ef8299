// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The units in which policies of the caller read amounts (muster/types.h), and those of bounds.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "muster/bound.h"
#include "muster/cluster.h"
#include "muster/policy.h"

namespace muster {
namespace {

constexpr const char* kNames[] = {"cpu",           "memory", "ephemeral-storage",
                                  "hugepages-2Mi", "pods",   "nvidia.com/gpu"};

// Reads node 0 and the first class: as rows when it is opened, as columns when it scores.
class Reader : public Policy, public ScorePolicy {
 public:
  Reader(std::map<std::string, int64_t>* rows, std::map<std::string, double>* columns)
      : rows_(*rows), columns_(*columns) {}
  std::string_view name() const override { return "reader"; }
  PointSet points() const override { return {Point::kScore}; }
  ScorePolicy* score() override { return this; }
  void Open(const Cycle& cycle) override {
    cycle_ = &cycle;
    for (const char* name : kNames) rows_[name] = cycle.idle(0)[*cycle.FindDimension(name)];
  }
  Scope ScoreScope(ClassIndex) override { return Scope::kState; }
  void ScoreStates(ClassIndex, const StateColumns& states, size_t begin, size_t, double*,
                   double*) override {
    for (const char* name : kNames) {
      columns_[name] = states.idle[*cycle_->FindDimension(name)][begin];
    }
  }

 private:
  std::map<std::string, int64_t>& rows_;
  std::map<std::string, double>& columns_;
  const Cycle* cycle_ = nullptr;
};

TEST(UnitsTest, AreBytesAndWholePodsAndThousandthsOfAllElse) {
  Cluster cluster;
  Resources capacity;
  for (const char* name : kNames) capacity.emplace_back(name, 5);
  const TaskShape shape = {.request = {{"cpu", 1}, {"nvidia.com/gpu", 2}, {"memory", 3}}};
  ASSERT_TRUE(cluster.AddNode({.name = "n", .capacity = capacity}).ok());
  ASSERT_TRUE(cluster.AddJob({.name = "j", .groups = {{.count = 1, .shape = shape}}}).ok());
  std::map<std::string, int64_t> rows;
  std::map<std::string, double> columns;
  auto extensions = std::make_shared<Extensions>();
  extensions->policies.push_back(
      {.name = "reader", .summary = "", .options = {}, .make = [&](const Options&) {
         return std::make_unique<Reader>(&rows, &columns);
       }});
  ASSERT_TRUE(cluster.Schedule("volcano", {.extensions = extensions}).ok());
  for (const char* name : kNames) {
    const std::string dimension = name;
    const bool milli = dimension == "cpu" || dimension == "nvidia.com/gpu";
    EXPECT_EQ(rows[dimension], milli ? 5000 : 5) << dimension;
    EXPECT_EQ(columns[dimension], milli ? 5000 : 5) << dimension;
  }
  const absl::StatusOr<Bound> bound = BoundOf(cluster.Freeze());
  ASSERT_TRUE(bound.ok()) << bound.status();
  for (size_t i = 0; i < bound->dimensions.size(); ++i) {
    const int64_t expected = bound->dimensions[i] == "cpu"              ? 1000
                             : bound->dimensions[i] == "nvidia.com/gpu" ? 2000
                                                                        : 3;
    EXPECT_EQ(bound->requested[i], expected) << bound->dimensions[i];
  }
}

}  // namespace
}  // namespace muster
