// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The accountant: usage of users and groups, and the priorities that follow from it.
//
//   Accountant accountant(rules, &tree);
//   accountant.SetTime(now);
//   accountant.Match("ann@site", "slot1", /*weight=*/2);
//   accountant.UpdatePriorities();
//   double priority = accountant.EffectivePriority("ann@site");   // lower goes first
//
// A customer is a user or a group. The real priority moves towards the usage, by half in a
// half-life and never below 0.5; the effective priority is that times a factor. Usage of groups
// counts their members, and that of a group counts the groups below it as well.
//
// Numbers. All that is stored is rounded to six decimals, as the peer writes its records as texts.
//
// Where the peer surprises:
// - Asking for a factor stores it, and setting one below 1 stores 1.
// - CheckMatches counts the claims anew for users; the usage of groups with those below them, and
//   the number of claims, grow by every claim in every cycle. `resets_groups` mends that.
#ifndef MUSTER_PEER_HTCONDOR_ACCOUNTANT_H_
#define MUSTER_PEER_HTCONDOR_ACCOUNTANT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/htcondor/group_tree.h"

namespace muster::condor {

struct AccountantRules {
  double half_life = 86'400;  // seconds
  double default_factor = 1'000, nice_factor = 1e10, remote_factor = 1e7;
  std::string local_domain;                                   // empty: every domain is
  std::vector<std::pair<std::string, double>> group_factors;  // by group
  bool resets_groups = false;                                 // see above
};

struct Claim {
  std::string slot, customer;
  double weight = 1;
};

// What is kept of a customer.
struct CustomerRecord {
  std::optional<double> priority, factor;
  double weighted_used = 0, weighted_uncharged = 0;
  // What was used, in seconds, with and without weights. That with weights begins with the first
  // change, from what the other one has by then.
  std::optional<double> weighted_accumulated;
  double accumulated = 0, uncharged = 0;
  double hierarchical = 0;
  int64_t used = 0;
  int64_t ceiling = -1, floor = -1;
};

class Accountant {
 public:
  using Record = CustomerRecord;
  // `tree` must outlive this.
  Accountant(AccountantRules rules, const GroupTree* tree);

  // The first call begins: records for all groups, and an update.
  void SetTime(int64_t now);
  int64_t now() const { return now_; }
  void UpdatePriorities();

  // A customer's records and those that are charged with it, found once.
  class Payer {
    friend class Accountant;
    size_t own = 0, of_group = 0;   // places in the records
    std::vector<size_t> in_groups;  // of its group and those above it
    GroupIndex group = kRootGroup;
  };
  // Makes the records that are not there. The payer is valid until Restore.
  Payer PayerOf(std::string_view customer);
  void Match(const Payer& payer, std::string_view slot, double weight);
  void Match(std::string_view customer, std::string_view slot, double weight) {
    Match(PayerOf(customer), slot, weight);
  }
  void Release(std::string_view slot);
  // Counts the claims that the slots report.
  void CheckMatches(std::span<const Claim> claims);

  // Records as they were at an update at `last_update`, in place of the first call of SetTime.
  void Restore(int64_t last_update, HashMap<std::string, Record> records);
  const HashMap<std::string, Record>& records() const { return records_; }
  // REQUIRES: a call of SetTime or Restore.
  int64_t last_update() const { return *last_update_; }

  void SetFactor(std::string_view customer, double factor);
  void SetPriority(std::string_view customer, double priority);
  void SetCeiling(std::string_view customer, int64_t ceiling);
  void SetFloor(std::string_view customer, int64_t floor);

  double EffectivePriority(std::string_view customer);
  double Factor(std::string_view customer);
  double RealPriority(std::string_view customer) const;
  double WeightedUsed(std::string_view customer) const;
  // Returns the same of a group, without a search.
  double GroupUsed(GroupIndex g) const { return group_used_[g]; }
  int64_t Used(std::string_view customer) const;
  double HierarchicalUsed(std::string_view customer) const;
  double WeightedAccumulated(std::string_view customer) const;
  // Below 0: none.
  int64_t Ceiling(std::string_view customer) const;
  int64_t Floor(std::string_view customer) const;

 private:
  struct Held {
    std::string slot;
    size_t customer = 0;  // the place of its record
    double weight = 1;
    int64_t start = 0;
  };
  const Record* Find(std::string_view customer) const;
  // `seconds`: of the time up to the next update that is not charged; of a claim that ends, that
  // is.
  void Charge(const Payer& payer, double weight, int64_t seconds, int64_t count);
  static void ChargeRecord(double weight, int64_t seconds, int64_t count, Record* record);
  // Returns the place of the customer's record.
  size_t PlaceOf(std::string_view customer);
  Record& record(size_t place) {
    return (records_.begin() + static_cast<ptrdiff_t>(place))->second;
  }
  double DefaultFactor(std::string_view customer) const;

  const AccountantRules rules_;
  const GroupTree& tree_;
  std::optional<int64_t> last_update_;
  int64_t now_ = 0;
  HashMap<std::string, Record> records_;
  std::vector<double> group_used_;  // as the records of groups have it
  std::vector<Held> held_;          // of a slot that was matched again the last one counts
};

// Returns the number as a record of the peer keeps it.
double SixDecimals(double number);

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_ACCOUNTANT_H_
