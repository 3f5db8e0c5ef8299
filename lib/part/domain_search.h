// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Domain search: lists the domains to try, infers outcomes of some tries from others, and chooses
// the best domain.
//
//   DomainMemory memory(context, &twins, group, tasks);
//   DomainTries<TaskQueue> tries(context);
//   for (const DomainIndex domain : DomainsUpTo(context, tier)) {
//     const std::optional<bool> known = memory.Tell(domain);
//     if (known == false) continue;
//     if (known == true) { tries.AddTwin(domain); continue; }
//     Attempt attempt(context);
//     TaskQueue left = tasks;
//     const bool placed = PlaceAll(&left, domain);
//     if (placed) tries.Add(domain, attempt.moves(), std::move(left));
//     attempt.Undo();
//     memory.Learn(domain, placed, /*hopeless=*/placed_of_the_last_try);
//   }
//   for (size_t i = 0; i < tries.size(); ++i) tries[i].score = Score(tries[i].domain);
//   if (!tries.empty()) Choose(tries.best());
//
// A try is undone before the next one begins, so that all start from the same books. The best one's
// moves are recorded, to be made once more. A twin that was not tried has none, and is tried if it
// is chosen.
// Cost. A try costs what the caller does in it. DomainMemory saves tries with an outcome that can
// be inferred, without changing which domain is chosen.
#ifndef MUSTER_PART_DOMAIN_SEARCH_H_
#define MUSTER_PART_DOMAIN_SEARCH_H_

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/part/attempt.h"
#include "lib/part/context.h"
#include "lib/part/domain_twins.h"
#include "lib/part/task_queue.h"

namespace muster {

// Lists the domains of topology tier `tier` and below, the narrowest tier first, by name within a
// tier. The root is among them if its tier is.
std::vector<DomainIndex> DomainsUpTo(const ActionContext& context, int32_t tier);

// Returns whether the domain has no domains below it. The root never counts as one.
inline bool IsLeafDomain(const Domains& domains, DomainIndex domain) {
  return domain != domains.root() && domains.children(domain).empty();
}

// Domains that can take a job or sub-group, with the moves made in each. `Rest`: what the try left
// unplaced.
template <class Rest>
class DomainTries {
 public:
  struct Try {
    DomainIndex domain;
    double score = 0;
    RecordedMoves moves = {};
    std::optional<Rest> left = {};  // absent: a twin, which was not tried
  };

  explicit DomainTries(const Domains& domains) : domains_(domains) {}

  Try& Add(DomainIndex domain, std::span<const Ledger::Entry> moves, Rest left) {
    tries_.push_back({domain, 0, RecordedMoves(moves), std::move(left)});
    return tries_.back();
  }
  // Adds a domain in which a try would make the moves that another made in its twin.
  Try& AddTwin(DomainIndex domain) {
    tries_.push_back({domain});
    return tries_.back();
  }

  bool empty() const { return tries_.empty(); }
  std::span<Try> all() { return tries_; }
  // Returns the try of the highest score, the first by name of equal ones.
  // REQUIRES: !empty().
  Try& best() {
    Try* best = &tries_.front();
    for (Try& other : tries_) {
      if (other.score > best->score ||
          (other.score == best->score && domains_.NameBefore(other.domain, best->domain))) {
        best = &other;
      }
    }
    return *best;
  }

 private:
  const Domains& domains_;
  std::vector<Try> tries_;
};

// Infers the outcome of tries of one sub-group's tasks from tries in other domains, while the books
// are the same between them. Two rules:
// - If a domain failed with so many tasks placed, another fails if its sums hold no more tasks of
//   the class than that.
// - A leaf domain has the outcome of its twin.
class DomainMemory {
 public:
  // Constructs a memory that infers nothing and keeps nothing.
  DomainMemory() = default;
  // `twins` must outlive this.
  DomainMemory(ActionContext& context, DomainTwins* twins, const SubGroup& group,
               const TaskQueue& tasks);

  // Returns the outcome of a try in the domain if it can be inferred.
  std::optional<bool> Tell(DomainIndex domain);
  // Notes the outcome of a try. `hopeless`: if the try failed, a number of tasks that were placed
  // at once and are not enough; 0 if nothing follows for another domain.
  // REQUIRES: the try was undone.
  void Learn(DomainIndex domain, bool placed, int64_t hopeless);
  bool tells_of_twins() const { return of_twins_; }

 private:
  const Domains* domains_ = nullptr;
  DomainTwins* twins_ = nullptr;
  bool of_twins_ = false;              // one try decides for all twins
  ClassIndex one_class_ = kNone;       // all tasks are of this class
  int64_t hopeless_ = 0;               // so many tasks are not enough
  HashMap<uint32_t, bool> by_number_;  // of DomainTwins
};

}  // namespace muster

#endif  // MUSTER_PART_DOMAIN_SEARCH_H_
