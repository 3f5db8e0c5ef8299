// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Runs several cycles over one snapshot by the caller's executor. Each number has a place of its
// own for its result, so they share nothing but the snapshot.
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "capi/handles.h"
#include "lib/base/strings.h"

namespace muster::capi {
namespace {

struct FreePlan {
  void operator()(muster_plan* plan) const { muster_plan_free(plan); }
};

struct Item {
  std::atomic<bool> begun{false};
  std::unique_ptr<muster_plan, FreePlan> plan;
  muster_status status = MUSTER_OK;
  muster_error error = MUSTER_ERROR_INIT;
};

struct Work {
  const muster_snapshot* snapshot;
  const char* const* profiles;
  const muster_schedule_options* const* options;
  int64_t count;
  Item* items;

  const muster_schedule_options* OptionsOf(int64_t i) const {
    return options == nullptr ? nullptr : options[i];
  }
};

// Runs the cycle unless it was begun: once is enough.
void RunItem(const Work& work, int64_t i) {
  Item& item = work.items[i];
  if (item.begun.exchange(true)) return;
  muster_plan* plan = nullptr;
  item.status = muster_snapshot_schedule(work.snapshot, work.profiles[i], work.OptionsOf(i), &plan,
                                         &item.error);
  item.plan.reset(plan);
}

// Policies and actions of the caller's own are asked on the calling thread, one cycle after
// another. A struct that cannot be read fails its cycle on any thread.
bool HasPolicies(const muster_schedule_options* options) {
  muster_schedule_options given = MUSTER_SCHEDULE_OPTIONS_INIT;
  return ReadStruct("muster_schedule_options", options, &given).ok() && given.policies != nullptr;
}

void RunAnywhere(uintptr_t handed, int64_t i) {
  const Work& work = *reinterpret_cast<const Work*>(handed);
  if (i >= 0 && i < work.count && !HasPolicies(work.OptionsOf(i))) RunItem(work, i);
}

}  // namespace
}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's

muster_status muster_snapshot_schedule_all(const muster_snapshot* snapshot,
                                           const char* const* profiles,
                                           const muster_schedule_options* const* options,
                                           int64_t count, muster_executor executor, uintptr_t user,
                                           muster_plan** out, muster_error* error) {
  constexpr int64_t kMost = 1 << 20;
  for (int64_t i = 0; out != nullptr && i < count && i < kMost; ++i) out[i] = nullptr;
  int32_t code = MUSTER_OK, user_code = 0;  // of the cycle that failed
  const muster_status status = Guard(error, [&]() -> absl::Status {
    if (snapshot == nullptr) return NullArgument("snapshot");
    if (count < 0 || count > kMost) {
      return absl::InvalidArgumentError(absl::StrCat("count is ", count, "; must be 0 to ", kMost));
    }
    if (count == 0) return absl::OkStatus();
    if (profiles == nullptr) return NullArgument("profiles");
    if (out == nullptr) return NullArgument("out");
    const auto items = std::make_unique<Item[]>(static_cast<size_t>(count));
    Work work{snapshot, profiles, options, count, items.get()};
    if (executor != nullptr) {
      const muster_status said =
          executor(user, count, RunAnywhere, reinterpret_cast<uintptr_t>(&work));
      if (said != MUSTER_OK) return UserFailure("executor", said);
    }
    for (int64_t i = 0; i < count; ++i) RunItem(work, i);  // what the executor left out
    for (int64_t i = 0; i < count; ++i) {
      const Item& item = items[static_cast<size_t>(i)];
      if (item.status == MUSTER_OK) continue;
      code = item.status;
      user_code = item.error.user_code;
      return absl::UnknownError(absl::StrCat("profiles[", i, "]: ", item.error.message));
    }
    for (int64_t i = 0; i < count; ++i) out[i] = items[static_cast<size_t>(i)].plan.release();
    return absl::OkStatus();
  });
  if (status == MUSTER_OK || code == MUSTER_OK) return status;
  if (error != nullptr && status == MUSTER_E_UNKNOWN) {
    error->code = code;
    error->user_code = user_code;
  }
  return code;
}
