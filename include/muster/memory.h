// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a profile remembers from one cycle to the next, as a value.
//
//   absl::StatusOr<muster::Plan> plan = cluster.Schedule("volcano:+sampling(remember=on)");
//   cluster.Apply(*plan);                               // the cluster keeps plan->memory()
//
//   // Without a living cluster: the memory goes in with the options and comes out with the plan.
//   muster::ScheduleOptions options;
//   options.memory = *muster::Memory::Parse(text);      // earlier: plan->memory().ToText()
//   plan = muster::Schedule(snapshot, profile, options);
//
// A memory is a list of slots. A slot belongs to a policy or an action, which declares its name and
// version (PolicyDecl::memory, CustomAction::memory), and holds rows by key. Keys are names of rows
// of the cluster or words of the owner, never indices: so a memory stays valid when a cluster is
// saved, loaded or compacted.
//
//   const int64_t turn = cycle.Recall("my-slot").Integer("turn");   // in Policy::Open
//   cycle.Remember("my-slot").Set("turn", {turn + 1});
//
// Promise. A cycle that is cut or fails leaves the memory as it was: Plan::memory() is then the
// memory that went in. Slots that no policy or action of the profile declares are carried over
// unchanged, so profiles that run in turn share a memory. Equal snapshots, memories and options
// give equal plans, with equal memories.
// Failure. Schedule fails with InvalidArgument if a slot has another version than its owner
// declares: `memory: slots.sampling.version: 2 is not known; this reads 1`.
// Ownership. A Memory owns its content and shares it with its copies: it may outlive the plan or
// the cluster that it came from. A MemorySlot owns its rows.
// Cost. A copy is a pointer. A memory is as large as its rows. A cycle copies the rows that it
// changes, and few beside them.
// Threads. A Memory is immutable; any thread may read it. A MemorySlot is a plain value.
#ifndef MUSTER_MEMORY_H_
#define MUSTER_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "muster/export.h"

namespace muster {

class Memory;

namespace internal {
struct MemoryData;
const MemoryData* DataOf(const Memory& memory);
Memory MakeMemory(MemoryData data);
}  // namespace internal

// A slot as a policy or an action declares it. Several owners may declare one slot with one
// version, and then share it.
struct MemoryDecl {
  // The name of the slot. The text must outlive the declaration, as a literal does.
  std::string_view slot;
  // A number that grows with every change of what the rows mean: 1 or more. Default: 1.
  int32_t version = 1;
};

// One value of a row: an integer, a double, or a text in UTF-8. As text, a number with a point is a
// double.
using MemoryCell = std::variant<int64_t, double, std::string>;
// The cells of one row. Their order and types are the owner's; the slot's version stands for both.
//
//   const muster::MemoryRow row = {int64_t{7}, 0.5, std::string("n1")};
//
using MemoryRow = std::vector<MemoryCell>;

// Rows by key, in ascending order, byte by byte.
//
//   for (const auto& [key, row] : slot.rows()) Read(key, row);
//   const auto found = slot.rows().find("next");
//   if (found != slot.rows().end()) Read(found->first, found->second);
//
// It is a map to read, and only a slot changes it. Rows stand in runs of a few, and copies share
// the runs until one of the copies changes some row in them. So a cycle that changes two rows of
// thousands copies two runs, and the memory before it stays as it was.
//
// Cost. A copy: O(rows / 32). A look-up: O(log rows). A change: that, and O(32).
// Threads. Copies may be read and changed in different threads, although they share rows.
class MUSTER_EXPORT MemoryRows {
 public:
  // A key and its row. The pair lives, at the same address, until the row is set or erased in all
  // rows that share it.
  using value_type = std::pair<const std::string, MemoryRow>;
  // Walks over the rows in ascending order. Valid until rows are set or erased.
  class const_iterator;

  // Return the first row, and the end behind the last one.
  const_iterator begin() const;
  const_iterator end() const;
  // Returns end() if there is no such row.
  const_iterator find(std::string_view key) const;
  // Returns the number of rows. O(rows / 32).
  size_t size() const;
  // Returns true if there are no rows.
  bool empty() const { return runs_.empty(); }

  // Returns true if one is a copy of the other, or both are of a third, and neither has changed
  // since. Never true of rows that differ; false of equal rows that were set apart. O(rows / 32).
  //
  //   if (cycle.Recall("my-slot").rows().SharesAllWith(mine.rows())) UseWhatIKnow();
  //
  // So a policy that keeps a copy of its slot knows whether the next cycle begins where it ended.
  bool SharesAllWith(const MemoryRows& other) const { return runs_ == other.runs_; }
  // Returns true if both have equal rows. O(rows), without those that they share.
  friend bool operator==(const MemoryRows& a, const MemoryRows& b) { return a.Equals(b); }

 private:
  friend class MemorySlot;
  // A row that several runs may hold. Never null.
  using Shared = std::shared_ptr<const value_type>;
  // Some rows, in ascending order, with the number of those that share them. A run of one owner is
  // changed where it is, and any other one is copied first.
  struct Run {
    std::atomic<uint32_t> owners{1};
    std::vector<Shared> rows;
  };
  // One owner of a run.
  class RunRef {
   public:
    // Constructs the only owner of a run without rows.
    RunRef() : run_(new Run) {}
    // A copy is another owner of the same run.
    RunRef(const RunRef& other) : run_(other.run_) { ++run_->owners; }
    // What was moved from owns nothing: it may only be destroyed, or set to another.
    RunRef(RunRef&& other) noexcept : run_(std::exchange(other.run_, nullptr)) {}
    RunRef& operator=(RunRef other) noexcept {
      std::swap(run_, other.run_);
      return *this;
    }
    // The last owner deletes the run.
    ~RunRef() {
      if (run_ != nullptr && --run_->owners == 0) delete run_;
    }
    const std::vector<Shared>& rows() const { return run_->rows; }
    // Returns the rows to be changed, of a run that has no other owner: a copy if it had some.
    std::vector<Shared>& Own();
    // Returns true if both own one run, which then has equal rows.
    friend bool operator==(const RunRef& a, const RunRef& b) { return a.run_ == b.run_; }

   private:
    Run* run_;
  };

  // As operator==.
  bool Equals(const MemoryRows& other) const;
  // Returns the first run that does not end before the key.
  size_t RunOf(std::string_view key) const;
  // As those of a slot.
  void Set(Shared row);
  void Erase(std::string_view key);
  // Makes two runs of one.
  void Split(size_t run);
  // Makes one run of two that are small.
  void MergeWithNext(size_t run);

  // In ascending order of their rows. None is without rows.
  std::vector<RunRef> runs_;
};

class MemoryRows::const_iterator {
 public:
  // Constructs one that belongs to no rows. It may only be set to another.
  const_iterator() = default;
  // REQUIRES: it is not end().
  const value_type& operator*() const { return *rows_->runs_[run_].rows()[at_]; }
  const value_type* operator->() const { return &**this; }
  // Goes on to the next row, or to end(). REQUIRES: it is not end().
  const_iterator& operator++() {
    if (++at_ == rows_->runs_[run_].rows().size()) {
      ++run_;
      at_ = 0;
    }
    return *this;
  }
  // REQUIRES: both are of the same rows.
  friend bool operator==(const const_iterator& a, const const_iterator& b) {
    return a.run_ == b.run_ && a.at_ == b.at_;
  }

 private:
  friend class MemoryRows;
  const_iterator(const MemoryRows* rows, size_t run, size_t at) : rows_(rows), run_(run), at_(at) {}

  // The rows, the number of a run among theirs, and the place in it. The end is behind the last
  // run.
  const MemoryRows* rows_ = nullptr;
  size_t run_ = 0, at_ = 0;
};

// The rows of one slot, in ascending order of their keys.
//
//   muster::MemorySlot slot;
//   slot.Set("n1", {int64_t{7}, std::string("full")});
//   slot.Integer("n1");       // 7
//   slot.Text("n1", 1);       // "full"
//   slot.Integer("n2");       // 0: there is no such row
//   slot.Real("n1", 0, -1);   // -1: the cell is an integer
//
class MUSTER_EXPORT MemorySlot {
 public:
  // What rows() returns.
  using Rows = MemoryRows;

  // Returns true if there are no rows.
  bool empty() const { return rows_.empty(); }
  // Returns all rows. Valid as long as the slot lives.
  const Rows& rows() const { return rows_; }
  // Returns null if there is no such row. Valid until the row is set or erased.
  const MemoryRow* Find(std::string_view key) const;
  // Return the cell if the row has it in this type, and `otherwise` if not: an empty text for Text,
  // and by default 0 for the others. `cell` counts from 0. O(log rows).
  int64_t Integer(std::string_view key, size_t cell = 0, int64_t otherwise = 0) const;
  double Real(std::string_view key, size_t cell = 0, double otherwise = 0) const;
  std::string_view Text(std::string_view key, size_t cell = 0) const;

  // Replaces the row. REQUIRES: keys and texts are UTF-8. Numbers that are not finite are stored as
  // the nearest finite one, NaN as 0.
  void Set(std::string_view key, MemoryRow row);
  // Removes the row; does nothing if there is no such row.
  void Erase(std::string_view key);
  // Erases each row with a key that satisfies `gone`, such as those of tasks that have ended.
  // O(rows).
  //
  //   slot.EraseIf([&](std::string_view task) { return !cycle.FindTask(task).has_value(); });
  //
  // `gone` is called once for each row, in ascending order, before any row is erased.
  template <class Predicate>
  void EraseIf(const Predicate& gone) {
    std::vector<std::string_view> keys;
    for (const auto& [key, row] : rows_) {
      if (gone(std::string_view(key))) keys.push_back(key);
    }
    // The last one first: a key lives as long as its row.
    for (size_t i = keys.size(); i > 0; --i) rows_.Erase(keys[i - 1]);
  }

  friend bool operator==(const MemorySlot&, const MemorySlot&) = default;

 private:
  // As rows() returns them.
  Rows rows_;
};

// All slots. A memory without slots is the default, and takes no space.
class MUSTER_EXPORT Memory {
 public:
  // Constructs a memory without slots.
  Memory();

  // Reads what ToText wrote, also on another machine or in a later version of the library that
  // knows the slots. Fails with InvalidArgument that names the place and the rule. Never
  // crashes.
  static absl::StatusOr<Memory> Parse(std::string_view text);
  // Returns one JSON object, in the form in which a scenario holds it as "memory"
  // (docs/scenario.md). Equal memories have equal texts.
  std::string ToText() const;

  // Returns true if there are no slots.
  bool empty() const;
  // Returns the rows of a slot; null if there is none.
  //
  //   const muster::MemorySlot* due = cluster.memory().Find("due");
  //   if (due != nullptr) Show(due->rows().size());
  //
  // The names of the slots of a profile are those of its policies and actions (docs/policies.md).
  // Valid as long as the memory, or a copy of
  // it, lives.
  const MemorySlot* Find(std::string_view slot) const;

  // Returns true if both have equal slots: equal names, versions, rows and events not seen. O(1)
  // for copies of one memory, and O(rows) otherwise.
  friend bool operator==(const Memory& a, const Memory& b) { return a.Equals(b); }

 private:
  friend const internal::MemoryData* internal::DataOf(const Memory& memory);
  friend Memory internal::MakeMemory(internal::MemoryData data);

  bool Equals(const Memory& other) const;

  // Null: no slots.
  std::shared_ptr<const internal::MemoryData> data_;
};

}  // namespace muster

#endif  // MUSTER_MEMORY_H_
