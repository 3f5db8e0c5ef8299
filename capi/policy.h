// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies behind a vtable, as the engine sees them.
//
// Answers are kept, so that the engine's questions about one node or two jobs are one call for all of them: what holds
// for the cycle is asked when it opens or when it is first needed, the rest again once the books changed. The first
// failure is kept too; every answer after it is that of a policy without an opinion, the cycle stops before its next
// gang, and the caller gets the failure instead of a plan.
#ifndef MUSTER_CAPI_POLICY_H_
#define MUSTER_CAPI_POLICY_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/extension/cycle.h"
#include "muster/c.h"
#include "muster/policy.h"

struct muster_cycle {
  const muster::Tables* tables = nullptr;
  const muster::Ledger* ledger = nullptr;
  const std::vector<muster::JobPhase>* phases = nullptr;
  int64_t now = 0;
};

namespace muster::capi {

// What the policies of one muster_policies have in common. As Extensions it lives as long as a session that uses it.
class PolicyList : public Extensions {
 public:
  PolicyList() = default;
  ~PolicyList();
  PolicyList(const PolicyList&) = delete;
  PolicyList& operator=(const PolicyList&) = delete;

  absl::Status Add(const muster_policy& policy);

  bool Begin();  // of a cycle; false: one runs already
  void End();
  bool failed() const { return failed_; }
  const absl::Status& failure() const { return failure_; }
  void Fail(absl::Status failure);  // the first is kept

  const muster_cycle* Open(const Cycle& cycle);
  const muster_cycle& cycle() const { return cycle_; }

 private:
  struct Entry {
    std::string name, refusal;
    muster_policy table;
  };
  std::deque<Entry> entries_;  // policies look at the names
  std::atomic<bool> running_{false};
  bool failed_ = false;
  absl::Status failure_;
  muster_cycle cycle_;
};

}  // namespace muster::capi

struct muster_policies {
  std::shared_ptr<muster::capi::PolicyList> list;
};

#endif  // MUSTER_CAPI_POLICY_H_
