// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The users of a leaf queue: what each holds, and the limit that all share.
//
// The limit of a user is at least an equal share of what active users hold, and at least a percent
// of the queue's current capacity; it is at most a multiple of the queue's guarantee. A user is
// active while one of its active applications wants containers.
//
// Surprises. Current capacity is computed from a running sum of float quotients, so it depends on
// the history of the queue. A user with no application left is forgotten, whatever it still holds.
// A limit is computed again only after something bumped the version.
#ifndef MUSTER_PEER_YARN_CAPACITY_USERS_H_
#define MUSTER_PEER_YARN_CAPACITY_USERS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "lib/peer/yarn/containers.h"
#include "lib/peer/yarn/resource.h"

namespace muster::yarn {

using UserIndex = uint32_t;

// Whether nodes of a partition serve requests for it, or lend to those for the default one.
enum class Exclusivity : uint8_t { kRespect, kIgnore };

struct User {
  bool is_known = false, is_active = false;
  std::vector<Resource> used, masters;  // by partition; used includes reservations
  std::vector<float> ratio;
  Resource limit;  // as last computed for active users
  int64_t pending_apps = 0, active_apps = 0;
  float weight = 1;
  int64_t generation = 0;  // how often a user of this name was forgotten before
};

// What a limit depends on besides the users.
struct UserLimitBase {
  Calculator calculator = Calculator::kMemory;
  Resource total, guaranteed, max, min_allocation;
};

class Users {
 public:
  explicit Users(size_t partitions);

  // `weights` by user; users beyond its end have weight 1.
  void Configure(float percent, float factor, std::vector<float> weights);
  float percent() const { return percent_; }
  float factor() const { return factor_; }

  // Null if the user is not known.
  const User* Find(UserIndex user) const;
  User* Find(UserIndex user);
  User& FindOrAdd(UserIndex user);
  void Remove(UserIndex user);
  // Returns what the user held, or did when that generation of it was forgotten. Applications
  // that began under it are told headroom by it.
  Resource UsedBy(UserIndex user, int64_t generation, Partition partition) const;
  const std::vector<User>& all() const { return users_; }

  // An application of the user begins or ceases to want containers.
  void StartWanting(UserIndex user);
  void StopWanting(UserIndex user);
  // Returns the active users, and those with pending applications only as of the last limit.
  int64_t active_count() const { return active_ + pending_only_; }

  void Change(UserIndex user, Partition partition, const Resource& by, const UserLimitBase& base);
  // Continues a running sum. `ratios` are those of users at that time; the sum changes by the
  // difference, user by user.
  void SetRatioSum(Partition partition, float sum,
                   const std::vector<std::pair<UserIndex, float>>& ratios);
  float ratio_sum(Partition partition) const { return ratio_sum_[partition]; }
  // The users that have pending applications alone, as of the last limit.
  int64_t pending_only() const { return pending_only_; }
  void SetPendingOnly(int64_t users) { pending_only_ = users; }
  // Computes the ratios of all users again. `order` lists users as the peer's table does.
  void Recompute(Partition partition, const UserLimitBase& base,
                 const std::vector<UserIndex>& order);

  Resource LimitOfActive(UserIndex user, Partition partition, Exclusivity mode,
                         const UserLimitBase& base);
  Resource LimitOfAll(UserIndex user, Partition partition, Exclusivity mode,
                      const UserLimitBase& base);
  void Bump() { ++version_; }
  int64_t version() const { return version_; }

 private:
  struct Cached {
    int64_t version = -1;
    Resource limit;
  };
  Resource Compute(Partition partition, Exclusivity mode, const UserLimitBase& base,
                   bool of_active) const;
  Resource Weighed(Resource limit, UserIndex user, const UserLimitBase& base) const;
  float SumOfWeights(bool of_active) const;
  void Update(Cached* cached, Partition partition, Exclusivity mode, const UserLimitBase& base,
              bool of_active);
  float NewRatio(User* user, Partition partition, const UserLimitBase& base);
  void SetActive(UserIndex user, bool is_active);

  size_t partitions_;
  float percent_ = 100, factor_ = 1;
  std::vector<float> weights_;
  std::vector<User> users_;
  std::vector<User> forgotten_;   // the last of each name
  std::vector<int32_t> wanting_;  // applications of each user; outlives the user
  std::vector<Resource> active_used_;
  std::vector<float> ratio_sum_;
  std::vector<Cached> active_limits_, all_limits_;  // partition * 2 + mode
  int64_t version_ = 0, active_ = 0, pending_only_ = 0;
  float active_weights_ = 0, all_weights_ = 0;
};

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_CAPACITY_USERS_H_
