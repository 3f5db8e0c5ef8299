// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/binding/column_interfaces.h"

#include <algorithm>
#include <map>

namespace muster::binding {
namespace {

int CompareKeys(double a, double b) { return (a > b) - (a < b); }

// The answers about all nodes for a class, with the books as the cycle found them.
const Column& OfClass(Inquiry& inquiry, Point point, ClassIndex c, std::vector<Column>* by_class) {
  if (c >= by_class->size()) by_class->resize(inquiry.tables().classes.shape.size());
  Column& column = (*by_class)[c];
  if (!column.known) {
    inquiry.Renew({.point = point, .rows = inquiry.nodes(), .task_class = c},
                  inquiry.tables().nodes.alive.size(), &column);
  }
  return column;
}

}  // namespace

// --- orders

int OrderColumns::Compare(Point point, size_t a, size_t b) {
  if (!live_) return CompareKeys(inquiry_.Kept(point, a), inquiry_.Kept(point, b));
  const double left = inquiry_.Now(point, a);
  return CompareKeys(left, inquiry_.Now(point, b));
}

int OrderColumns::CompareTasks(TaskIndex a, TaskIndex b) {
  return CompareKeys(inquiry_.Kept(Point::kTaskOrder, a), inquiry_.Kept(Point::kTaskOrder, b));
}

int OrderColumns::CompareVictimQueues(QueueIndex a, QueueIndex b, QueueIndex evictor) {
  const size_t all = inquiry_.tables().queues.alive.size();
  by_evictor_.resize(all);
  Column& column = by_evictor_[evictor];
  inquiry_.Renew({.point = Point::kVictimQueueOrder, .rows = inquiry_.queues(), .evictor = evictor},
                 all, &column);
  return CompareKeys(column.at(a, 0), column.at(b, 0));
}

// --- gates

void GateColumns::Forget() {
  admitted_ = false;
  by_class_.clear();
  preemptive_.known = false;
}

Verdict GateColumns::Admit(JobIndex job) {
  if (admitted_) inquiry_.Renew(Point::kAdmit);
  admitted_ = false;
  return {.vote = VoteOf(inquiry_.Kept(Point::kAdmit, job))};
}

Verdict GateColumns::Allocatable(QueueIndex queue, TaskIndex task) {
  const Tables& tables = inquiry_.tables();
  const ClassIndex c = tables.tasks.task_class[task];
  if (c >= by_class_.size()) by_class_.resize(tables.classes.shape.size());
  inquiry_.Renew({.point = Point::kAllocatable, .rows = inquiry_.queues(), .task_class = c},
                 tables.queues.alive.size(), &by_class_[c]);
  return by_class_[c].at(queue, 1) != 0 ? Verdict::Yes() : Verdict::No();
}

Verdict GateColumns::Preemptive(QueueIndex queue, std::span<const int64_t> request) {
  if (!std::ranges::equal(request, request_)) {
    request_.assign(request.begin(), request.end());
    preemptive_.known = false;
  }
  inquiry_.Renew({.point = Point::kPreemptive, .rows = inquiry_.queues(), .request = request_},
                 inquiry_.tables().queues.alive.size(), &preemptive_);
  return preemptive_.at(queue, 1) != 0 ? Verdict::Yes() : Verdict::No();
}

// --- nodes

// A fit does not change within a cycle: it is asked about all nodes once.
void FitColumns::FitStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                           uint8_t* fits) {
  const Column& mine = OfClass(inquiry_, Point::kFit, c, &by_class_);
  if (!mine.known) return;
  for (size_t i = begin; i < end; ++i) fits[i - begin] &= mine.values[states.node[i]] != 0;
}

void ScoreColumns::ScoreStates(ClassIndex c, const StateColumns& states, size_t begin, size_t end,
                               double* order, double*) {
  if (begin == end) return;
  if (!live_) {
    const Column& mine = OfClass(inquiry_, Point::kScore, c, &by_class_);
    if (!mine.known) return;
    for (size_t i = begin; i < end; ++i) order[i - begin] += mine.values[states.node[i]];
    return;
  }
  std::vector<uint32_t> nodes;
  for (size_t i = begin; i < end; ++i) nodes.push_back(states.node[i]);
  std::vector<double> answers(nodes.size(), 0.0);
  const Question question{.point = Point::kScore,
                          .rows = nodes,
                          .task_class = c,
                          .states = &states,
                          .begin = begin,
                          .end = end};
  if (!inquiry_.Ask(question, &answers)) return;
  for (size_t i = 0; i < answers.size(); ++i) order[i] += answers[i];
}

// --- victims

Vote VictimColumns::Choose(Question question, std::span<const TaskIndex> candidates,
                           std::vector<TaskIndex>* chosen) {
  const std::vector<uint32_t> rows(candidates.begin(), candidates.end());
  question.rows = rows;
  std::vector<double> answers(rows.size(), 0.0);
  if (!inquiry_.Ask(question, &answers)) return Vote::kAbstain;
  for (size_t i = 0; i < answers.size(); ++i) {
    if (answers[i] != 0) chosen->push_back(candidates[i]);
  }
  return Vote::kPermit;
}

// --- domains

std::vector<uint32_t> DomainColumns::Inside(DomainIndex within) const {
  const Domains& domains = inquiry_.domains();
  std::vector<DomainIndex> found = {within};
  for (size_t i = 0; i < found.size(); ++i) {
    const auto below = domains.children(found[i]);
    found.insert(found.end(), below.begin(), below.end());
  }
  std::ranges::sort(found, [&](DomainIndex a, DomainIndex b) {
    return domains.tier(a) != domains.tier(b) ? domains.tier(a) < domains.tier(b)
                                              : domains.NameBefore(a, b);
  });
  return {found.begin(), found.end()};
}

std::vector<double> DomainColumns::Ranks(const Question& question) {
  const auto fill = [&](std::vector<double>* ranks) {
    ranks->clear();
    for (const uint32_t d : question.rows) ranks->push_back(d == question.within ? 0 : -1);
  };
  std::vector<double> ranks;
  fill(&ranks);
  if (!inquiry_.Ask(question, &ranks)) fill(&ranks);
  return ranks;
}

DomainLists DomainColumns::Search(const SubGroup& group, DomainIndex within, DomainIndex allocated,
                                  bool evicting) {
  const std::vector<uint32_t> inside = Inside(within);
  const std::vector<double> ranks = Ranks({.point = Point::kDomainSearch,
                                           .rows = inside,
                                           .group = group,
                                           .within = within,
                                           .allocated = allocated,
                                           .evicting = evicting});
  std::map<double, std::vector<DomainIndex>> by_rank;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (ranks[i] >= 0) by_rank[ranks[i]].push_back(DomainIndex(inside[i]));
  }
  DomainLists lists;
  for (auto& [rank, list] : by_rank) lists.push_back(std::move(list));
  return lists;
}

bool DomainColumns::OffersLeaf(const SubGroup& group, DomainIndex leaf) {
  const uint32_t rows[] = {leaf};
  return Ranks({.point = Point::kDomainSearch, .rows = rows, .group = group, .within = leaf})[0] >=
         0;
}

void DomainColumns::ScoreDomains(const SubGroup& group, std::span<const DomainIndex> domains,
                                 std::span<double> scores) {
  const std::vector<uint32_t> rows(domains.begin(), domains.end());
  std::vector<double> answers(rows.size(), 0.0);
  if (!inquiry_.Ask({.point = Point::kDomainScore, .rows = rows, .group = group}, &answers)) return;
  for (size_t i = 0; i < answers.size(); ++i) scores[i] += answers[i];
}

}  // namespace muster::binding
