// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Applications: their states, and what is allocated to them.
#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/peer/yunikorn/partition.h"

namespace muster::yunikorn {
namespace {

constexpr std::string_view kMostApplicationsTag = "namespace.max-apps";

// Sets the state after an event. Returns false if the state refuses the event.
bool NextState(AppState state, AppEvent event, AppState* next) {
  using S = AppState;
  switch (event) {
    case AppEvent::kRun:
      if (state == S::kNew || state == S::kResuming) return *next = S::kAccepted, true;
      *next = S::kRunning;
      return state == S::kAccepted || state == S::kRunning || state == S::kCompleting;
    case AppEvent::kReject:
      *next = S::kRejected;
      return state == S::kNew;
    case AppEvent::kComplete:
      *next = state == S::kCompleting ? S::kCompleted : S::kCompleting;
      return state == S::kAccepted || state == S::kRunning || state == S::kCompleting;
    case AppEvent::kFail:
      *next = state == S::kFailing ? S::kFailed : S::kFailing;
      return state == S::kNew || state == S::kAccepted || state == S::kRunning ||
             state == S::kFailing;
    case AppEvent::kResume:
      *next = S::kResuming;
      return state == S::kNew || state == S::kAccepted;
    case AppEvent::kExpire:
      *next = S::kExpired;
      return state == S::kCompleted || state == S::kFailed || state == S::kRejected;
  }
  return false;
}

}  // namespace

// --- states

bool Partition::Handle(Index application, AppEvent event) {
  AppState next = AppState::kNew;
  Application& app = applications[application];
  if (!NextState(app.state, event, &next)) return false;
  if (next == app.state) return true;
  app.completing_timer = false;
  if (app.state == AppState::kRunning) DecRunning(app.queue);
  Enter(application, next);
  return true;
}

void Partition::Enter(Index application, AppState state) {
  Application& app = applications[application];
  app.state = state;
  if (state == AppState::kRunning) IncRunning(app.queue, application);
  if (state == AppState::kCompleting) app.completing_timer = true;
  if (state == AppState::kCompleted) app.placeholder_timer = false;
  if (state != AppState::kCompleted && state != AppState::kFailed) return;
  for (const auto& [key, request] : app.requests) {
    allocations[request].in_requests = false;
    Loosen(request);
  }
  app.requests.clear();
  app.sorted_requests.clear();
  app.first_open = 0;
  app.open_priorities.Clear();
  ended_.push_back(application);
}

void Partition::RemoveEnded() {
  EndOperation();
  for (Index application : std::exchange(ended_, {})) {
    const Application& app = applications[application];
    const auto listed = application_index.find(app.id);
    if (listed == application_index.end() || listed->second != application) continue;
    RemoveFromQueue(application);
    application_index.erase(app.id);
    FreeApplication(application);
  }
}

// The place of an application that nothing refers to is used again.
void Partition::FreeApplication(Index application) {
  Application& app = applications[application];
  if (!app.allocations.empty() || !app.requests.empty() || !app.reservations.empty()) return;
  app = {};
  std::erase(ended_, application);
  free_applications_.push_back(application);
}

void Partition::FreeLoose() {
  for (Index allocation : std::exchange(loose_, {})) {
    Allocation& alloc = allocations[allocation];
    const bool linked = alloc.release != kNone && allocations[alloc.release].release == allocation;
    if (alloc.key.empty() || alloc.in_requests || alloc.in_application || alloc.on_node || linked) {
      continue;
    }
    alloc = {};
    free_allocations_.push_back(allocation);
  }
}

Index Partition::FindApplication(std::string_view id) const {
  const auto found = application_index.find(id);
  return found == application_index.end() ? kNone : found->second;
}

bool Partition::HasNothing(const Application& app) const {
  return IsZero(app.pending) && IsZero(app.allocated);
}

// --- submission and removal

absl::Status Partition::AddApplication(Application application) {
  EndOperation();
  if (application_index.contains(application.id)) {
    return absl::AlreadyExistsError(absl::StrCat("application ", application.id, ": added before"));
  }
  absl::StatusOr<std::string> path = Place(application);
  if (!path.ok()) return path.status();
  Index queue = FindQueue(*path);
  if (queue == kNone) {
    absl::StatusOr<Index> created = CreateQueues(*path, application.usage);
    if (!created.ok()) return created.status();
    queue = *created;
  }
  if (!queues[queue].leaf) {
    return absl::FailedPreconditionError(absl::StrCat("queue ", *path, ": not a leaf"));
  }
  if (absl::Status status = ApplyTags(queue, application); !status.ok()) return status;
  if (!IsZero(application.placeholder_ask)) {
    if (queues[queue].rules.sort != SortPolicy::kFifo) {
      return absl::FailedPreconditionError(absl::StrCat(
          "queue ", *path, ": task groups need a queue that sorts applications by fifo"));
    }
    if (!FitsInLimits(MaxQueueSet(queue), application.placeholder_ask)) {
      return absl::FailedPreconditionError(
          absl::StrCat("queue ", *path, ": the task groups request more than the limit"));
    }
  }
  const Index index = NewApplication();
  application.queue = queue;
  application.queue_path = queues[queue].path;
  application.usage.application = next_usage_++;
  application.usage.path = SplitPath(application.queue_path);
  application.in_queue = true;
  application_index[application.id] = index;
  std::vector<Index>& listed = queues[queue].applications;
  const auto at =
      std::ranges::lower_bound(listed, application.id, {},
                               [&](Index a) -> const std::string& { return applications[a].id; });
  listed.insert(at, index);
  applications[index] = std::move(application);
  return absl::OkStatus();
}

Index Partition::NewApplication() {
  if (free_applications_.empty()) {
    applications.emplace_back();
    return static_cast<Index>(applications.size() - 1);
  }
  const Index index = free_applications_.back();
  free_applications_.pop_back();
  return index;
}

// Tags of the application's namespace set the limits of dynamic queues.
absl::Status Partition::ApplyTags(Index index, const Application& application) {
  Queue& queue = queues[index];
  if (queue.managed || queue.path == kRecoveryQueue) return absl::OkStatus();
  uint64_t most = 0;
  const std::string text = TagOf(application, kMostApplicationsTag);
  if (!text.empty() && absl::SimpleAtoi(text, &most) && most != 0) queue.most_applications = most;
  if (!application.tagged_guaranteed.nil() || !application.tagged_most.nil()) {
    SetResources(queue, application.tagged_guaranteed, application.tagged_most);
  }
  return absl::OkStatus();
}

void Partition::RemoveFromQueue(Index application) {
  Application& app = applications[application];
  if (!app.in_queue) return;
  if (!IsZero(app.pending)) DecPending(app.queue, app.pending);
  if (!IsZero(app.allocated)) DecAllocated(app.queue, app.allocated);
  if (!IsZero(app.placeholders_allocated)) DecAllocated(app.queue, app.placeholders_allocated);
  Resource preempting;
  for (Index allocation : app.allocations) {
    if (allocations[allocation].preempted) preempting.AddTo(allocations[allocation].resource);
  }
  if (!IsZero(preempting)) DecPreempting(app.queue, preempting);
  app.in_queue = false;
  Queue& queue = queues[app.queue];
  std::erase(queue.applications, application);
  queue.allocating.erase(app.id);
  application_orders_[app.queue].Touch(application);
  ForgetPriority(application);
}

std::vector<std::string> Partition::RemoveApplication(std::string_view id) {
  EndOperation();
  const Index application = FindApplication(id);
  if (application == kNone) return {};
  application_index.erase(id);
  RemoveRequests(application);
  RemoveFromQueue(application);
  std::vector<std::string> keys;
  for (Index allocation : RemoveAllAllocations(application)) {
    keys.push_back(allocations[allocation].key);
    const Index node = allocations[allocation].node;
    if (node != kNone && !nodes[node].removed) TakeFromNode(node, allocation);
    Loosen(allocation);
  }
  EndOperation();
  FreeApplication(application);
  return keys;
}

// --- allocations

const std::vector<Index>& Partition::AllocationsOf(Application& app) {
  std::vector<Index>& list = app.allocations;
  const auto key = [&](Index a) -> const std::string& { return allocations[a].key; };
  constexpr size_t kFew = 16;  // that came since the last look
  size_t& sorted = app.sorted_allocations;
  if (list.size() - sorted > kFew) {
    std::ranges::sort(list, {}, key);
    sorted = list.size();
  }
  for (; sorted < list.size(); ++sorted) {
    const auto next = list.begin() + static_cast<std::ptrdiff_t>(sorted);
    const auto at = std::upper_bound(list.begin(), next, *next,
                                     [&](Index a, Index b) { return key(a) < key(b); });
    std::rotate(at, next, next + 1);
  }
  return list;
}

std::vector<Index> Partition::PlaceholdersOf(Application& app) {
  std::vector<Index> placeholders;
  for (Index allocation : AllocationsOf(app)) {
    if (allocations[allocation].placeholder) placeholders.push_back(allocation);
  }
  return placeholders;
}

Index Partition::FindAllocation(Application& app, std::string_view key) {
  const std::vector<Index>& sorted = AllocationsOf(app);
  const auto at = std::ranges::lower_bound(
      sorted, key, {}, [&](Index a) -> std::string_view { return allocations[a].key; });
  return at == sorted.end() || allocations[*at].key != key ? kNone : *at;
}

void Partition::AddAllocation(Index allocation, bool replaced) {
  Allocation& alloc = allocations[allocation];
  const Index application = alloc.application;
  Application& app = applications[application];
  if (alloc.placeholder) {
    if (IsZero(app.placeholders_allocated)) {
      app.has_placeholders = true;
      if (app.state == AppState::kAccepted) app.placeholder_timer = true;
    }
    limits.Increase(app.usage, alloc.resource);
    app.placeholders_allocated.AddTo(alloc.resource);
    if (Equals(app.placeholders_allocated, app.placeholder_ask))
      Handle(application, AppEvent::kRun);
  } else {
    if (!replaced || !IsZero(app.allocated) || app.state == AppState::kCompleting) {
      Handle(application, AppEvent::kRun);
    }
    limits.Increase(app.usage, alloc.resource);
    app.allocated.AddTo(alloc.resource);
  }
  app.submission_time = std::min(app.submission_time, alloc.create_time);
  TouchedApplication(application);
  if (alloc.in_application) return;
  alloc.in_application = true;
  app.allocations.push_back(allocation);
}

// What a placeholder's end means for the application. Sets what happens to it next.
void Partition::AfterPlaceholderLeft(Index application, Index allocation, Termination type) {
  Application& app = applications[application];
  const Allocation& alloc = allocations[allocation];
  if (const auto data = app.placeholder_data.find(alloc.task_group);
      data != app.placeholder_data.end()) {
    ++(type == Termination::kReplaced ? data->second.replaced : data->second.timed_out);
  }
  app.placeholders_allocated.SubFrom(alloc.resource);
  app.placeholders_allocated.Prune();
  bool ends = false;
  if (IsZero(app.placeholders_allocated)) {
    app.placeholder_timer = false;
    app.has_placeholders = false;
    ends = (app.state == AppState::kCompleting && !app.completing_timer) ||
           app.state == AppState::kFailing || app.state == AppState::kResuming || HasNothing(app);
  }
  const bool resumes = app.state == AppState::kResuming;
  limits.Decrease(app.usage, alloc.resource, ends && !resumes);
  if (!ends) return;
  Handle(application, resumes                           ? AppEvent::kRun
                      : app.state == AppState::kFailing ? AppEvent::kFail
                                                        : AppEvent::kComplete);
}

Index Partition::RemoveAllocation(Index application, std::string_view key, Termination type) {
  Application& app = applications[application];
  const Index allocation = FindAllocation(app, key);
  if (allocation == kNone) return kNone;
  const Allocation& alloc = allocations[allocation];
  if (alloc.placeholder) {
    AfterPlaceholderLeft(application, allocation, type);
  } else {
    app.allocated.SubFrom(alloc.resource);
    app.allocated.Prune();
    const bool ends = HasNothing(app);
    limits.Decrease(app.usage, alloc.resource, ends);
    if (ends) Handle(application, AppEvent::kComplete);
  }
  TouchedApplication(application);
  const auto at = std::ranges::find(app.allocations, allocation);
  if (at != app.allocations.end()) {
    if (at - app.allocations.begin() < static_cast<std::ptrdiff_t>(app.sorted_allocations)) {
      --app.sorted_allocations;
    }
    app.allocations.erase(at);
  }
  allocations[allocation].in_application = false;
  Loosen(allocation);
  return allocation;
}

Index Partition::ReplaceAllocation(Index application, std::string_view key) {
  const Index placeholder = RemoveAllocation(application, key, Termination::kReplaced);
  if (placeholder == kNone) return kNone;
  const Index real = allocations[placeholder].release;
  if (real == kNone) return placeholder;
  AddAllocation(real, /*replaced=*/true);
  allocations[real].release = kNone;
  return placeholder;
}

std::vector<Index> Partition::RemoveAllAllocations(Index application) {
  Application& app = applications[application];
  std::vector<Index> removed = AllocationsOf(app);
  for (Index allocation : removed) {
    Allocation& alloc = allocations[allocation];
    alloc.in_application = false;
    if (!alloc.placeholder) continue;
    const auto data = app.placeholder_data.find(alloc.task_group);
    if (data != app.placeholder_data.end()) ++data->second.timed_out;
  }
  if (limits.HasUser(app.usage.user) && IsZero(app.pending)) {
    limits.Decrease(app.usage, Add(app.allocated, app.placeholders_allocated), /*last=*/true);
  }
  app.allocated = {};
  app.placeholders_allocated = {};
  app.allocations.clear();
  app.sorted_allocations = 0;
  TouchedApplication(application);
  if (IsZero(app.pending)) Handle(application, AppEvent::kComplete);
  app.placeholder_timer = false;
  app.completing_timer = false;
  return removed;
}

// --- timers

std::vector<Index> Partition::MarkReleased(const std::vector<Index>& list) {
  std::vector<Index> marked;
  for (Index allocation : list) {
    Allocation& alloc = allocations[allocation];
    if (alloc.preempted) continue;
    alloc.released = true;
    marked.push_back(allocation);
  }
  return marked;
}

void Partition::StopAll(const std::vector<Index>& list, Termination type, Index beneficiary) {
  for (Index allocation : list) {
    const Allocation& alloc = allocations[allocation];
    stops.push_back({applications[alloc.application].id, alloc.key, type, beneficiary});
  }
}

void Partition::CompletingTimeout(std::string_view id) {
  EndOperation();
  const Index application = FindApplication(id);
  if (application == kNone || !applications[application].completing_timer) return;
  Application& app = applications[application];
  if (app.state != AppState::kCompleting) return;
  if (IsZero(app.placeholders_allocated)) {
    Handle(application, AppEvent::kComplete);
  } else {
    StopAll(ReleasePlaceholders(app), Termination::kTimeout);
    app.completing_timer = false;
  }
  EndOperation();
}

// Marks the placeholders that are not on their way out.
std::vector<Index> Partition::ReleasePlaceholders(Application& app) {
  std::vector<Index> placeholders = PlaceholdersOf(app);
  std::erase_if(placeholders, [&](Index p) { return allocations[p].released; });
  return MarkReleased(placeholders);
}

void Partition::PlaceholderTimeout(std::string_view id) {
  EndOperation();
  const Index application = FindApplication(id);
  if (application == kNone) return;
  Application& app = applications[application];
  app.placeholder_timer = false;
  if ((app.state == AppState::kRunning || app.state == AppState::kCompleting) &&
      !IsZero(app.placeholders_allocated)) {
    return StopAll(ReleasePlaceholders(app), Termination::kTimeout);
  }
  Handle(application, app.hard_gang ? AppEvent::kFail : AppEvent::kResume);
  const std::vector<Index> allocated = MarkReleased(AllocationsOf(app));
  std::vector<Index> open;
  for (const auto& [key, request] : app.requests) {
    if (!allocations[request].allocated) open.push_back(request);
  }
  std::ranges::sort(open, {}, [&](Index r) -> const std::string& { return allocations[r].key; });
  open = MarkReleased(open);
  for (Index request : open) {
    const auto data = app.placeholder_data.find(allocations[request].task_group);
    if (data != app.placeholder_data.end()) ++data->second.timed_out;
  }
  RemoveRequests(application);
  StopAll(allocated, Termination::kTimeout);
  StopAll(open, Termination::kTimeout);
  EndOperation();
}

}  // namespace muster::yunikorn
