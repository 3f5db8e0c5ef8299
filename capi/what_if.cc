// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The result of a what-if as columns, and answers to other questions as JSON.
#include "muster/what_if.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "capi/boundary.h"
#include "capi/executor.h"
#include "capi/handles.h"
#include "capi/policy.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/scenario/question.h"
#include "lib/scenario/scenario.h"

struct muster_outlook {
  muster::Outlook outlook;
  std::vector<int32_t> queue;
  std::vector<int64_t> numbers;  // all columns of a type, one behind the other
  std::vector<double> reals;
  muster_outlook_view view = MUSTER_OUTLOOK_VIEW_INIT;
};

namespace muster::capi {
namespace {

constexpr double kNoneDeserved = -1;

void Fill(muster_outlook* made) {
  const std::vector<QueueOutlook>& queues = made->outlook.queues;
  const size_t dimensions = made->outlook.dimensions.size(), cells = queues.size() * dimensions;
  muster_outlook_view& view = made->view;
  view.dimensions = static_cast<int32_t>(dimensions);
  view.count = static_cast<int64_t>(queues.size());
  for (const QueueOutlook& q : queues) made->queue.push_back(static_cast<int32_t>(q.queue));
  view.queue = made->queue.data();
  // Memory is reserved before, so that pointers stay valid.
  made->numbers.reserve(4 * cells);
  const auto numbers = [&](std::vector<int64_t> QueueOutlook::*column) {
    const size_t begin = made->numbers.size();
    for (const QueueOutlook& q : queues) {
      made->numbers.insert(made->numbers.end(), (q.*column).begin(), (q.*column).end());
    }
    return made->numbers.data() + begin;
  };
  view.allocated_before = numbers(&QueueOutlook::allocated_before);
  view.allocated_after = numbers(&QueueOutlook::allocated_after);
  view.pending_before = numbers(&QueueOutlook::pending_before);
  view.pending_after = numbers(&QueueOutlook::pending_after);
  made->reals.reserve(2 * cells + 2 * queues.size());
  const auto deserved = [&](std::vector<double> QueueOutlook::*column) {
    const size_t begin = made->reals.size();
    for (const QueueOutlook& q : queues) {
      made->reals.insert(made->reals.end(), (q.*column).begin(), (q.*column).end());
      if ((q.*column).empty()) made->reals.insert(made->reals.end(), dimensions, kNoneDeserved);
    }
    return made->reals.data() + begin;
  };
  const auto shares = [&](double QueueOutlook::*column) {
    const size_t begin = made->reals.size();
    for (const QueueOutlook& q : queues) made->reals.push_back(q.*column);
    return made->reals.data() + begin;
  };
  view.deserved_before = deserved(&QueueOutlook::deserved_before);
  view.deserved_after = deserved(&QueueOutlook::deserved_after);
  view.share_before = shares(&QueueOutlook::share_before);
  view.share_after = shares(&QueueOutlook::share_after);
}

template <class Source>
absl::Status Ask(Source& source, const Limits& limits, const char* profile, const char* changes,
                 int64_t size, muster_outlook** out) {
  if (profile == nullptr) return NullArgument("profile");
  if (out == nullptr) return NullArgument("out");
  const absl::StatusOr<std::string_view> text = TextIn("changes", changes, size);
  if (!text.ok()) return text.status();
  const absl::StatusOr<std::vector<WhatIfChange>> parsed = ParseChanges(*text, limits);
  if (!parsed.ok()) return parsed.status();
  absl::StatusOr<Outlook> outlook = WhatIf(source, profile, *parsed);
  if (!outlook.ok()) return outlook.status();
  auto made = std::make_unique<muster_outlook>();
  made->outlook = *std::move(outlook);
  Fill(made.get());
  *out = made.release();
  return absl::OkStatus();
}

absl::Status AnswerQuestion(const muster_cluster& cluster, const char* profile,
                            std::string_view question, const muster_advise_options& options,
                            muster_text** out) {
  PolicyTurn policies;
  if (absl::Status s = policies.Begin("muster_advise_options", options.policies); !s.ok()) return s;
  const auto stopped = [&options] {
    return options.stop != nullptr && options.stop->is_set.load(std::memory_order_relaxed) != 0;
  };
  ScheduleOptions schedule;
  schedule.now = options.now;
  schedule.extensions = policies.list();
  CallerExecutor executor(cluster.executor, cluster.executor_user, cluster.executor_width);
  if (options.stop != nullptr || options.policies != nullptr || executor.get() != nullptr) {
    schedule.should_stop = [&] {
      return !executor.status().ok() || policies.failed() || stopped();
    };
  }
  const absl::StatusOr<std::string> answer =
      Advise(cluster.cluster, profile, question, schedule, cluster.limits, executor.get());
  if (!executor.status().ok()) return executor.status();
  if (policies.failed()) return policies.status();
  if (stopped()) return absl::CancelledError("advise: stopped before its end");
  if (!answer.ok()) return answer.status();
  return GiveText(cluster.memory, *answer, out);
}

}  // namespace
}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's

muster_status muster_snapshot_what_if(const muster_snapshot* snapshot, const char* profile,
                                      const char* changes, int64_t size, muster_outlook** out,
                                      muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (snapshot == nullptr) return NullArgument("snapshot");
    return Ask(snapshot->snapshot, muster::Limits(), profile, changes, size, out);
  });
}

muster_status muster_cluster_what_if(muster_cluster* cluster, const char* profile,
                                     const char* changes, int64_t size, muster_outlook** out,
                                     muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return OnCluster(cluster, error, [&] {
    try {
      return Ask(cluster->cluster, cluster->limits, profile, changes, size, out);
    } catch (...) {
      // The books of the session may be half written; the rows are as they were.
      ImplOf(cluster->cluster).cycle.reset();
      throw;
    }
  });
}

muster_status muster_cluster_advise(muster_cluster* cluster, const char* profile,
                                    const char* question, int64_t size, int64_t now,
                                    muster_text** out, muster_error* error) {
  muster_advise_options options = MUSTER_ADVISE_OPTIONS_INIT;
  options.now = now;
  return muster_cluster_advise_with(cluster, profile, question, size, &options, out, error);
}

muster_status muster_cluster_advise_with(muster_cluster* cluster, const char* profile,
                                         const char* question, int64_t size,
                                         const muster_advise_options* options, muster_text** out,
                                         muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return OnCluster(cluster, error, [&]() -> absl::Status {
    if (profile == nullptr) return NullArgument("profile");
    if (out == nullptr) return NullArgument("out");
    muster_advise_options given = MUSTER_ADVISE_OPTIONS_INIT;
    if (absl::Status s = ReadStruct("muster_advise_options", options, &given); !s.ok()) return s;
    const absl::StatusOr<std::string_view> text = TextIn("question", question, size);
    if (!text.ok()) return text.status();
    return AnswerQuestion(*cluster, profile, *text, given, out);
  });
}

muster_status muster_outlook_get_view(const muster_outlook* outlook, muster_outlook_view* view,
                                      muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (outlook == nullptr) return NullArgument("outlook");
    return WriteStruct("muster_outlook_view", outlook->view, view);
  });
}

const char* muster_outlook_name(const muster_outlook* outlook, int32_t kind, int32_t index,
                                int64_t* size) {
  if (size != nullptr) *size = 0;
  if (outlook == nullptr || index < 0) return nullptr;
  const std::string* name = nullptr;
  if (kind == MUSTER_KIND_DIMENSIONS) {
    const std::vector<std::string>& names = outlook->outlook.dimensions;
    if (static_cast<size_t>(index) < names.size()) name = &names[static_cast<size_t>(index)];
  } else if (kind == MUSTER_KIND_QUEUES) {
    const auto row = std::lower_bound(outlook->queue.begin(), outlook->queue.end(), index);
    if (row != outlook->queue.end() && *row == index) {
      name = &outlook->outlook.queues[static_cast<size_t>(row - outlook->queue.begin())].name;
    }
  }
  if (name == nullptr) return nullptr;
  if (size != nullptr) *size = static_cast<int64_t>(name->size());
  return name->c_str();
}

void muster_outlook_free(muster_outlook* outlook) { delete outlook; }
