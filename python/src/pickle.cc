// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The fields of a plan one after another: a number is eight bytes, low byte first; a text or a list
// is its length and its elements. A digest of all bytes before it comes last.
#include "python/src/pickle.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/digest.h"
#include "lib/model/access.h"
#include "lib/model/memory_data.h"
#include "lib/plan/plan_data.h"
#include "lib/scenario/state.h"
#include "muster/limits.h"
#include "muster/version.h"
#include "python/src/status.h"

namespace muster::python {
namespace {

constexpr std::string_view kForm = "muster " MUSTER_VERSION_STRING " plan 1\n";
constexpr size_t kWord = 8;

template <class T>
struct IsIndex : std::false_type {};
template <class Tag>
struct IsIndex<Index<Tag>> : std::true_type {};

class PlanWriter {
 public:
  void Word(uint64_t word) {
    for (size_t i = 0; i < kWord; ++i) bytes_.push_back(static_cast<char>(word >> (8 * i)));
  }
  void Put(std::string& text) {
    Word(text.size());
    bytes_.append(text);
  }
  template <class T>
  void Put(std::vector<T>& list) {
    Word(list.size());
    for (T& element : list) Put(element);
  }
  template <class T>
  void Put(T& value);
  template <class... T>
  void operator()(T&... values) {
    (Put(values), ...);
  }
  std::string Finish() {
    Digest digest;
    digest.Add(bytes_);
    return bytes_ + digest.Hex();
  }

 private:
  std::string bytes_{kForm};
};

// Past the first mistake every number is 0 and every list empty.
class PlanReader {
 public:
  explicit PlanReader(std::string_view bytes) : rest_(bytes) {
    Digest digest;
    constexpr size_t kHex = 32;
    ok_ = bytes.size() >= kForm.size() + kHex && bytes.starts_with(kForm);
    if (!ok_) return;
    digest.Add(bytes.substr(0, bytes.size() - kHex));
    ok_ = bytes.substr(bytes.size() - kHex) == digest.Hex();
    rest_ = bytes.substr(kForm.size(), bytes.size() - kForm.size() - kHex);
  }
  bool finished() const { return ok_ && rest_.empty(); }
  uint64_t Word() {
    ok_ = ok_ && rest_.size() >= kWord;
    if (!ok_) return 0;
    uint64_t word = 0;
    for (size_t i = 0; i < kWord; ++i) {
      word |= uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    }
    rest_.remove_prefix(kWord);
    return word;
  }
  // A number of elements that take `least` bytes or more each.
  size_t Length(size_t least) {
    const uint64_t size = Word();
    ok_ = ok_ && size <= rest_.size() / least;
    return ok_ ? static_cast<size_t>(size) : 0;
  }
  void Put(std::string& text) {
    const size_t size = Length(1);
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  template <class T>
  void Put(std::vector<T>& list) {
    const size_t size = Length(kWord);
    list.clear();
    list.reserve(size);
    for (size_t i = 0; i < size; ++i) Put(list.emplace_back());
  }
  template <class T>
  void Put(T& value);
  template <class... T>
  void operator()(T&... values) {
    (Put(values), ...);
  }

 private:
  std::string_view rest_;
  bool ok_;
};

// --- the fields, in the order in which they are written

template <class A>
void Fields(A& a, Decision& d) {
  a(d.kind, d.task, d.node, d.job, d.beneficiary, d.phase, d.after_eviction, d.index);
}
template <class A>
void Fields(A& a, Bind& b) {
  a(b.task, b.node);
}
template <class A>
void Fields(A& a, Nomination& n) {
  a(n.task, n.node, n.after_eviction);
}
template <class A>
void Fields(A& a, Eviction& e) {
  a(e.task, e.node, e.beneficiary);
}
template <class A>
void Fields(A& a, PhaseChange& p) {
  a(p.job, p.phase);
}
template <class A>
void Fields(A& a, Move& m) {
  a(m.task, m.from, m.to, m.nominated, m.beneficiary);
}
template <class A>
void Fields(A& a, Reservation& r) {
  a(r.task, r.node, r.until, r.waiting_group);
}
template <class A>
void Fields(A& a, Offer& o) {
  a(o.job, o.queue, o.node, o.amounts);
}
template <class A>
void Fields(A& a, Resize& r) {
  a(r.job, r.group, r.count);
}
template <class A>
void Fields(A& a, Split& s) {
  a(s.task, s.parts);
}
template <class A>
void Fields(A& a, AssignedFlavor& f) {
  a(f.dimension, f.flavor);
}
template <class A>
void Fields(A& a, AssignedPlace& p) {
  a(p.values, p.count);
}
template <class A>
void Fields(A& a, GroupAssignment& g) {
  a(g.group, g.count, g.flavors, g.places);
}
template <class A>
void Fields(A& a, Admission& admission) {
  a(admission.job, admission.assignment);
}
template <class A>
void Fields(A& a, Tentative& t) {
  a(t.task, t.node, t.nominated);
}
template <class A>
void Fields(A& a, Refusal& r) {
  a(r.code, r.dimension, r.detail, r.nodes);
}
template <class A>
void Fields(A& a, Reason& r) {
  a(r.kind, r.policy, r.queue, r.dimension, r.placed, r.needed, r.where, r.refusals);
}
template <class A>
void Fields(A& a, PendingTask& p) {
  a(p.task, p.reason);
}
template <class A>
void Fields(A& a, QueueShare& s) {
  a(s.queue, s.allocated_before, s.allocated_after, s.deserved, s.share_before, s.share_after);
}
template <class A>
void Fields(A& a, ChosenDomain& c) {
  a(c.job, c.sub_group, c.domain, c.tier);
}
template <class A>
void Fields(A& a, ChosenDevice& c) {
  a(c.task, c.device, c.milli, c.memory);
}
template <class A>
void Fields(A& a, DecisionsByKind& k) {
  a(k.admissions, k.binds, k.nominations, k.evictions, k.phases, k.moves, k.reservations, k.offers,
    k.resizes, k.splits);
}
template <class A>
void Fields(A& a, PlanData& p) {
  a(p.decisions, p.by_kind, p.tentative, p.pending, p.reasons, p.shares, p.domains, p.devices,
    p.profile, p.version, p.now, p.work, p.complete, p.cursor);
}

template <class T>
void PlanWriter::Put(T& value) {
  if constexpr (IsIndex<T>::value) {
    Word(value.value());
  } else if constexpr (std::same_as<T, double>) {
    Word(std::bit_cast<uint64_t>(value));
  } else if constexpr (std::is_enum_v<T> || std::integral<T>) {
    Word(static_cast<uint64_t>(value));
  } else {
    Fields(*this, value);
  }
}
template <class T>
void PlanReader::Put(T& value) {
  if constexpr (IsIndex<T>::value) {
    value = T(Word());
  } else if constexpr (std::same_as<T, double>) {
    value = std::bit_cast<double>(Word());
  } else if constexpr (std::is_enum_v<T> || std::integral<T>) {
    value = static_cast<T>(Word());
  } else {
    Fields(*this, value);
  }
}

// --- names of the rows that a plan mentions

template <class Id>
using Names = std::map<Id, std::string>;

class SavedNames : public PlanNames {
 public:
  Names<TaskIndex> tasks;
  Names<NodeIndex> nodes;
  Names<JobIndex> jobs;
  Names<QueueIndex> queues;
  Names<DimensionIndex> dimensions;
  std::map<TaskIndex, JobIndex> job_of_task;
  Names<TaskIndex> uids;  // of tasks that have one

  std::string_view task(TaskIndex i) const override { return NameIn(tasks, i); }
  std::string_view node(NodeIndex i) const override { return NameIn(nodes, i); }
  std::string_view job(JobIndex i) const override { return NameIn(jobs, i); }
  std::string_view queue(QueueIndex i) const override { return NameIn(queues, i); }
  std::string_view dimension(DimensionIndex i) const override { return NameIn(dimensions, i); }
  TaskIndex FindTask(std::string_view name) const override { return FindIn(tasks, name); }
  JobIndex FindJob(std::string_view name) const override { return FindIn(jobs, name); }
  JobIndex job_of(TaskIndex task) const override {
    const auto found = job_of_task.find(task);
    return found == job_of_task.end() ? JobIndex(kNone) : found->second;
  }
  std::string_view uid(TaskIndex task) const override { return NameIn(uids, task); }

 private:
  template <class Id>
  static std::string_view NameIn(const Names<Id>& names, Id index) {
    const auto found = names.find(index);
    return found == names.end() ? std::string_view() : std::string_view(found->second);
  }
  template <class Id>
  static Id FindIn(const Names<Id>& names, std::string_view name) {
    for (const auto& [index, known] : names) {
      if (known == name) return index;
    }
    return kNone;
  }
};

template <class Id>
void Mention(Names<Id>& rows, Id index) {
  if (index != kNone) rows[index];
}

// The rows that the plan mentions, without names yet. `known` has the names.
SavedNames Mentioned(const PlanData& p, const PlanNames& known) {
  SavedNames rows;
  for (const Decision& d : p.decisions) {
    Mention(rows.tasks, d.task);
    Mention(rows.tasks, d.beneficiary);
    Mention(rows.nodes, d.node);
    Mention(rows.jobs, d.job);
  }
  for (const Move& move : p.by_kind.moves) Mention(rows.nodes, move.from);
  for (const Offer& offer : p.by_kind.offers) Mention(rows.queues, offer.queue);
  for (const Tentative& t : p.tentative) {
    Mention(rows.tasks, t.task);
    Mention(rows.nodes, t.node);
  }
  for (const PendingTask& pending : p.pending) Mention(rows.tasks, pending.task);
  for (const Reason& reason : p.reasons) Mention(rows.queues, reason.queue);
  for (const QueueShare& share : p.shares) Mention(rows.queues, share.queue);
  for (const ChosenDomain& domain : p.domains) Mention(rows.jobs, domain.job);
  for (const ChosenDevice& device : p.devices) Mention(rows.tasks, device.task);
  for (const auto& [task, name] : rows.tasks) {
    if (!known.uid(task).empty()) rows.uids[task];
    rows.job_of_task[task] = known.job_of(task);
    Mention(rows.jobs, known.job_of(task));
  }
  // Every dimension has a name.
  for (DimensionIndex d = 0; !known.dimension(d).empty(); ++d) rows.dimensions[d];
  return rows;
}

template <class Id, class Name>
void PutNames(PlanWriter& out, Names<Id>& names, const Name& name) {
  out.Word(names.size());
  for (auto& [index, text] : names) {
    out.Word(index.value());
    text = name(index);
    out.Put(text);
  }
}

template <class Id>
void TakeNames(PlanReader& in, Names<Id>& names) {
  for (size_t left = in.Length(2 * kWord); left > 0; --left) {
    const Id index(in.Word());
    in.Put(names[index]);
  }
}

// Rows of slots as text, and the number of the first event that each has not seen.
void PutMemory(PlanWriter& out, const Memory& memory) {
  std::string text = memory.ToText();
  out.Put(text);
  const internal::MemoryData* data = internal::DataOf(memory);
  if (data == nullptr) return;
  for (const auto& [name, slot] : data->slots) out.Word(slot.generation);
}

Memory TakeMemory(PlanReader& in) {
  std::string text;
  in.Put(text);
  absl::StatusOr<Memory> memory = Memory::Parse(text);
  if (!memory.ok()) return {};  // the bytes were cut
  const internal::MemoryData* data = internal::DataOf(*memory);
  if (data == nullptr) return {};
  internal::MemoryData with_events = *data;
  for (auto& [name, slot] : with_events.slots) slot.generation = in.Word();
  return internal::MakeMemory(std::move(with_events));
}

[[noreturn]] void RefuseState(const char* of) {
  throw StatusError(absl::InvalidArgumentError(
      std::string(of) + ": its bytes are cut, or another version of muster wrote them"));
}

bool HasRemovedRows(const Tables& t) {
  const auto removed = [](const std::vector<uint8_t>& alive) {
    return std::find(alive.begin(), alive.end(), 0) != alive.end();
  };
  return removed(t.nodes.alive) || removed(t.queues.alive) || removed(t.jobs.alive) ||
         removed(t.tasks.alive);
}

// The version, a blank, and the state.
std::string WithVersion(uint64_t version, const std::string& state) {
  return std::to_string(version) + " " + state;
}

Cluster Loaded(std::string_view bytes, const char* of) {
  uint64_t version = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), version);
  const auto digits = static_cast<size_t>(end - bytes.data());
  if (error != std::errc() || digits >= bytes.size() || *end != ' ') RefuseState(of);
  Cluster cluster;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const Limits limits{.rows = kMost, .bytes = kMost};
  if (!LoadState(bytes.substr(digits + 1), &cluster, limits).ok()) RefuseState(of);
  ImplOf(cluster).tables->version = version;
  return cluster;
}

}  // namespace

std::string PlanState(const Plan& plan) {
  PlanWriter out;
  if (DataOf(plan) == nullptr) return out.Finish();
  PlanData data = *DataOf(plan);
  const SavedNames nothing;
  const PlanNames& known = data.names == nullptr ? nothing : *data.names;
  SavedNames names = Mentioned(data, known);
  out.Put(data);
  PutNames(out, names.tasks, [&](TaskIndex i) { return std::string(known.task(i)); });
  PutNames(out, names.nodes, [&](NodeIndex i) { return std::string(known.node(i)); });
  PutNames(out, names.jobs, [&](JobIndex i) { return std::string(known.job(i)); });
  PutNames(out, names.queues, [&](QueueIndex i) { return std::string(known.queue(i)); });
  PutNames(out, names.dimensions,
           [&](DimensionIndex i) { return std::string(known.dimension(i)); });
  for (const auto& [task, job] : names.job_of_task) out.Word(job.value());
  PutNames(out, names.uids, [&](TaskIndex i) { return std::string(known.uid(i)); });
  PutMemory(out, data.memory);
  const RefusedList none;
  const RefusedList& refused = known.refused == nullptr ? none : *known.refused;
  out.Word(refused.size());
  for (auto [key, event] : refused) {
    std::string text = key;
    out(text, event.of, event.why, event.turn);
  }
  return out.Finish();
}

Plan PlanOfState(std::string_view state) {
  PlanReader in(state);
  if (in.finished()) return {};
  auto data = std::make_shared<PlanData>();
  auto names = std::make_shared<SavedNames>();
  in.Put(*data);
  TakeNames(in, names->tasks);
  TakeNames(in, names->nodes);
  TakeNames(in, names->jobs);
  TakeNames(in, names->queues);
  TakeNames(in, names->dimensions);
  for (const auto& [task, name] : names->tasks) names->job_of_task[task] = JobIndex(in.Word());
  TakeNames(in, names->uids);
  data->memory = TakeMemory(in);
  auto refused = std::make_shared<RefusedList>();
  for (size_t left = in.Length(4 * kWord); left > 0; --left) {
    std::string key;
    RefusedRow event;
    in(key, event.of, event.why, event.turn);
    (*refused)[key] = std::move(event);
  }
  if (!refused->empty()) names->refused = std::move(refused);
  if (!in.finished()) RefuseState("plan");
  data->names = std::move(names);
  return PlanOf(std::move(data));
}

std::string SnapshotState(const Snapshot& snapshot) {
  const bool indices_move = HasRemovedRows(TablesOf(snapshot));
  return WithVersion(indices_move ? 0 : snapshot.version(), StateText(snapshot));
}

Snapshot SnapshotOfState(std::string_view state) { return Loaded(state, "snapshot").Freeze(); }

std::string ClusterState(Cluster* cluster) {
  const std::string state = SaveState(cluster);
  return WithVersion(cluster->version(), state);
}

Cluster ClusterOfState(std::string_view state) { return Loaded(state, "cluster"); }

}  // namespace muster::python
