// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Domain search: which domains there are to try, what one try tells of the others, and which domain
// is the best.
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
// A try is undone before the next one begins, so that all see the same books. The best one's moves
// are recorded, to be made once more; a twin that was not tried has none, and is gone through again
// if it is chosen.
// Cost. A try costs what the caller does in it. DomainMemory saves tries that can be told, without
// changing which domain is chosen.
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

// Lists the domains of tier `tier` and below, the narrowest tier first, by name within a tier. The
// root is among them if its tier is.
std::vector<DomainIndex> DomainsUpTo(const ActionContext& context, int32_t tier);

// Returns whether the domain has no domains below it. The root never counts as one.
inline bool IsLeafDomain(const Domains& domains, DomainIndex domain) {
  return domain != domains.root() && domains.children(domain).empty();
}

// Domains that can take a job or sub-group, with what was done in each. `Rest`: what the try left
// to do.
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
  // Adds a domain in which a try would do what another did in its twin.
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

// What tries of one sub-group's tasks in some domains tell of others, while the books are the same
// between them. Two things: a domain whose sums cannot hold more tasks of the class than were
// placed in one that failed fails, too; and a leaf domain fares as its twin did.
class DomainMemory {
 public:
  // Knows nothing, and learns nothing.
  DomainMemory() = default;
  // `twins` must outlive this.
  DomainMemory(ActionContext& context, DomainTwins* twins, const SubGroup& group,
               const TaskQueue& tasks);

  // Returns the outcome of a try in the domain if it can be told without it.
  std::optional<bool> Tell(DomainIndex domain);
  // Notes the outcome of a try. `hopeless`: of a try that failed, so many tasks had been placed at
  // once that are not enough; 0 where that tells nothing of another domain.
  // REQUIRES: the try was undone.
  void Learn(DomainIndex domain, bool placed, int64_t hopeless);
  bool tells_of_twins() const { return of_twins_; }

 private:
  const Domains* domains_ = nullptr;
  DomainTwins* twins_ = nullptr;
  bool of_twins_ = false;              // one try tells of all twins
  ClassIndex one_class_ = kNone;       // all tasks are of this class
  int64_t hopeless_ = 0;               // so many tasks are not enough
  HashMap<uint32_t, bool> by_number_;  // of DomainTwins
};

}  // namespace muster

#endif  // MUSTER_PART_DOMAIN_SEARCH_H_
