// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The parts of a page (page.h), each a text of HTML.
//
//   const PageView view(tables, plan);
//   AppendNodeMap(view, &html);
//   AppendQueueTree(view, &html);
//   AppendWaitingJobs(view, diagnoses, places, &html);
#ifndef MUSTER_ADVICE_PAGE_PARTS_H_
#define MUSTER_ADVICE_PAGE_PARTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/advice/ends.h"
#include "lib/model/tables.h"
#include "muster/plan.h"
#include "muster/remedy.h"

namespace muster {

// What the parts of one plan have in common.
struct PageView {
  PageView(const Tables& tables, const Plan& plan);

  // By dimension, what the tasks of a class hold; absent amounts are 0.
  int64_t Request(TaskIndex t, DimensionIndex d) const;
  // The queue of the task's job; kNone: it has no job.
  QueueIndex QueueOf(TaskIndex t) const;

  const Tables& tables;
  const Plan& plan;
  const Ends ends;
  std::vector<std::vector<TaskIndex>> on_node;  // by node
  std::vector<int64_t> capacity;                // by dimension, of all nodes that are there
};

// The text with what HTML gives a meaning to written out.
std::string Escaped(std::string_view text);
// The colour of a queue: far from those of the queues before and after it.
std::string ColourOf(QueueIndex queue);

void AppendNodeMap(const PageView& view, std::string* out);
void AppendQueueTree(const PageView& view, std::string* out);
void AppendWaitingJobs(const PageView& view,
                       const std::vector<std::pair<std::string, Diagnosis>>& diagnoses, bool places,
                       std::string* out);

}  // namespace muster

#endif  // MUSTER_ADVICE_PAGE_PARTS_H_
