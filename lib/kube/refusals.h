// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The answer to one question about many nodes, filled in by several filters one after another.
//
//   Refusals refusals(fits, codes, hard);
//   ports.Fit(c, nodes, &refusals);
//   affinity.Fit(c, nodes, &refusals);   // sees all nodes, names only those not refused before
//
// The first filter that refuses a node names the reason. Later filters still see the node. If an
// eviction cannot cure one of their refusals, the node is hopeless, whatever reason came first.
#ifndef MUSTER_KUBE_REFUSALS_H_
#define MUSTER_KUBE_REFUSALS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "muster/plan.h"

namespace muster {

class Refusals {
 public:
  Refusals(std::span<uint8_t> fits, std::span<RefusalCode> codes, std::span<uint8_t> hard)
      : fits_(fits), codes_(codes), hard_(hard), asked_(fits.begin(), fits.end()) {}

  // Returns whether no earlier question had refused node i.
  bool asked(size_t i) const { return asked_[i]; }
  void Add(size_t i, RefusalCode code, bool hard) {
    if (fits_[i]) {
      fits_[i] = 0;
      codes_[i] = code;
      hard_[i] = hard;
    } else if (hard) {
      hard_[i] = 1;
    }
  }

 private:
  std::span<uint8_t> fits_;
  std::span<RefusalCode> codes_;
  std::span<uint8_t> hard_;
  std::vector<uint8_t> asked_;
};

}  // namespace muster

#endif  // MUSTER_KUBE_REFUSALS_H_
