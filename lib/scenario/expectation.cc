// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Compares a plan with what was expected of it. Maps and lists are compared as sorted sets, because
// an expectation states what happens, not in which order. The digest covers the order.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/access.h"
#include "lib/model/tables.h"
#include "lib/scenario/scenario.h"

namespace muster {
namespace {

using Pairs = Named<std::string>;

// Text written by hand may round; no decision depends on this.
bool Near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

class Differences {
 public:
  std::vector<std::string> lines;

  // `what` is "bind", "eviction", ...; an empty value stands for a name alone.
  void Compare(std::string_view what, Pairs expected, Pairs actual) {
    std::sort(expected.begin(), expected.end());
    std::sort(actual.begin(), actual.end());
    auto e = expected.begin();
    auto a = actual.begin();
    while (e != expected.end() || a != actual.end()) {
      if (a == actual.end() || (e != expected.end() && e->first < a->first)) {
        Add(what, e->first, Expected(e->second), "got none");
        ++e;
      } else if (e == expected.end() || a->first < e->first) {
        Add(what, a->first, "not expected", Got(a->second));
        ++a;
      } else {
        if (e->second != a->second) Add(what, e->first, Expected(e->second), Got(a->second));
        ++e;
        ++a;
      }
    }
  }

  void Compare(std::string_view what, const std::vector<std::string>& expected, Pairs actual) {
    Pairs pairs;
    for (const std::string& name : expected) pairs.emplace_back(name, "");
    Compare(what, std::move(pairs), std::move(actual));
  }

  void Add(std::string_view what, std::string_view name, std::string_view expected,
           std::string_view got) {
    lines.push_back(
        absl::StrCat(ToAbsl(what), " ", Quote(name), ": ", ToAbsl(expected), ", ", ToAbsl(got)));
  }

 private:
  static std::string Expected(const std::string& value) {
    return value.empty() ? "expected" : absl::StrCat("expected ", Quote(value));
  }
  static std::string Got(const std::string& value) {
    return value.empty() ? "got it" : absl::StrCat("got ", Quote(value));
  }
};

// Task -> node, of decisions that place tasks.
template <class Row>
Pairs Places(const Plan& plan, std::span<const Row> rows) {
  Pairs pairs;
  for (const Row& row : rows) {
    pairs.emplace_back(plan.task_name(row.task), plan.node_name(row.node));
  }
  return pairs;
}

Pairs Evicted(const Plan& plan) {
  Pairs pairs;
  for (const Eviction& d : plan.evictions()) pairs.emplace_back(plan.task_name(d.task), "");
  return pairs;
}

Pairs Admitted(const Plan& plan) {
  Pairs pairs;
  for (const Admission& d : plan.admissions()) pairs.emplace_back(plan.job_name(d.job), "");
  return pairs;
}

void ComparePhases(const Plan& plan, const Snapshot& snapshot, const Named<JobPhase>& expected,
                   Differences* differences) {
  Named<JobPhase> changed;
  for (const Decision& d : plan.decisions()) {
    if (d.kind == DecisionKind::kPhase) changed.emplace_back(plan.job_name(d.job), d.phase);
    if (d.kind == DecisionKind::kAdmit)
      changed.emplace_back(plan.job_name(d.job), JobPhase::kAdmitted);
  }
  // A job may be admitted and then run in one cycle: the last word counts, and stands first when
  // sorted.
  std::reverse(changed.begin(), changed.end());
  std::stable_sort(changed.begin(), changed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Pairs words, actual;
  for (const auto& [job, phase] : expected) {
    words.emplace_back(job, JobPhaseName(phase));
    const auto change =
        std::lower_bound(changed.begin(), changed.end(), job,
                         [](const auto& c, const std::string& name) { return c.first < name; });
    if (change != changed.end() && change->first == job) continue;  // below
    const std::optional<JobIndex> index = snapshot.FindJob(job);
    if (index.has_value())
      actual.emplace_back(job, JobPhaseName(TablesOf(snapshot).jobs.spec[*index].phase));
  }
  for (size_t i = 0; i < changed.size(); ++i) {
    if (i > 0 && changed[i].first == changed[i - 1].first) continue;
    actual.emplace_back(changed[i].first, JobPhaseName(changed[i].second));
  }
  differences->Compare("phase of", std::move(words), std::move(actual));
}

void CompareNumber(std::string_view what, const std::string& queue, double expected, double actual,
                   Differences* differences) {
  if (Near(expected, actual)) return;
  differences->Add(what, queue, absl::StrCat("expected ", expected), absl::StrCat("got ", actual));
}

void CompareShares(const Plan& plan, const Named<ExpectedShare>& expected,
                   Differences* differences) {
  for (const auto& [queue, share] : expected) {
    const auto actual = std::find_if(
        plan.shares().begin(), plan.shares().end(),
        [&plan, &name = queue](const QueueShare& s) { return plan.queue_name(s.queue) == name; });
    if (actual == plan.shares().end()) {
      differences->Add("share of", queue, "expected", "the plan has none");
      continue;
    }
    if (share.share.has_value()) {
      CompareNumber("share of", queue, *share.share, actual->share_after, differences);
    }
    if (!share.deserved.has_value()) continue;
    for (const auto& [dimension, amount] : *share.deserved) {
      size_t d = 0;
      while (d < actual->deserved.size() &&
             plan.dimension_name(static_cast<DimensionIndex>(d)) != dimension)
        ++d;
      const std::string what = absl::StrCat("deserved ", dimension, " of");
      if (d == actual->deserved.size()) {
        differences->Add(what, queue, absl::StrCat("expected ", amount), "the plan has none");
      } else {
        CompareNumber(what, queue, amount, actual->deserved[d], differences);
      }
    }
  }
}

void CompareReasons(const Plan& plan, const Pairs& expected, Differences* differences) {
  for (const auto& [name, words] : expected) {
    const absl::StatusOr<std::string> text = plan.Explain(name);
    if (!text.ok()) {
      differences->Add("reason of", name, absl::StrCat("expected ", Quote(words)),
                       std::string(text.status().message()));
    } else if (text->find(words) == text->npos) {
      differences->Add("reason of", name, absl::StrCat("expected ", Quote(words)),
                       absl::StrCat("got ", Quote(*text)));
    }
  }
}

}  // namespace

std::vector<std::string> CheckExpectation(const Plan& plan, const Snapshot& snapshot,
                                          const Expectation& expect) {
  Differences differences;
  if (expect.binds.has_value()) {
    differences.Compare("bind of", *expect.binds, Places(plan, plan.binds()));
  }
  if (expect.nominations.has_value()) {
    differences.Compare("nomination of", *expect.nominations, Places(plan, plan.nominations()));
  }
  if (expect.tentative.has_value()) {
    differences.Compare("tentative place of", *expect.tentative, Places(plan, plan.tentative()));
  }
  if (expect.moves.has_value()) {
    Pairs moved;
    for (const Move& d : plan.moves()) {
      moved.emplace_back(plan.task_name(d.task), plan.node_name(d.to));
    }
    differences.Compare("move of", *expect.moves, std::move(moved));
  }
  if (expect.reservations.has_value()) {
    differences.Compare("reservation for", *expect.reservations, Places(plan, plan.reservations()));
  }
  if (expect.evictions.has_value()) {
    differences.Compare("eviction of", *expect.evictions, Evicted(plan));
  }
  if (expect.admitted.has_value()) {
    differences.Compare("admission of", *expect.admitted, Admitted(plan));
  }
  if (expect.phases.has_value()) ComparePhases(plan, snapshot, *expect.phases, &differences);
  if (expect.shares.has_value()) CompareShares(plan, *expect.shares, &differences);
  if (expect.reasons.has_value()) CompareReasons(plan, *expect.reasons, &differences);
  return std::move(differences.lines);
}

}  // namespace muster
