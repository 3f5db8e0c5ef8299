// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The jobs that wait, in lines of like jobs, each line in job order.
//
//   FairLines& lines = context.memory<FairKnown>().lines();   // on the books as they are
//   for (size_t i = 0; i < lines.size(); ++i) {
//     if (!lines[i].jobs.empty()) Serve(lines[i].jobs.front());
//   }
//
// Why. Thousands of jobs wait on a busy cluster, and most look like others: a user submits the same
// job many times. Between two cycles few of them change. So a living cluster keeps the lines, moves
// in them the jobs that changed, and looks at the first job of each line where a cycle without
// lines would look at all jobs.
//
// Like jobs are of one queue and one priority, have as many pending tasks of one class and lack as
// many of them, and run equally long by what is known. They hold nothing, have no topology wish and
// no group with a minimum of its own, and none of their tasks was nominated. So on equal
// books, where one of them finds no place the others find none, and a queue or a promise that lets
// one in lets all in. They differ in their age: what jobs could pay for evictions grows with it
// (fair_exchange.h). Any other job is a line by itself.
//
// A job is in a line if it has a task that may start, and tasks enough for its gang.
//
// Guarantee. The lines are what they would be if all jobs were put into them anew. The ledger's
// journal of jobs names every job with another row or account, and the job order of two other jobs
// is the same while policies say so (JobKeep). Otherwise the lines begin anew.
//
// Cost. Following: O(jobs that changed), each with a search in its line; O(waiting jobs log) for
// lines that begin anew.
#ifndef MUSTER_PEER_MUSTER_FAIR_LINES_H_
#define MUSTER_PEER_MUSTER_FAIR_LINES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/extension/job_keep.h"
#include "lib/part/context.h"
#include "lib/part/settles.h"
#include "lib/peer/muster/fair_ends.h"

namespace muster {

class FairLines {
 public:
  struct Key {
    QueueIndex queue = kNone;
    ClassIndex task_class = kNone;
    int64_t priority = 0, tasks = 0, lacking = 0, run = 0;
    JobIndex single = kNone;  // the only job of such a line
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      return H::combine(std::move(h), uint32_t{key.queue}, uint32_t{key.task_class}, key.priority,
                        key.tasks, key.lacking, key.run, uint32_t{key.single});
    }
  };
  struct Line {
    Key key;
    std::vector<JobIndex> jobs;  // in job order; empty: the line is not in use
    size_t sorted = 0;           // while jobs are put into it: so many are in order
    JobIndex oldest = kNone;     // kNone: it has to be looked for
    bool is_single() const { return key.single != kNone; }
  };

  // Call it once in each cycle, before Follow.
  void Open(const Dispatcher& dispatcher);
  // Makes the lines those of the books as they are.
  void Follow(const ActionContext& context);

  // Returns whether no job is in a line.
  bool empty() const { return by_key_.empty(); }
  size_t size() const { return lines_.size(); }
  const Line& operator[](size_t line) const { return lines_[line]; }
  bool Has(JobIndex job) const { return job < line_of_.size() && line_of_[job] != kNone; }
  // Returns the number of the job's line. REQUIRES: it is in one.
  size_t LineOf(JobIndex job) const { return line_of_[job]; }
  // Returns the job of the line that was created first. REQUIRES: the line is in use.
  JobIndex OldestOf(size_t line);
  // Returns the jobs with pending tasks that were nominated, ascending.
  const std::vector<JobIndex>& nominated() const { return nominated_; }
  // Returns whether it may be known of some job in a line how long it runs, by the job itself.
  bool some_end() const { return ending_ > 0; }
  // Returns whether all gates keep their answers (lib/extension/gate_keep.h).
  bool gates_keep() const { return *gates_keep_; }
  // Returns a number that no priority of a job of the queue is below.
  int64_t LeastPriority(QueueIndex queue) const { return least_priority_[queue]; }

 private:
  void Clear();
  void Put(const ActionContext& context, JobIndex job);
  void Remove(JobIndex job);
  void Sort(const Dispatcher& dispatcher);

  std::vector<Line> lines_;
  std::vector<uint32_t> free_;  // lines that are not in use
  HashMap<Key, uint32_t> by_key_;
  std::vector<uint32_t> line_of_;  // by job; kNone: it is in none
  std::vector<int64_t> created_;   // by job in a line
  std::vector<uint8_t> ends_;      // by job in a line: it has an estimate or a lifetime
  int64_t ending_ = 0;             // the number of those that have
  std::vector<JobIndex> nominated_;
  std::vector<int64_t> least_priority_;  // by queue
  std::vector<uint32_t> unsorted_;       // lines with jobs behind those in order
  std::vector<uint8_t> marks_;           // by job; all 0 between uses
  // Of the policies that order jobs; none: some of them promises nothing. In cycles with the same
  // sum of their epochs, jobs with the same rows and accounts have the same order, and are as
  // valid.
  std::optional<std::vector<const JobKeep*>> job_keeps_;
  uint64_t epoch_ = 0;
  std::optional<bool> gates_keep_;  // known once the lines were opened
  // Of the ledger's journal of jobs, and how far it was read. 0: what is known is not whole.
  uint64_t birth_ = 0;
  size_t position_ = 0;
};

// What a living cluster keeps for the next cycle.
struct FairKept : ActionKeep, Settles {
  FairLines lines;
  FairEnds ends;
  size_t settled = 0;  // actions of the cycle that have
  size_t settled_actions() const override { return settled; }
};

// The same within one cycle, for all its actions. It is kept by the first action that asks. Lines
// and ends are not whole only while they follow, and then begin anew.
class FairKnown : public CycleMemory {
 public:
  explicit FairKnown(ActionContext& context);
  // Returns the lines on the books as they are.
  FairLines& lines() {
    kept_->lines.Follow(context_);
    return kept_->lines;
  }
  // Returns the lines as they were when they were last followed.
  const FairLines& last_lines() const { return kept_->lines; }
  FairEnds& ends() { return kept_->ends; }
  // Notes that an action of this cycle has settled.
  void NoteSettled() { ++kept_->settled; }

 private:
  const ActionContext& context_;
  std::unique_ptr<FairKept> own_;  // of a session that runs once
  FairKept* kept_;
};

}  // namespace muster

#endif  // MUSTER_PEER_MUSTER_FAIR_LINES_H_
