// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// docs/growth.md, which states what grows faster than its input.
//
//   Page page = ReadPage();
//   page.Check("volcano preempt", "preempting jobs", {w, w2, w4});   // work of n, 2n and 4n
//   page.CheckRows("volcano ");          // every row with such a subject was checked
//
// The exponent is log2 of w4 / w2. A pair of a subject and a part that has a row may grow as the
// row states, give or take a tenth. A pair without one may grow as the row of the part for every
// action and policy, if it is one of these and there is such a row, and else nearly linearly. Both
// directions are checked: a row that states over half more than what is measured is stale.
#ifndef MUSTER_TESTS_GROWTH_PAGE_H_
#define MUSTER_TESTS_GROWTH_PAGE_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace muster::testing {

class Page {
 public:
  using Pair = std::pair<std::string, std::string>;

  // Fails the test where a row cannot be read.
  Page();

  // The subject of a row about every action and policy.
  static constexpr char kEvery[] = "every action and policy";

  // Fails the test unless the work grows as the page states.
  void Check(const std::string& subject, const std::string& part,
             const std::array<uint64_t, 3>& work);
  // Fails the test for each row with a subject that begins with `prefix` that was not checked, or
  // that states too much.
  void CheckRows(const std::string& prefix);

 private:
  struct Row {
    double stated = 0;
    double measured = -1;  // the most of all pairs that it covers
  };
  Row* Find(const std::string& subject, const std::string& part);

  std::map<Pair, Row> rows_;
};

}  // namespace muster::testing

#endif  // MUSTER_TESTS_GROWTH_PAGE_H_
