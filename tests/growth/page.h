// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// docs/growth.md, which states what grows faster than its input.
//
//   Page page = ReadPage();
//   page.Check("volcano preempt", "preempting jobs", {w, w2, w4});   // work of n, 2n and 4n
//   page.CheckRows();   // every row of the page was checked
//
// The exponent is log2 of w4 / w2. A pair of a subject and a part that has a row may grow as the
// row states, give or take a tenth, and a pair without one nearly linearly. Both directions are
// checked: a row that states half more than what is measured is stale. A row with the word "refused"
// in place of the exponent is of a profile that has a limit, which the world at 4n exceeds.
#ifndef MUSTER_TESTS_GROWTH_PAGE_H_
#define MUSTER_TESTS_GROWTH_PAGE_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace muster::testing {

class Page {
 public:
  using Pair = std::pair<std::string, std::string>;

  // Fails the test where a row cannot be read.
  Page();

  // Fails the test unless the work grows as the page states: in the row of the subject, or else in
  // that of all actions and policies.
  void Check(const std::string& subject, const std::string& part,
             const std::array<uint64_t, 3>& work);
  // Fails the test unless the page states that the subject refuses the part.
  void CheckRefused(const std::string& subject, const std::string& part, std::string_view why);
  // Fails the test for each row with a subject that begins with `prefix` that was not checked.
  void CheckRows(const std::string& prefix);

 private:
  std::map<Pair, double> rows_;  // kRefused: in place of an exponent
  std::map<Pair, bool> checked_;
};

}  // namespace muster::testing

#endif  // MUSTER_TESTS_GROWTH_PAGE_H_
