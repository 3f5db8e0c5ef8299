// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Asks the callbacks of one policy, checks what they answer, and keeps it.
//
//   Inquiry inquiry(PointSet{Point::kReady}, std::make_unique<Mine>());
//   inquiry.Open(cycle);
//   const bool ready = inquiry.Now(Point::kReady, job) != 0;   // asks once for all jobs
//
// Answers about all rows of a table are kept with the content of the books that they were given
// for (Ledger::moment): answers that may change are asked for again when that is another. After a
// failure every answer is that of a policy without an opinion.
#ifndef MUSTER_BINDING_INQUIRY_H_
#define MUSTER_BINDING_INQUIRY_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/binding/question.h"
#include "lib/extension/cycle.h"

namespace muster::binding {

// The answers about all rows of a table, by row, and the books for which they were given.
struct Column {
  std::vector<double> values;
  uint64_t content = 0;
  bool known = false;

  // Returns the answer, or `nothing` if there is none.
  double at(size_t row, double nothing) const {
    return known && row < values.size() ? values[row] : nothing;
  }
};

class Inquiry {
 public:
  Inquiry(PointSet points, std::unique_ptr<Callbacks> callbacks)
      : points_(points), callbacks_(std::move(callbacks)) {}

  // Forgets all answers, opens the callbacks, and asks at `points`, as far as the policy answers
  // there: with the books as the cycle finds them.
  void Open(const Cycle& cycle, std::initializer_list<Point> points);

  bool Has(Point point) const { return points_.has(point); }
  bool failed() const { return callbacks_->failed(); }
  const Tables& tables() const { return *tables_; }
  const Ledger& ledger() const { return *ledger_; }
  const Domains& domains() const { return *domains_; }

  // Points about all jobs, queues, tasks of jobs, or sub-groups. Kept returns the answer that was
  // given last, Now the answer for the books as they are. Renew asks now.
  double Kept(Point point, size_t row) const {
    return columns_[static_cast<int>(point)].at(row, FormOf(point).nothing);
  }
  double Now(Point point, size_t row);
  void Renew(Point point);
  // Returns the row of a sub-group for these two.
  size_t RowOf(const SubGroup& group) const { return first_group_[group.job] + group.slot(); }

  // Asks a question of the caller's about `all` rows of a table of which question.rows are there,
  // and keeps the answers in `column`. Does nothing if the column is for the books as they are.
  void Renew(const Question& question, size_t all, Column* column);
  // Asks, and checks the answers. Returns false if there is nothing to use. `answers` holds what a
  // policy without an opinion answers, one for each row.
  bool Ask(const Question& question, std::vector<double>* answers);

  // The rows that are there.
  std::span<const uint32_t> queues() const { return queues_; }
  std::span<const uint32_t> nodes() const { return nodes_; }

 private:
  bool Fresh(const Column& column) const {
    return column.known && column.content == ledger_->moment().content;
  }
  void ListRows();

  const PointSet points_;
  const std::unique_ptr<Callbacks> callbacks_;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  const Domains* domains_ = nullptr;
  std::vector<uint32_t> nodes_, queues_, jobs_, tasks_;
  std::vector<uint32_t> group_jobs_, groups_;  // all sub-groups, those of a job side by side
  std::vector<size_t> first_group_;            // of a job, in these
  std::array<Column, kPointCount> columns_;
};

}  // namespace muster::binding

#endif  // MUSTER_BINDING_INQUIRY_H_
