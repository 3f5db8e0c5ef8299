// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Shares: how much of a total something uses, by which queues and applications are ordered.
//
//   if (CompareUsage(left.allocated, right.allocated, leaf.guaranteed) < 0) ...  // left first
//
// All shares are doubles, divided once and compared without a tolerance. A share of a type that
// the total lacks, or has none of, is the raw amount.
#ifndef MUSTER_PEER_YUNIKORN_SHARES_H_
#define MUSTER_PEER_YUNIKORN_SHARES_H_

#include <array>

#include "lib/peer/yunikorn/resource.h"

namespace muster::yunikorn {

// The shares of a resource, smallest first. Types with an amount of zero have a share of zero.
struct ShareList {
  std::array<double, kMostTypes> values;
  int count = 0;
};

ShareList SharesOf(const Resource& resource, const Resource& total);
// The share of one type, by the rule above.
double ShareOf(const Resource& resource, const Resource& total, int type);

// Compares from the largest share down: the first difference decides. If one list ends, what is
// left of the other decides by its sign. Returns -1, 0 or 1.
int CompareShares(const ShareList& left, const ShareList& right);
int CompareUsage(const Resource& left, const Resource& right, const Resource& total);
// The same over the types of `types` of which a side has an amount other than zero. A nil `types`
// stands for all types.
int CompareUsageOf(const Resource& left, const Resource& right, const Resource& total,
                   const Resource& types);

// The largest share of `left` over that of `right`; 1 where that is not a number.
double FairnessRatio(const Resource& left, const Resource& right, const Resource& total);

// The largest share of a queue's `allocated`: of the guarantee where that has the type, otherwise
// of the limit `fair`, which may be above the guarantee's. A denominator of zero or less counts as
// used up as soon as anything is allocated. At least 0.
double FairShare(const Resource& allocated, const Resource& guaranteed, const Resource& fair);

// How far `available` is from holding `fit`: 1 for each type of which there is nothing, a fraction
// where there is too little. 0 if it fits. A nil `available` counts all types of `fit`.
double FitScore(const Resource& available, const Resource& fit);

// Whole percents of `capacity` that are used, of the types that both have.
Resource UsedPercent(const Resource& capacity, const Resource& used);

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_SHARES_H_
