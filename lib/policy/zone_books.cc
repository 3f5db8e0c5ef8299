// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reads zones and requests, and keeps count of what each task took.
#include "lib/policy/zone_books.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/numbers.h"
#include "lib/base/strings.h"
#include "lib/model/spec_amounts.h"

namespace muster {
namespace {

constexpr int64_t kLargest = int64_t{1} << 53;  // that a zone has

ZonePolicy PolicyOf(Alignment alignment) {
  switch (alignment) {
    case Alignment::kUnset:
    case Alignment::kNone:
      break;
    case Alignment::kBestEffort:
      return ZonePolicy::kBestEffort;
    case Alignment::kRestricted:
      return ZonePolicy::kRestricted;
    case Alignment::kSingleNumaNode:
      return ZonePolicy::kSingle;
  }
  return ZonePolicy::kNone;
}

// Whether it has no node yet: then the ledger knows where it is in this cycle.
bool IsWaiting(TaskStatus status) {
  return status == TaskStatus::kPending || status == TaskStatus::kNominated;
}

// Returns the number of each zone: that of its name, as "node-3", or its place in the list.
std::vector<int> IdsOf(const std::vector<ZoneSpec>& zones, bool by_name) {
  constexpr std::string_view kPrefix = "node-";
  std::vector<int> ids;
  for (const ZoneSpec& zone : zones) {
    const std::string_view name = zone.name;
    int id = 0;
    by_name = by_name && name.starts_with(kPrefix) &&
              absl::SimpleAtoi(ToAbsl(name.substr(kPrefix.size())), &id) && id >= 0 &&
              id < ZonedNode::kMostZones && std::ranges::find(ids, id) == ids.end();
    if (!by_name) break;
    ids.push_back(id);
  }
  if (by_name) return ids;
  ids.resize(zones.size());
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

}  // namespace

void ZoneBooks::Open(const Tables& tables, const Ledger& ledger, int64_t most_zones) {
  tables_ = &tables;
  ledger_ = &ledger;
  birth_ = 0;  // no ledger has it
  const uint64_t end = tables.log_start + tables.log.size();
  const bool same_machine = layout_ == tables.layout && dimensions_ == tables.dimension_count() &&
                            most_zones_ == most_zones && log_position_ >= tables.log_start &&
                            log_position_ <= end;
  if (!same_machine) {
    layout_ = tables.layout;
    dimensions_ = tables.dimension_count();
    most_zones_ = most_zones;
    ++generation_;
    more_names_.clear();
    book_of_.clear();
    books_.clear();
    asks_.clear();
    alive_ = aligned_ = 0;
    for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) ReadNode(n);
  } else {
    for (; log_position_ < end; ++log_position_) {
      const Change& change = tables.log[log_position_ - tables.log_start];
      if (change.table == Change::Table::kNode) ReadNode(NodeIndex(change.index));
    }
  }
  log_position_ = end;
}

void ZoneBooks::ReadNode(NodeIndex node) {
  const bool has_zones = tables_->nodes.alive[node] && !tables_->nodes.spec[node].zones.empty();
  const bool had_book = node < book_of_.size() && book_of_[node] != kNone;
  if (!has_zones && !had_book) return;
  if (!had_book) {
    if (book_of_.size() <= node) book_of_.resize(node + 1, kNone);
    book_of_[node] = static_cast<uint32_t>(books_.size());
    books_.emplace_back();
  }
  Book& book = books_[book_of_[node]];
  alive_ -= book.is_alive;
  aligned_ -= book.is_aligned;
  book = {};
  if (!has_zones) return;
  const NodeSpec& spec = tables_->nodes.spec[node];
  book.is_alive = true;
  book.is_aligned = PolicyOf(spec.alignment) == ZonePolicy::kSingle;
  book.by_pod = spec.alignment_scope == AlignmentScope::kPod;
  book.measured = spec.zones_measured;
  for (const ZoneSpec& zone : spec.zones) book.is_reported |= zone.available.has_value();
  book.reported = ReadZones(node);
  book.is_stale = true;
  alive_ += book.is_alive;
  aligned_ += book.is_aligned;
}

ZonedNode ZoneBooks::ReadZones(NodeIndex node) {
  const NodeSpec& spec = tables_->nodes.spec[node];
  const std::vector<int> ids = IdsOf(spec.zones, reading_.numbers_by_name);
  std::vector<Zone> zones;
  for (const ZoneSpec& given : spec.zones) {
    Zone& zone = zones.emplace_back();
    zone.id = ids[zones.size() - 1];
    for (const auto& [name, quantity] : given.available ? *given.available : given.capacity) {
      const size_t resource = ResourceNumber(name);
      if (zone.available.size() <= resource) zone.available.resize(resource + 1, Zone::kAbsent);
      zone.available[resource] = ValidAmount(name, quantity);
    }
    for (const auto& [to, distance] : given.distances) {
      const auto it = std::ranges::find(spec.zones, to, &ZoneSpec::name);
      zone.distances.emplace_back(ids[static_cast<size_t>(it - spec.zones.begin())], distance);
    }
  }
  std::vector<bool> on_machine(dimensions_, false);
  const auto allocatable = tables_->nodes.allocatable.row(node);
  for (DimensionIndex d = 0; d < dimensions_; ++d) {
    // These three every machine has, whether it says so or not.
    on_machine[d] = allocatable[d] != kAbsent || d == kCpu || d == kMemory ||
                    tables_->dimensions.name(d) == "ephemeral-storage";
  }
  // Validation of nodes is at least as strict.
  return *ZonedNode::Make(
      {.policy = PolicyOf(spec.alignment),
       .scope =
           spec.alignment_scope == AlignmentScope::kPod ? ZoneScope::kPod : ZoneScope::kContainer,
       .most_zones = reading_.most_zones == nullptr
                         ? most_zones_
                         : reading_.most_zones(spec).value_or(most_zones_)},
      zones, std::move(on_machine));
}

size_t ZoneBooks::ResourceNumber(std::string_view name) {
  if (const auto d = tables_->dimensions.Find(name)) return *d;
  const auto it = std::ranges::find(more_names_, name);
  const size_t more = static_cast<size_t>(it - more_names_.begin());
  if (it == more_names_.end()) more_names_.emplace_back(name);
  return dimensions_ + more;
}

std::string_view ZoneBooks::ResourceName(size_t number) const {
  return number < dimensions_ ? tables_->dimensions.name(static_cast<DimensionIndex>(number))
                              : std::string_view(more_names_[number - dimensions_]);
}

// --- requests

void ZoneBooks::AddAmount(std::string_view name, const Quantity& quantity, ZonedRequest* request) {
  if (name == "pods") return;  // of the machine, not of zones
  const size_t resource = ResourceNumber(name);
  const int64_t amount = ValidAmount(name, quantity);
  const auto at = std::ranges::lower_bound(*request, resource, {}, &ZonedAmount::resource);
  if (at != request->end() && at->resource == resource) {
    at->amount = std::max(at->amount, amount);
    return;
  }
  ZonedResource kind = ZonedResourceOf(name);
  kind.unit = IsMilliDimension(name) ? 1000 : 1;
  request->insert(at, {resource, amount, kind});
}

ZonedRequest ZoneBooks::ReadRequest(const Resources& resources) {
  ZonedRequest request;
  for (const auto& [name, quantity] : resources) AddAmount(name, quantity, &request);
  return request;
}

ZoneBooks::Ask ZoneBooks::MakeAsk(ClassIndex c) {
  const TaskShape& shape = tables_->classes.shape[c];
  Ask ask;
  ZonedTask& task = ask.task;
  task.guaranteed = shape.guaranteed_qos;
  task.whole = ReadRequest(shape.request);
  if (shape.initial_request) {
    for (const auto& [name, quantity] : *shape.initial_request) {
      AddAmount(name, quantity, &task.whole);
    }
  }
  for (const bool main : {false, true}) {
    for (size_t i = 0; i < shape.containers.size(); ++i) {
      const ContainerSpec& container = shape.containers[i];
      if (main == (container.init || container.sidecar)) continue;
      const ZonedTask::Part part = main                ? ZonedTask::Part::kMain
                                   : container.sidecar ? ZonedTask::Part::kSidecar
                                                       : ZonedTask::Part::kInit;
      task.parts.emplace_back(part, ReadRequest(container.request));
      ask.containers.push_back(i);
    }
  }
  if (task.parts.empty()) {
    task.parts.emplace_back(ZonedTask::Part::kMain, ReadRequest(shape.request));
  }
  // A request for no cpu, no memory and nothing but Kubernetes' own resources is not judged.
  task.is_judged = shape.guaranteed_qos;
  const auto judge = [&](const ZonedRequest& request) {
    for (const ZonedAmount& asked : request) {
      const bool matters =
          asked.resource == kCpu || asked.resource == kMemory || !asked.kind.is_native;
      task.is_judged |= matters && asked.amount > 0;
    }
  };
  judge(task.whole);
  for (const auto& [part, request] : task.parts) judge(request);
  return ask;
}

const ZoneBooks::Ask& ZoneBooks::AskOf(ClassIndex c) {
  if (asks_.size() <= c) asks_.resize(tables_->classes.shape.size());
  if (!asks_[c]) asks_[c] = MakeAsk(c);
  return *asks_[c];
}

// --- what tasks take

void ZoneBooks::Count(ClassIndex c, int sign, std::vector<absl::int128>* taken) {
  for (const ZonedAmount& asked : AskOf(c).task.whole) {
    if (taken->size() <= asked.resource) taken->resize(asked.resource + 1, 0);
    (*taken)[asked.resource] += sign * absl::int128(asked.amount);
  }
}

// Whether the node's report cannot know of the task, which is there when the cycle opens.
bool ZoneBooks::IsUnseen(const Book& book, TaskIndex t) const {
  const TaskStatus status = tables_->tasks.status[t];
  if (!book.is_reported || status == TaskStatus::kBinding || status == TaskStatus::kBound) {
    return true;
  }
  const int64_t started = tables_->tasks.started[t];
  return book.measured && (started == kAbsent || started >= *book.measured);
}

void ZoneBooks::CountAll() {
  std::vector<std::vector<absl::int128>> taken(books_.size());
  const TaskTable& tasks = tables_->tasks;
  for (TaskIndex t = 0; t < tasks.alive.size(); ++t) {
    if (!tasks.alive[t]) continue;
    const bool waits = IsWaiting(tasks.status[t]);
    if (waits ? !ledger_->in_view(t) : !HoldsNode(tasks.status[t])) continue;
    const uint32_t number = NumberOf(waits ? ledger_->node_of(t) : tasks.node[t]);
    if (number == kNone || (!waits && !IsUnseen(books_[number], t))) continue;
    Count(tasks.task_class[t], +1, &taken[number]);
  }
  for (size_t i = 0; i < books_.size(); ++i) {
    if (books_[i].taken == taken[i]) continue;
    books_[i].taken = std::move(taken[i]);
    books_[i].is_stale = true;
  }
}

void ZoneBooks::Follow() {
  const auto journal = ledger_->view_journal();
  if (birth_ != ledger_->birth()) {
    birth_ = ledger_->birth();
    position_ = journal.size();
    CountAll();
  }
  for (; position_ < journal.size(); ++position_) {
    const Ledger::ViewChange& change = journal[position_];
    if (!IsWaiting(tables_->tasks.status[change.task])) continue;
    const uint32_t number = NumberOf(change.node);
    if (number == kNone) continue;
    Count(tables_->tasks.task_class[change.task], change.sign, &books_[number].taken);
    books_[number].is_stale = true;
  }
}

const ZoneBooks::Book& ZoneBooks::book(uint32_t number) {
  Book& book = books_[number];
  if (book.is_stale) {
    book.is_stale = false;
    book.stamp = ++clock_;
    book.now = book.reported;
    for (size_t r = 0; r < book.taken.size(); ++r) {
      if (book.taken[r] == 0) continue;
      book.now.TakeFromAll(r,
                           static_cast<int64_t>(std::min<absl::int128>(book.taken[r], kLargest)));
    }
  }
  return book;
}

}  // namespace muster
