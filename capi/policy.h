// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Policies and actions behind tables of callbacks, as the engine sees them.
//
//   auto list = std::make_shared<PolicyList>();
//   if (absl::Status s = list->Add(table); !s.ok()) return s;
//   options.extensions = list;
//
// Questions reach the callbacks through lib/binding, which keeps the answers. The first failure is
// kept, too: every answer after it is that of a policy without an opinion, every call of an action
// does nothing, the cycle stops before its next gang, and the caller gets the failure instead of a
// plan.
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
#include "absl/status/statusor.h"
#include "lib/extension/cycle.h"
#include "muster/c.h"
#include "muster/policy.h"

struct muster_cycle {
  const muster::Tables* tables = nullptr;
  const muster::Ledger* ledger = nullptr;
  const std::vector<muster::JobPhase>* phases = nullptr;
  const muster::Domains* domains = nullptr;
  int64_t now = 0;
};

namespace muster::capi {

// A row as callbacks are told it.
inline int32_t RowNumber(uint32_t index) {
  return index == kNone ? MUSTER_NONE : static_cast<int32_t>(index);
}

// What the policies and actions of one muster_policies have in common. As Extensions it lives as
// long as a session that uses it.
class PolicyList : public Extensions {
 public:
  PolicyList() = default;
  ~PolicyList();
  PolicyList(const PolicyList&) = delete;
  PolicyList& operator=(const PolicyList&) = delete;

  absl::Status Add(const muster_policy& policy);
  absl::Status Add(const muster_action& action);  // workbench.cc

  // Begins a cycle. Returns false if one runs already.
  bool Begin();
  void End();
  bool failed() const { return failed_; }
  // Returns the first failure of a cycle. Throws std::bad_alloc if there was no memory to keep it.
  absl::Status failure() const;
  void Fail(absl::Status failure);
  void FailWithoutWords() noexcept;

  const muster_cycle* Open(const Cycle& cycle);
  const muster_cycle& cycle() const { return cycle_; }

  // While a policy is asked, no action may go on.
  class Asking {
   public:
    explicit Asking(PolicyList* list) : list_(*list) { ++list_.asking_; }
    ~Asking() { --list_.asking_; }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;

   private:
    PolicyList& list_;
  };
  bool asking() const { return asking_ > 0; }

 private:
  // One policy or action. Its address is stable.
  struct Entry {
    std::string name, words;  // the refusal of a policy, the summary of an action
    muster_policy policy = MUSTER_POLICY_INIT;
    muster_action action = MUSTER_ACTION_INIT;
    void (*destroy)(uintptr_t user) = nullptr;
    uintptr_t user = 0;
  };
  absl::StatusOr<Entry*> AddEntry(const char* kind, const char* name, const char* words);
  void Run(const Entry& entry, Workbench& bench);  // workbench.cc

  std::deque<Entry> entries_;
  std::atomic<bool> running_{false};
  bool failed_ = false, has_words_ = true;
  int asking_ = 0;
  absl::Status failure_;
  muster_cycle cycle_;
};

}  // namespace muster::capi

struct muster_policies {
  std::shared_ptr<muster::capi::PolicyList> list;
};

namespace muster::capi {

// The policies of one call, from Begin to the end of the object.
class PolicyTurn {
 public:
  PolicyTurn() = default;
  ~PolicyTurn() {
    if (list_ != nullptr) list_->End();
  }
  PolicyTurn(const PolicyTurn&) = delete;
  PolicyTurn& operator=(const PolicyTurn&) = delete;

  // `policies` of the struct called `owner`; null: none. Fails if a cycle that runs asks them.
  absl::Status Begin(std::string_view owner, const muster_policies* policies);
  // Null: none.
  const std::shared_ptr<PolicyList>& list() const { return list_; }
  bool failed() const { return list_ != nullptr && list_->failed(); }
  // Returns what a callback failed with.
  absl::Status status() const { return failed() ? list_->failure() : absl::OkStatus(); }

 private:
  std::shared_ptr<PolicyList> list_;
};

}  // namespace muster::capi

#endif  // MUSTER_CAPI_POLICY_H_
