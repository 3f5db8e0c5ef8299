// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// due: short jobs go ahead of long ones, and nothing is overtaken by what comes much later.
//
// Idea. A job is due min(cap * W, scale * length) seconds after it was created, and the job that is
// due first goes first. `length` is guessed from the jobs that have ended (run_history.h): by user,
// estimate and size. W is the longest wait of any job that has started. due_order.h explains the
// order and what it guarantees.
//
// Rules. A job is noted, and its due time fixed, by the first cycle in which it has a pending task
// or holds a place. It runs while it holds a place, from the time at which the first of its tasks
// started, or from the cycle that placed it. It has ended in the first cycle in which it holds
// nothing and has nothing pending, or is gone: its run time is then learnt. A job that is gone
// while it waits teaches nothing. One that loses all its places waits again, with its due time.
// The user is that of the job's owner; the size is the amount, in whole cpus, GPUs or Gi, of the
// dimension of which it requests the largest part. A job without an estimate counts as one of five
// days. Run times are exact where a cycle runs when a job ends, and else too long by up to the time
// between two cycles.
//
// Memory. Slot "due" has a row for each job that waits or runs: state, due time, start, estimate,
// size, user. States: 0 waits, 1 waits after it had run, 2 runs since the cycle that placed it, 3
// runs. Slot "due-wait" has W as row "longest". history_slots.h has the rest.
//
// Ties. Due times are thousandths of a second; equal ones are left to the next policy.
// Cost. Open: O(jobs that changed), and for a new job that of HistorySlots::Length. In a cluster's
// first cycle, or after the memory was changed by others: O(jobs). Comparing: O(1).
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lib/base/math.h"
#include "lib/extension/cycle.h"
#include "lib/extension/job_keep.h"
#include "lib/policy/due_order.h"
#include "lib/policy/history_slots.h"
#include "lib/policy/job_size.h"
#include "lib/policy/policies.h"

namespace muster {
namespace {

constexpr MemoryDecl kDueSlot = {"due", 1}, kWaitSlot = {"due-wait", 1};
constexpr std::string_view kLongest = "longest";
constexpr int64_t kFiveDays = 432000;

constexpr OptionDecl kDueOptions[] = {
    {"scale", OptionKind::kNumber, "200", 0, 1e9, "a job is due this many times its own length"},
    {"cap", OptionKind::kNumber, "0.3", 0, 1e9,
     "no later after its creation than this part of the longest wait"},
};

// Returns the seconds from one time to a later one; 0 if it is none.
int64_t Elapsed(int64_t from, int64_t to) {
  int64_t seconds = 0;
  if (from >= to) return 0;
  return __builtin_sub_overflow(to, from, &seconds) ? kMaxQuantity : seconds;
}

enum class DueState : int64_t { kWaits, kWaitsAgain, kPlaced, kRuns };

struct DueRow {
  DueState state = DueState::kWaits;
  int64_t key = 0, started = 0;  // started: while it runs
  int64_t estimate = 1, size = 1;
  std::string user;

  HistorySlots::Kind kind() const { return {.user = user, .estimate = estimate, .size = size}; }
  MemoryRow cells() const {
    MemoryRow cells;
    cells.reserve(6);
    cells.emplace_back(static_cast<int64_t>(state));
    for (const int64_t number : {key, started, estimate, size}) cells.emplace_back(number);
    cells.emplace_back(user);
    return cells;
  }
};

int64_t DueCell(const MemoryRow& cells, size_t cell) {
  const int64_t* value = cell < cells.size() ? std::get_if<int64_t>(&cells[cell]) : nullptr;
  return value == nullptr ? 0 : *value;
}

DueState DueStateOf(const MemoryRow& cells) {
  return static_cast<DueState>(std::clamp<int64_t>(DueCell(cells, 0), 0, 3));
}

DueRow DueRowOf(const MemoryRow& cells) {
  const std::string* user = cells.size() > 5 ? std::get_if<std::string>(&cells[5]) : nullptr;
  return {.state = DueStateOf(cells),
          .key = DueCell(cells, 1),
          .started = DueCell(cells, 2),
          .estimate = DueCell(cells, 3),
          .size = DueCell(cells, 4),
          .user = user == nullptr ? std::string() : *user};
}

class Due : public Policy, public OrderPolicy, public JobKeep {
 public:
  explicit Due(const Options& options)
      : settings_{.scale = options.number("scale"), .cap = options.number("cap")} {}

  std::string_view name() const override { return "due"; }
  PointSet points() const override { return {Point::kJobOrder}; }
  OrderPolicy* order() override { return this; }
  // Rows that others changed may have other due times.
  uint64_t JobEpoch() const override { return epoch_; }

  void Open(const Cycle& cycle) override {
    cycle_ = &cycle;
    tables_ = &internal::DataOf(cycle).tables;
    ledger_ = &internal::DataOf(cycle).ledger;
    const std::vector<JobIndex>* changed = internal::DataOf(cycle).changed;
    const bool known = std::exchange(knows_, false) && changed != nullptr &&
                       cycle.Recall(kDueSlot.slot).rows().SharesAllWith(rows_.rows());
    const size_t jobs = tables_->jobs.alive.size();
    if (!known) {
      kept_.clear();
      ++epoch_;
    }
    kept_.resize(jobs);
    recent_.Open(*internal::DataOf(cycle).memory);
    internal::DataOf(cycle).memory->AtEnd([this] { Close(); });
    if (known) {
      FollowChanges(*changed);
    } else {
      FollowRows();
    }
  }

  int CompareJobs(JobIndex a, JobIndex b) override {
    const int64_t left = KeyOf(a), right = KeyOf(b);
    return (left > right) - (left < right);
  }

 private:
  // The row of a job, so that a cycle need not read rows.
  struct Kept {
    bool there = false;
    DueRow row;
    std::string name;
  };
  // Names are the order in which ends are learnt.
  struct Step {
    std::string name;
    DueRow row;
    bool stays = true;    // false: its row is erased
    bool learns = false;  // it ran, and has ended
  };

  // The cycle has placed tasks: their jobs run.
  void Close() {
    placed_.clear();
    for (const Ledger::Entry& entry : ledger_->log()) {
      const JobIndex job = tables_->tasks.job[entry.task];
      if (job == kNone || !Waits(job) || !Holds(job)) continue;
      NoteStart(job, cycle_->now(), DueState::kPlaced, &kept_[job].row);
      Write(job);
      placed_.push_back(job);
    }
    const MemorySlot& now = cycle_->Recall(kDueSlot.slot);
    if (!now.rows().SharesAllWith(rows_.rows())) rows_ = now;
    knows_ = true;
    recent_.Close(*internal::DataOf(*cycle_).memory);
  }

  void Write(JobIndex job) {
    cycle_->Remember(kDueSlot.slot).Set(kept_[job].name, kept_[job].row.cells());
  }

  // Returns whether it has a row, and held nothing when the cycle began.
  bool Waits(JobIndex job) const {
    return kept_[job].there && kept_[job].row.state < DueState::kPlaced;
  }
  // Returns whether it has a place that it has not left yet.
  bool Holds(JobIndex job) const {
    const JobCounts& counts = ledger_->job(job);
    return counts.allocated() + counts[TaskStatus::kReleasing] + counts[TaskStatus::kUnknown] > 0;
  }
  bool Stands(JobIndex job) const {
    const JobCounts& counts = ledger_->job(job);
    return counts.pending() + counts.nominated() > 0 || Holds(job);
  }
  // Returns the first start of the tasks that hold a place, or `otherwise`.
  int64_t StartOf(JobIndex job, int64_t otherwise) const {
    int64_t first = kAbsent;
    for (const TaskIndex task : tables_->jobs.tasks[job]) {
      const int64_t started = tables_->tasks.started[task];
      const TaskStatus status = ledger_->status(task);
      const bool holds =
          IsAllocated(status) || status == TaskStatus::kReleasing || status == TaskStatus::kUnknown;
      if (started == kAbsent || !holds) continue;
      first = first == kAbsent ? started : std::min(first, started);
    }
    return first == kAbsent ? otherwise : first;
  }
  // A job without a row goes as if it was due at once.
  int64_t KeyOf(JobIndex job) const {
    const Kept& kept = kept_[job];
    return kept.there ? kept.row.key : SatMul(tables_->jobs.spec[job].created, 1000);
  }

  // Brings the rows of earlier cycles up to date, and learns from those of jobs that have ended.
  void FollowRows() {
    std::vector<Step> steps;
    for (const auto& [name, cells] : cycle_->Recall(kDueSlot.slot).rows()) {
      const std::optional<JobIndex> job = tables_->jobs.names.Find(name);
      const DueRow row = DueRowOf(cells);
      if (job) kept_[*job] = {.there = true, .row = row, .name = name};
      Follow(job, name, row, &steps);
    }
    Take(std::move(steps));
    std::vector<JobIndex> all;
    for (JobIndex job = 0; job < tables_->jobs.alive.size(); ++job) all.push_back(job);
    NoteNewJobs(all);
  }

  // Does the same where only these jobs changed since the last cycle.
  void FollowChanges(const std::vector<JobIndex>& changed) {
    std::vector<Step> steps;
    for (const JobIndex job : changed) {
      if (!kept_[job].there) continue;
      if (tables_->jobs.alive[job]) {
        Follow(job, kept_[job].name, kept_[job].row, &steps);
        continue;
      }
      Kept gone = std::exchange(kept_[job], {});
      const std::optional<JobIndex> heir = tables_->jobs.names.Find(gone.name);
      if (heir && *heir > job) {
        kept_[*heir] = std::move(gone);  // a new job of its name, which is among the changed ones
      } else {
        Follow(std::nullopt, gone.name, gone.row, &steps);
      }
    }
    for (const JobIndex job : placed_) {
      // Jobs that changed have been followed.
      if (kept_[job].row.state == DueState::kPlaced && tables_->jobs.alive[job] &&
          !std::binary_search(changed.begin(), changed.end(), job)) {
        Follow(job, kept_[job].name, kept_[job].row, &steps);
      }
    }
    std::sort(steps.begin(), steps.end(),
              [](const Step& a, const Step& b) { return a.name < b.name; });
    Take(std::move(steps));
    NoteNewJobs(changed);
  }

  // Finds out what became of a job with a row; none: it is gone.
  void Follow(std::optional<JobIndex> job, const std::string& name, const DueRow& row,
              std::vector<Step>* steps) {
    const bool ran = row.state >= DueState::kPlaced;
    if (!job || !tables_->jobs.alive[*job] || !Stands(*job)) {
      steps->push_back({name, row, /*stays=*/false, ran});
    } else if (!Holds(*job)) {
      if (ran) steps->push_back({name, Stopped(row)});
    } else if (row.state != DueState::kRuns) {
      steps->push_back({name, row});
      NoteStart(*job, StartOf(*job, ran ? row.started : cycle_->now()), DueState::kRuns,
                &steps->back().row);
    }
  }

  // Ends are learnt first: rows tell how long their jobs ran.
  void Take(std::vector<Step> steps) {
    for (Step& step : steps) {
      const std::optional<JobIndex> job = tables_->jobs.names.Find(step.name);
      if (step.stays) {
        kept_[*job].row = std::move(step.row);
        Write(*job);
        continue;
      }
      if (step.learns) Learn(step.row);
      if (job) kept_[*job] = {};
      cycle_->Remember(kDueSlot.slot).Erase(step.name);
    }
  }

  static DueRow Stopped(DueRow row) {
    row.state = DueState::kWaitsAgain;
    row.started = 0;
    return row;
  }

  void Learn(const DueRow& row) {
    History().Learn(row.kind(), Elapsed(row.started, cycle_->now()));
  }

  // Notes that the job runs. Its wait counts unless it had run before.
  void NoteStart(JobIndex job, int64_t started, DueState state, DueRow* row) {
    const bool first = row->state == DueState::kWaits;
    row->state = state;
    row->started = started;
    if (!first) return;
    const int64_t wait = Elapsed(tables_->jobs.spec[job].created, started);
    if (wait > LongestWait()) cycle_->Remember(kWaitSlot.slot).Set(kLongest, {wait});
  }

  // Fixes the due times of those of the jobs that have no row. Starts count for the longest wait
  // before any due time is fixed.
  void NoteNewJobs(const std::vector<JobIndex>& candidates) {
    const JobTable& jobs = tables_->jobs;
    std::vector<std::pair<JobIndex, DueRow>> rows;
    for (const JobIndex job : candidates) {
      if (!jobs.alive[job] || kept_[job].there || !Stands(job)) continue;
      DueRow row;
      row.estimate = jobs.spec[job].estimate.value_or(kFiveDays);
      row.size = SizeOfJob(*tables_, *ledger_, job).units;
      if (jobs.spec[job].owner) row.user = jobs.spec[job].owner->user;
      if (Holds(job)) NoteStart(job, StartOf(job, cycle_->now()), DueState::kRuns, &row);
      rows.emplace_back(job, std::move(row));
    }
    const int64_t longest = LongestWait();
    const DueRow* last = nullptr;  // `length` is that of its kind; jobs of a kind follow each other
    double length = 0;
    for (auto& [job, row] : rows) {
      if (last == nullptr || last->estimate != row.estimate || last->size != row.size ||
          last->user != row.user) {
        length = History().Length(row.kind());
        last = &row;
      }
      row.key = DueKey(settings_, jobs.spec[job].created, length, longest);
      kept_[job] = {.there = true, .row = row, .name = std::string(jobs.names.name(job))};
      Write(job);
    }
  }

  int64_t LongestWait() const { return cycle_->Recall(kWaitSlot.slot).Integer(kLongest); }
  HistorySlots History() { return {*internal::DataOf(*cycle_).memory, recent_}; }

  const DueSettings settings_;
  const Cycle* cycle_ = nullptr;
  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  std::vector<Kept> kept_;  // by job
  // What the last cycle left, unless it was cut: its rows, and the jobs that it placed.
  bool knows_ = false;
  uint64_t epoch_ = 0;  // grows in a cycle that does not begin with it
  MemorySlot rows_;
  std::vector<JobIndex> placed_;
  RecentRuns recent_;
};

}  // namespace

PolicyDecl DuePolicy() {
  return {.name = "due",
          .summary = "short jobs go first, by what has ended; none waits much longer for it",
          .options = kDueOptions,
          .make = [](const Options& options) -> std::unique_ptr<Policy> {
            return std::make_unique<Due>(options);
          },
          .memory = {kDueSlot, kWaitSlot, kHistorySlot, kRecentSlot}};
}

}  // namespace muster
