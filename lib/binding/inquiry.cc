// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/binding/inquiry.h"

namespace muster::binding {
namespace {

std::vector<uint32_t> Alive(const std::vector<uint8_t>& alive) {
  std::vector<uint32_t> rows;
  for (size_t i = 0; i < alive.size(); ++i) {
    if (alive[i]) rows.push_back(static_cast<uint32_t>(i));
  }
  return rows;
}

}  // namespace

void Inquiry::Open(const Cycle& cycle, std::initializer_list<Point> points) {
  tables_ = &internal::DataOf(cycle).tables;
  ledger_ = &internal::DataOf(cycle).ledger;
  domains_ = internal::DataOf(cycle).domains;
  for (Column& column : columns_) column.known = false;
  ListRows();
  if (failed()) return;
  callbacks_->Open(cycle);
  for (const Point point : points) {
    if (Has(point)) Renew(point);
  }
}

void Inquiry::ListRows() {
  nodes_ = Alive(tables_->nodes.alive);
  queues_ = Alive(tables_->queues.alive);
  jobs_ = Alive(tables_->jobs.alive);
  tasks_.clear();
  for (TaskIndex t = 0; Has(Point::kTaskOrder) && t < tables_->tasks.alive.size(); ++t) {
    if (tables_->tasks.alive[t] && tables_->has_job(t)) tasks_.push_back(t);
  }
  group_jobs_.clear();
  groups_.clear();
  first_group_.assign(tables_->jobs.alive.size(), 0);
  for (const uint32_t job : jobs_) {
    first_group_[job] = groups_.size();
    const size_t count = tables_->jobs.spec[job].sub_groups.size();
    for (size_t slot = 0; count > 0 && slot <= count; ++slot) {
      group_jobs_.push_back(job);
      groups_.push_back(SubGroup::AtSlot(JobIndex(job), slot).index);
    }
  }
}

double Inquiry::Now(Point point, size_t row) {
  const Column& column = columns_[static_cast<int>(point)];
  if (!Fresh(column)) Renew(point);
  return Kept(point, row);
}

void Inquiry::Renew(Point point) {
  Question question{.point = point, .rows = jobs_};
  size_t all = tables_->jobs.alive.size();
  switch (point) {
    case Point::kQueueOrder:
    case Point::kOverused:
      question.rows = queues_;
      all = tables_->queues.alive.size();
      break;
    case Point::kTaskOrder:
      question.rows = tasks_;
      all = tables_->tasks.alive.size();
      break;
    case Point::kSubGroupOrder:
    case Point::kSubGroupReady:
    case Point::kSubGroupPipelined:
      question.rows = group_jobs_;
      question.groups = groups_;
      all = groups_.size();
      break;
    default:
      break;
  }
  Column& column = columns_[static_cast<int>(point)];
  column.known = false;
  Renew(question, all, &column);
}

void Inquiry::Renew(const Question& question, size_t all, Column* column) {
  if (Fresh(*column)) return;
  column->known = false;
  const double nothing = FormOf(question.point).nothing;
  std::vector<double> answers(question.rows.size(), nothing);
  const bool answered = Ask(question, &answers);
  if (failed()) return;
  column->values.assign(all, nothing);
  for (size_t i = 0; answered && i < answers.size(); ++i) {
    column->values[question.groups.empty() ? question.rows[i] : i] = answers[i];
  }
  column->known = true;
  column->content = ledger_->moment().content;
}

bool Inquiry::Ask(const Question& question, std::vector<double>* answers) {
  if (failed() || !callbacks_->Ask(question, std::span(*answers))) return false;
  const Form form = FormOf(question.point).form;
  for (size_t i = 0; i < answers->size(); ++i) {
    const std::string fault = FaultOf(form, (*answers)[i]);
    if (fault.empty()) continue;
    callbacks_->Refuse(question, i, fault);
    return false;
  }
  return !failed();
}

}  // namespace muster::binding
