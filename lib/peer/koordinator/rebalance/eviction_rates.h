// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// How often tasks of one workload, or of one namespace, are evicted.
//
//   EvictionRates rates;
//   rates.Track("workload a", /*per_second=*/0.5, /*burst=*/1, now);   // one was evicted
//   rates.Exceeded("workload a", now);                                // true for two seconds
//
// Idea. Each key has a bucket of tokens that fills at its rate up to its burst. An eviction takes a
// token, if there is one; the key is exceeded while less than a token is there. A key of which
// nothing was evicted is not limited.
//
// Peer. Koordinator's object limiters of the migration controller, on Go's rate.Limiter. Surprise:
// a rate that changes holds for the time since the last eviction, too.
//
// Cost. O(log keys) a call.
#ifndef MUSTER_PEER_KOORDINATOR_REBALANCE_EVICTION_RATES_H_
#define MUSTER_PEER_KOORDINATOR_REBALANCE_EVICTION_RATES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace muster::koordinator {

class EvictionRates {
 public:
  struct Bucket {
    double per_second = 0;
    double burst = 1;
    double tokens = 0;
    int64_t at = 0;  // nanoseconds

    double TokensAt(int64_t now) const;
  };

  // Records an eviction. `now` in nanoseconds, not before that of earlier calls; a burst of 0
  // counts as 1. The burst of a key is that of its first eviction.
  void Track(std::string_view key, double per_second, int64_t burst, int64_t now);
  // Returns whether the next eviction has to wait.
  bool Exceeded(std::string_view key, int64_t now) const;

  // For rates that outlive the process: all buckets, and how one comes back.
  const std::map<std::string, Bucket, std::less<>>& buckets() const { return buckets_; }
  void Restore(std::string_view key, const Bucket& bucket) {
    buckets_.insert_or_assign(std::string(key), bucket);
  }

 private:
  std::map<std::string, Bucket, std::less<>> buckets_;
};

}  // namespace muster::koordinator

#endif  // MUSTER_PEER_KOORDINATOR_REBALANCE_EVICTION_RATES_H_
