// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Plans of one cluster as a page for a browser: one self-contained text of HTML, without scripts
// and without anything that is loaded from elsewhere.
//
//   std::vector<PagePlan> plans = {{.profile = "volcano", .plan = *plan}};
//   std::string html = WritePage(tables, "monday.json", plans);
//
// The page has, for each plan: the nodes as a map, each filled by what its tasks hold of the
// dimension that is scarcest there, colored by queue; the queues as a tree with what they hold,
// deserve and may hold at most; the jobs that wait, with their reasons and with remedies where some
// are given. With several plans a table compares how many tasks of each job have a node.
//
// A task counts where it is once the plan has been carried out (ends.h). Names are escaped: a page
// shows them and never runs them.
// Cost. O(rows + decisions) for each plan, and about 300 bytes of text for each node.
#ifndef MUSTER_ADVICE_PAGE_H_
#define MUSTER_ADVICE_PAGE_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/model/tables.h"
#include "muster/plan.h"
#include "muster/remedy.h"

namespace muster {

struct PagePlan {
  std::string profile = {};
  Plan plan = {};
  std::string refused = {};  // why there is no plan; empty: there is one
  bool places = true;        // the profile places tasks, and does not only admit them
  // By job that waits: what was found out about it.
  std::vector<std::pair<std::string, Diagnosis>> diagnoses = {};
};

// REQUIRES: the plans are of a snapshot with these tables.
std::string WritePage(const Tables& tables, std::string_view title,
                      std::span<const PagePlan> plans);

// A job that waits, or a task without a job. Tasks without a job that wait for one reason are one
// row: the first, and the others.
struct WaitingRow {
  std::string name;
  std::vector<std::string> alike = {};
};
// Returns the jobs that wait in the plan, in the order of the tables, and then the tasks without a
// job, in the plan's. O(rows + decisions).
std::vector<WaitingRow> WaitingRows(const Tables& tables, const Plan& plan);

}  // namespace muster

#endif  // MUSTER_ADVICE_PAGE_H_
