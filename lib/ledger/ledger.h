// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The books of one cycle: what tasks hold, by node, job and queue, and how to undo moves.
//
//   Ledger ledger(tables, Accounting{});
//   Ledger::Savepoint before = ledger.Save();
//   ledger.Move(task, TaskStatus::kPlaced, node);   // every account of the task, O(dimensions)
//   if (!ready) ledger.Rollback(before);            // O(moves since), every account as it was
//
// A task moves from (status, node) to (status, node). Its request enters and leaves the accounts of
// node, job and queue by the table of statuses (status_table.h), and every registered book (book.h)
// is charged by its own, so undoing a move is the reverse move.
//
// A task has one place, or two: one that is leaving a node may be promised another.
//
//   ledger.Move(task, TaskStatus::kReleasing, ledger.node_of(task));   // leaves its node...
//   ledger.Promise(task, other);                                      // ...for one kept for it
//
// Node accounts are kept as one row per node, because a move touches all columns of one node:
//   idle        allocatable less what tasks hold; negative on an overfull node
//   releasing   held by tasks that are leaving
//   pipelined   promised to nominated tasks
//   used        held by tasks that hold the node, leaving ones included, nominated ones not
//   requested   the sum over tasks in Kubernetes' own view of the node: nominated tasks count,
//               tasks evicted in this cycle do not
//   and single cells: what scorers count, tasks in view, and one for each book that has cells
// The text beside each account describes the default table; another table may count otherwise. A
// change of a node's row appends the node to a journal. Readers keep a position in it and read only
// what came later; a rollback appends like any change.
#ifndef MUSTER_LEDGER_LEDGER_H_
#define MUSTER_LEDGER_LEDGER_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/ledger/accounting.h"
#include "lib/ledger/book_list.h"
#include "lib/model/tables.h"
#include "muster/policy/sub_group.h"
#include "muster/types.h"

namespace muster {

// The parts of a node's row; each is one cell per dimension.
enum NodeAccount : int { kIdle, kReleasing, kPipelined, kUsed, kRequested, kNodeAccounts };

struct JobCounts {
  std::array<int32_t, kTaskStatusCount> by_status{};
  int32_t pending_best_effort = 0;
  int32_t promised = 0;  // leaving tasks that are promised another node; they count as leaving, too
  int32_t operator[](TaskStatus s) const { return by_status[static_cast<int>(s)]; }
  // Returns the number of tasks that have their place or are done: those that a gang counts.
  int32_t ready() const {
    return (*this)[TaskStatus::kBound] + (*this)[TaskStatus::kBinding] +
           (*this)[TaskStatus::kRunning] + (*this)[TaskStatus::kPlaced] +
           (*this)[TaskStatus::kWaiting] + (*this)[TaskStatus::kSucceeded];
  }
  int32_t allocated() const { return ready() - (*this)[TaskStatus::kSucceeded]; }
  // Returns the number of tasks with a promised node.
  int32_t nominated() const { return (*this)[TaskStatus::kNominated] + promised; }
  int32_t pending() const { return (*this)[TaskStatus::kPending]; }
};

class Ledger {
 public:
  struct Savepoint {
    size_t position = 0;
    uint64_t content = 0;
    uint64_t release = 0;
  };
  // A point in the history of the books, by which an earlier "does not fit" can be reused.
  struct Moment {
    uint64_t content = 0;
    uint64_t release = 0;
  };
  // A move, or the change of a promise. A promise goes from (kPending, kNone), which is none, to
  // (kNominated, node), and back when it is withdrawn.
  struct Entry {
    TaskIndex task;
    NodeIndex from_node, to_node;
    TaskStatus from, to;
    bool from_view, to_view;  // whether the Kubernetes view counts it
    bool is_promise = false;
    bool in_books = false;  // of a move: the books made it, too
  };

  // What there is, and what queues hold and request: enough for policies that divide shares.
  struct Sums {
    std::vector<int64_t> total;
    std::vector<uint8_t> total_present;
    RowTable queue_allocated, queue_pending;  // of queues alone; what is below them is added up
  };

  Ledger(const Tables& tables, Accounting accounting);
  // Becomes a new ledger, and reuses its allocations.
  void Restart(const Tables& tables, Accounting accounting);
  // Constructs books of queues from given sums, over tables without tasks. It allows no moves.
  Ledger(const Tables& tables, Accounting accounting, const Sums& sums);

  // Follows the tables' change log since the last call. Returns false if the layout changed: build
  // a new ledger.
  // REQUIRES: no moves are applied.
  bool Sync();

  const Tables& tables() const { return *tables_; }
  void set_tables(const Tables* tables) { tables_ = tables; }
  size_t dimensions() const { return dimensions_; }
  const Accounting& accounting() const { return accounting_; }

  // --- accounts
  std::span<const int64_t> node(NodeIndex n, NodeAccount account) const {
    return {rows_.data() + n * stride_ + account * dimensions_, dimensions_};
  }
  std::span<const int64_t> node_row(NodeIndex n) const {
    return {rows_.data() + n * stride_, stride_};
  }
  // Cells of node_row after the accounts: requests as scorers count them, and tasks in the
  // Kubernetes view.
  int64_t scoring_cpu(NodeIndex n) const { return rows_[n * stride_ + tail_]; }
  int64_t scoring_memory(NodeIndex n) const { return rows_[n * stride_ + tail_ + 1]; }
  int64_t tasks_in_view(NodeIndex n) const { return rows_[n * stride_ + tail_ + 2]; }
  // Returns the registered book of that name, null if there is none. Only the ledger changes a
  // book; others call its queries alone.
  Book* book(std::string_view name) const { return books_.Find(name); }
  // Returns what the book chose for the task. REQUIRES: the book is this ledger's.
  uint32_t memo(const Book& book, TaskIndex t) const { return books_.memo(book, t); }
  // Returns what the book chose for the task on the node promised to it; 0: none is.
  uint32_t promised_memo(const Book& book, TaskIndex t) const {
    return books_.promised_memo(book, t);
  }
  // Returns what bound and running tasks that may be evicted hold there: no eviction can free more.
  std::span<const int64_t> evictable(NodeIndex n) const { return Row(evictable_, n); }
  // Returns idle + releasing - pipelined.
  int64_t future_idle(NodeIndex n, DimensionIndex d) const;
  std::span<const int64_t> total() const { return total_; }  // allocatable over all nodes
  std::span<const uint8_t> total_present() const { return total_present_; }
  std::span<const int64_t> nodes_with() const { return total_nodes_; }  // per dimension

  const JobCounts& job(JobIndex j) const { return jobs_[j]; }
  const JobCounts& group(JobIndex j, GroupIndex g) const { return groups_[group_start_[j] + g]; }
  // Returns the counts of the job's sub-group `s`; kNone: of its tasks that are in none.
  const JobCounts& sub_group(JobIndex j, SubGroupIndex s) const {
    return sub_groups_[j].empty() ? jobs_[j] : sub_groups_[j][SubGroup::SlotOf(s)];
  }
  // Return what tasks hold or are promised (nominated ones count), and what pending ones request.
  std::span<const int64_t> job_allocated(JobIndex j) const { return Row(job_allocated_, j); }
  std::span<const int64_t> queue_allocated(QueueIndex q) const { return Row(queue_allocated_, q); }
  std::span<const int64_t> queue_pending(QueueIndex q) const { return Row(queue_pending_, q); }
  // Return the same over all queues below `q` and itself.
  std::span<const int64_t> tree_allocated(QueueIndex q) const { return Row(tree_allocated_, q); }
  std::span<const int64_t> tree_pending(QueueIndex q) const { return Row(tree_pending_, q); }
  // Return numbers that grow with every change of the account, a queue's also with those of the
  // queues below it. A share stays valid while the stamp at which it was computed stays.
  uint64_t job_stamp(JobIndex j) const { return job_stamp_[j]; }
  uint64_t queue_stamp(QueueIndex q) const { return queue_stamp_[q]; }

  TaskStatus status(TaskIndex t) const { return status_[t]; }
  NodeIndex node_of(TaskIndex t) const { return node_[t]; }
  // Returns the node that is promised to a leaving task; kNone: none.
  NodeIndex promised_node(TaskIndex t) const;
  bool in_view(TaskIndex t) const { return view_[t]; }
  // Returns the tasks that hold the node or are promised it, ascending, each once. The first call
  // builds the lists, O(tasks).
  std::span<const TaskIndex> tasks_on(NodeIndex n);

  std::span<const int64_t> request(TaskIndex t) const {
    return tables_->classes.request.row(tables_->tasks.task_class[t]);
  }

  // --- changes
  // Moves the task to the status and the node, and withdraws what is promised to it.
  // REQUIRES: `node` is kNone iff `to` holds no node.
  void Move(TaskIndex task, TaskStatus to, NodeIndex node);
  // Promises a node to a task that is leaving another, or its own again; kNone: withdraws the
  // promise. The task then has two places: it counts as releasing on the first, and as nominated on
  // the second, in every account and every book.
  // REQUIRES: the task is in status kReleasing.
  void Promise(TaskIndex task, NodeIndex node);
  // Binds the placed tasks of the log from `position` on, up to `end`, as long as they are charged
  // alike, as Move(task, TaskStatus::kBinding, its node) does for each, and returns how many it has
  // bound. 0: this move of the log is none of a placed task, or is to be bound by Move.
  size_t BindAlike(size_t position, size_t end);
  Savepoint Save() const { return {log_.size(), content_, release_}; }
  void Rollback(const Savepoint& savepoint);
  // Does the same, and removes what lingers (Accounting::undone_eviction_lingers): for the end of a
  // cycle.
  void Restore(const Savepoint& savepoint);
  std::span<const Entry> log() const { return log_; }
  // Reserves memory for placing and binding so many tasks.
  void Reserve(size_t tasks);

  Moment moment() const { return {content_, release_}; }
  // Returns whether the books differ from those at `moment` by nothing but placements added.
  bool OnlyPlacementsSince(const Moment& moment) const;
  bool SameAs(const Moment& moment) const { return content_ == moment.content; }

  // --- journals; positions count from the ledger's birth
  std::span<const NodeIndex> journal() const { return journal_; }
  // Returns the jobs with changed accounts. Those of their queues and all above have changed, too.
  std::span<const JobIndex> job_journal() const { return job_journal_; }
  // Entries of the task journal: +1 the task entered the Kubernetes view of a node, -1 left it; in
  // that status.
  struct ViewChange {
    TaskIndex task;
    NodeIndex node;
    int8_t sign;
    TaskStatus status;
  };
  std::span<const ViewChange> view_journal() const { return view_journal_; }
  uint64_t birth() const {
    return birth_;
  }  // differs between ledgers and after a rebuild of journals
  // Clears the journals when they have more than `limit` entries; readers start afresh (birth
  // changes).
  void TrimJournals(size_t limit);

 private:
  friend class PlacementRun;

  std::span<const int64_t> Row(const std::vector<int64_t>& cells, size_t index) const {
    return {cells.data() + index * dimensions_, dimensions_};
  }
  static constexpr size_t kTail = 3;  // cells between the accounts and those of books

  Ledger() = default;
  void Start();
  void Grow();  // room for rows that the tables have gained
  void SyncNode(NodeIndex n);
  void GrowGroups(JobIndex j);
  void SyncJob(JobIndex j);
  void SyncTask(TaskIndex t);
  void Enroll(TaskIndex t);  // notes what there is to charge for it
  bool IsCharged(TaskIndex t) const;
  bool ChargedAlike(TaskIndex a, TaskIndex b) const;
  void Uncharge(TaskIndex t);
  StatusRow RowOf(TaskIndex t, TaskStatus status) const;
  BookedTask Booked(TaskIndex t) const;
  void Charge(TaskIndex t, TaskStatus status, NodeIndex node, bool view, int times);
  JobCounts* SubGroupOf(TaskIndex t);  // null: its job has no sub-groups
  void ChargeNode(TaskIndex t, const StatusRow& effect, NodeIndex node);
  void ChargeView(TaskIndex t, TaskStatus status, NodeIndex node, int sign);
  // Adds what the view counts of `times` tasks of the class to cells of a node's row.
  void AddToView(ClassIndex c, int times, int64_t* row) const;
  void ChargeQueues(TaskIndex t, const StatusRow& effect);
  void CountStatus(TaskIndex t, TaskStatus status, int times);
  enum class BookMove : uint8_t { kNone, kMove, kUndo };
  void Apply(TaskIndex t, TaskStatus to, NodeIndex node, bool view, BookMove books);
  bool MoveInBooks(TaskIndex t, TaskStatus from, TaskStatus to, NodeIndex node, BookMove move);
  bool WriteCells(NodeIndex n);
  void FollowInBooks(const Change& change);
  void Log(TaskIndex t, TaskStatus to, NodeIndex node, bool view);
  void ApplyPromise(TaskIndex t, NodeIndex node, bool view, bool undo);
  void CountPromise(TaskIndex t, int times);
  void SetNodeList(TaskIndex t, NodeIndex from, NodeIndex to);

  const Tables* tables_ = nullptr;
  Accounting accounting_;
  size_t dimensions_ = 0;
  size_t tail_ = 0;    // first cell after the accounts; those of books follow kTail later
  size_t stride_ = 0;  // cells of a node row

  std::vector<int64_t> rows_;
  std::vector<int64_t> evictable_;
  std::vector<int64_t> allocatable_;  // as charged into idle; kAbsent on dead nodes
  std::vector<uint8_t> node_alive_;
  std::vector<int64_t> total_;
  std::vector<int64_t> total_nodes_;  // per dimension: alive nodes that have it
  std::vector<uint8_t> total_present_;

  std::vector<JobCounts> jobs_;
  std::vector<size_t> group_start_;
  std::vector<uint32_t> group_count_;
  std::vector<JobCounts> groups_;
  std::vector<std::vector<JobCounts>> sub_groups_;  // by SubGroup::slot; empty: the job has none
  std::vector<int64_t> job_allocated_, queue_allocated_, queue_pending_;
  std::vector<int64_t> tree_allocated_, tree_pending_;
  std::vector<QueueIndex> parent_;  // as the tree accounts follow it
  std::vector<uint64_t> job_stamp_, queue_stamp_;

  // What was charged for each task, so that it can be taken back whatever the tables have now.
  std::vector<TaskStatus> status_;
  std::vector<NodeIndex> node_;
  std::vector<uint8_t> view_;
  // The second places of leaving tasks, most of which have none.
  struct Promised {
    NodeIndex node;
    bool view;
  };
  HashMap<TaskIndex, Promised> promises_;
  std::vector<JobIndex> charged_job_;
  std::vector<QueueIndex> charged_queue_;
  std::vector<GroupIndex> charged_group_;
  std::vector<SubGroupIndex> charged_sub_group_;
  std::vector<ClassIndex> charged_class_;
  std::vector<uint8_t> charged_preemptable_, charged_alive_;

  BookList books_;

  bool lists_built_ = false;
  std::vector<std::vector<TaskIndex>> lists_;

  std::vector<Entry> log_;
  std::vector<NodeIndex> journal_;
  std::vector<ViewChange> view_journal_;
  uint64_t birth_ = 1;

  uint64_t content_ = 1, release_ = 1, clock_ = 1;
  // Versions of the content that a rollback undid: (first, last], ascending and disjoint.
  std::vector<std::pair<uint64_t, uint64_t>> undone_;

  uint64_t synced_layout_ = 0;
  uint64_t synced_log_ = 0;
  std::vector<JobIndex> job_journal_;
  uint64_t sync_ = 0;                // the end of the log that is being followed, and by task:
  std::vector<uint64_t> task_sync_;  // the end of the log when the task was last read
};

}  // namespace muster

#endif  // MUSTER_LEDGER_LEDGER_H_
