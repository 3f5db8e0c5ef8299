// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The papers' worked scenarios of H-DRF with their results, for the tree of shares (lib/quota) and
// for whole plans (policy hdrf) alike.
//
//   for (const DrfScenario& s : WorkedDrfScenarios()) EXPECT_EQ(Filled("naive", s.capacity, s.shapes), s.naive) << s.name;
#ifndef MUSTER_TESTS_SUPPORT_DRF_SCENARIOS_H_
#define MUSTER_TESTS_SUPPORT_DRF_SCENARIOS_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace muster::testing {

// A tree in short: a team has children, a user tasks that request `task`, `tasks` of them (below 0:
// no end).
struct DrfShape {
  double weight = 1;
  std::vector<DrfShape> children = {};
  std::vector<int64_t> task = {};
  int64_t tasks = -1;
};
inline DrfShape User(std::vector<int64_t> task, double weight = 1, int64_t tasks = -1) {
  return {weight, {}, std::move(task), tasks};
}
inline DrfShape Team(std::vector<DrfShape> children, double weight = 1) {
  return {weight, std::move(children)};
}

// How many tasks each user has, in order, once nothing more can start: by each form.
struct DrfScenario {
  const char* name;
  std::vector<int64_t> capacity;
  std::vector<DrfShape> shapes;
  std::vector<int64_t> naive, static_form, dynamic;
};

inline std::vector<DrfScenario> WorkedDrfScenarios() {
  return {{"complementary leaves",
           {10, 10},
           {User({0, 1}), Team({User({1, 0}), User({0, 1})})},
           {6, 10, 4},
           {5, 10, 5},
           {5, 10, 5}},
          {"a user of both",
           {10, 10},
           {User({1, 1}), Team({User({1, 0}), User({0, 1})})},
           {5, 5, 5},
           {5, 5, 5},
           {5, 5, 5}},
          {"a resource used up",
           {30, 30},
           {User({1, 0}), User({1, 0}), Team({User({1, 0}), User({0, 1})}), User({0, 1})},
           {10, 10, 10, 15, 15},
           {10, 10, 10, 20, 10},
           {10, 10, 10, 15, 15}},
          {"not flat",
           {30, 30},
           {Team({User({1, 0}), User({0, 1})}), User({1, 1})},
           {15, 15, 15},
           {15, 15, 15},
           {15, 15, 15}},
          {"weighted teams",
           {30, 30},
           {Team({User({1, 0}), User({0, 1})}, 2), User({1, 1})},
           {20, 20, 10},
           {20, 20, 10},
           {20, 20, 10}},
          {"two levels",
           {24, 24},
           {Team({Team({User({1, 0}), User({0, 1})}), User({1, 1})}), User({1, 1})},
           {6, 6, 6, 12},
           {6, 6, 6, 12},
           {6, 6, 6, 12}},
          {"three resources",
           {30, 30, 30},
           {User({1, 0, 0}), Team({User({1, 0, 0}), User({0, 1, 0}), User({0, 0, 1})}),
            User({0, 1, 1})},
           {15, 15, 15, 15, 15},
           {15, 15, 15, 15, 15},
           {15, 15, 15, 15, 15}}};
}

}  // namespace muster::testing

#endif  // MUSTER_TESTS_SUPPORT_DRF_SCENARIOS_H_
