// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What victims leave is kept for the queues on their paths alone: a few rows, found by a scan.
#include "lib/peer/kai/reclaim_rules.h"

#include <algorithm>
#include <limits>

namespace muster {
namespace {

using Involved = std::array<bool, kKaiResources>;

void Join(const Involved& more, Involved* involved) {
  for (size_t r = 0; r < kKaiResources; ++r) (*involved)[r] |= more[r];
}

// A queue that victims leave.
struct LosingQueue {
  uint32_t queue;
  KaiAmounts remaining;
  Involved involved = {};
};

class Losses {
 public:
  explicit Losses(const KaiQueueTree& tree) : tree_(tree) {}

  LosingQueue& Of(uint32_t queue) {
    for (LosingQueue& row : rows_) {
      if (row.queue == queue) return row;
    }
    return rows_.emplace_back(LosingQueue{queue, tree_.allocated(queue)});
  }
  const std::vector<LosingQueue>& rows() const { return rows_; }

  void Subtract(uint32_t queue, const KaiAmounts& amounts, const Involved& involved) {
    for (; queue != kKaiNone; queue = tree_.queues[queue].parent) {
      LosingQueue& row = Of(queue);
      for (size_t r = 0; r < kKaiResources; ++r) row.remaining[r] -= amounts[r];
      Join(involved, &row.involved);
    }
  }

 private:
  const KaiQueueTree& tree_;
  std::vector<LosingQueue> rows_;
};

bool LeaveFairly(const KaiQueueTree& tree, const KaiReclaimer& reclaimer,
                 std::span<const KaiVictims> victims, Losses* losses) {
  for (const KaiVictims& lot : victims) {
    const auto [reclaiming, losing] = tree.Leveled(reclaimer.queue, lot.queue);
    Involved involved = losses->Of(lot.queue).involved;
    for (const KaiChunk& chunk : lot.chunks) Join(chunk.involved, &involved);
    losses->Of(losing);
    for (const KaiChunk& chunk : lot.chunks) {
      const KaiAmounts& remaining = losses->Of(losing).remaining;
      if (!KaiMaintainsFairShare(tree.share[losing], remaining) &&
          !KaiGuaranteesDeserved(tree.share[reclaiming], reclaimer.request.amounts,
                                 tree.share[losing], remaining)) {
        return false;
      }
      losses->Subtract(lot.queue, chunk.amounts, involved);
    }
  }
  return true;
}

double Saturation(double allocated, double fair_share) {
  if (fair_share == 0) return allocated > 0 ? std::numeric_limits<double>::infinity() : 0;
  return fair_share == kKaiUnlimited ? 0 : allocated / fair_share;
}

bool StaysEmptier(const Involved& involved, const KaiAmounts& held, const KaiAmounts& fair,
                  const KaiAmounts& sibling_held, const KaiAmounts& sibling_fair,
                  double multiplier) {
  for (size_t r = 0; r < kKaiResources; ++r) {
    if (!involved[r] || sibling_fair[r] <= 0) continue;
    const double ratio = Saturation(held[r], fair[r]);
    if (ratio > 1 && ratio * multiplier >= Saturation(sibling_held[r], sibling_fair[r])) {
      return false;
    }
  }
  return true;
}

bool StaysWithinDeserved(const KaiShares& shares, double KaiShare::*held,
                         const KaiAmounts& requested) {
  for (size_t r = 0; r < kKaiResources; ++r) {
    if (CompareKaiAmount(shares[r].*held + requested[r], shares[r].deserved) > 0) return false;
  }
  return true;
}

}  // namespace

KaiChunk KaiChunkOf(const KaiAmounts& amounts, double whole_gpus) {
  return {amounts, {amounts[kKaiCpu] > 0, amounts[kKaiMemory] > 0, whole_gpus > 0}};
}

bool KaiCanReclaim(const KaiQueueTree& tree, const KaiReclaimer& reclaimer) {
  const KaiAmounts held =
      AddedKaiAmounts(tree.allocated(reclaimer.queue), reclaimer.request.amounts);
  if (!WithinKaiAmounts(held, tree.fair_share(reclaimer.queue))) return false;
  return reclaimer.preemptible ||
         StaysWithinDeserved(tree.share[reclaimer.queue], &KaiShare::allocated_not_preemptible,
                             reclaimer.request.amounts);
}

bool KaiMayBeVictim(const KaiQueueTree& tree, const KaiReclaimer& reclaimer,
                    uint32_t victim_queue) {
  const auto [reclaiming, losing] = tree.Leveled(reclaimer.queue, victim_queue);
  const KaiAmounts& requested = reclaimer.request.amounts;
  if (!StaysWithinDeserved(tree.share[reclaiming], &KaiShare::allocated, requested)) {
    return KaiMaintainsFairShare(tree.share[losing], tree.allocated(losing));
  }
  bool below = false;
  for (size_t r = 0; r < kKaiResources; ++r) {
    const KaiShare& share = tree.share[losing][r];
    if (requested[r] <= 0 || share.deserved == kKaiUnlimited) continue;
    if (share.allocated > share.deserved) return true;
    below |= share.allocated < share.deserved;
  }
  return !below;
}

bool KaiMayGo(const KaiQueueTree& tree, const KaiReclaimer& reclaimer, uint32_t victim_queue) {
  const auto [reclaiming, losing] = tree.Leveled(reclaimer.queue, victim_queue);
  const KaiAmounts remaining = tree.allocated(losing);
  return KaiMaintainsFairShare(tree.share[losing], remaining) ||
         KaiGuaranteesDeserved(tree.share[reclaiming], reclaimer.request.amounts,
                               tree.share[losing], remaining);
}

bool KaiMaySomeGo(const KaiQueueTree& tree) {
  return std::ranges::any_of(tree.share, [](const KaiShares& shares) {
    return std::ranges::any_of(shares, [](const KaiShare& share) {
      return CompareKaiAmount(share.allocated, share.allocatable()) > 0 ||
             CompareKaiAmount(share.allocated, share.deserved) > 0;
    });
  });
}

bool KaiReclaimIsFair(const KaiQueueTree& tree, const KaiReclaimer& reclaimer,
                      std::span<const KaiVictims> victims, double multiplier) {
  Losses losses(tree);
  if (!LeaveFairly(tree, reclaimer, victims, &losses)) return false;
  const KaiAmounts& requested = reclaimer.request.amounts;
  for (uint32_t q = reclaimer.queue; q != kKaiNone; q = tree.queues[q].parent) {
    KaiAmounts held = tree.allocated(q);
    for (const LosingQueue& row : losses.rows()) {
      if (row.queue == q) held = row.remaining;
    }
    held = AddedKaiAmounts(held, requested);
    for (const LosingQueue& row : losses.rows()) {
      if (row.queue == q || tree.queues[row.queue].parent != tree.queues[q].parent) continue;
      Involved involved = row.involved;
      Join(reclaimer.request.involved, &involved);
      if (!StaysEmptier(involved, held, tree.fair_share(q), row.remaining,
                        tree.fair_share(row.queue), multiplier)) {
        return false;
      }
    }
    if (!reclaimer.preemptible &&
        !StaysWithinDeserved(tree.share[q], &KaiShare::allocated_not_preemptible, requested)) {
      return false;
    }
  }
  return true;
}

bool KaiMaintainsFairShare(const KaiShares& victim, const KaiAmounts& remaining) {
  for (size_t r = 0; r < kKaiResources; ++r) {
    if (CompareKaiAmount(remaining[r], victim[r].allocatable()) > 0) return true;
  }
  return false;
}

bool KaiGuaranteesDeserved(const KaiShares& reclaimer, const KaiAmounts& requested,
                           const KaiShares& victim, const KaiAmounts& remaining) {
  if (!StaysWithinDeserved(reclaimer, &KaiShare::allocated, requested)) return false;
  for (size_t r = 0; r < kKaiResources; ++r) {
    if (CompareKaiAmount(remaining[r], victim[r].deserved) > 0) return true;
  }
  return false;
}

}  // namespace muster
