// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes, queues, domains and everything that is kept by name. editor_jobs.cc has jobs, and
// editor_tasks.cc has tasks.
#include "lib/model/editor.h"

#include <algorithm>
#include <atomic>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

// The log keeps at least so many entries, so that small clusters do not make their readers start
// afresh.
constexpr size_t kLeastLog = 1024;
constexpr size_t kMostLog = 4'000'000;

template <class Id>
void InsertSorted(std::vector<Id>& list, Id index) {
  list.insert(std::ranges::lower_bound(list, index), index);
}
template <class Id>
void EraseSorted(std::vector<Id>& list, Id index) {
  list.erase(std::ranges::lower_bound(list, index));
}

void PutCells(RowTable& table, size_t index, const std::vector<int64_t>& row) {
  if (index == table.size()) {
    table.Append(row);
  } else {
    std::ranges::copy(row, table.row(index).begin());
  }
}

std::string BudgetKey(std::string_view name_space, std::string_view name) {
  return absl::StrCat(name_space.size(), ":", ToAbsl(name_space), ToAbsl(name));
}

// Erases the row of that key from a list that `index_of` numbers. Returns the number that it had.
template <class Spec>
uint32_t EraseFrom(std::vector<Spec>& list, HashMap<std::string, uint32_t>& index_of,
                   const std::string& key) {
  const uint32_t index = index_of.find(key)->second;
  index_of.erase(key);
  list.erase(list.begin() + index);
  for (auto& entry : index_of) entry.second -= entry.second > index;
  return index;
}

}  // namespace

bool SpeaksOfNodeGroups(const QueueSpec& queue) {
  return queue.node_groups.has_value() || !queue.node_group_limits.empty();
}

Editor::Editor(std::shared_ptr<Tables>& tables) : tables_(tables) {
  PutQueue(kNone, QueueSpec{.name = "default"}, {}, {});
}

void Editor::CopyFrom(const Editor& other) {
  auto tables = std::make_shared<Tables>(*other.tables_);
  tables->shelf = std::make_shared<Shelf>();
  interner_ = other.interner_;
  first_on_ = other.first_on_;
  next_ = other.next_;
  previous_ = other.previous_;
  nominations_ = other.nominations_;
  nominated_elsewhere_ = other.nominated_elsewhere_;
  budgets_ = other.budgets_;
  namespaces_ = other.namespaces_;
  living_ = other.living_;
  wishing_queues_ = other.wishing_queues_;
  job_numbers_ = other.job_numbers_;
  tables_ = std::move(tables);
}

Tables& Editor::Change() {
  if (tables_.use_count() > 1) {
    tables_ = std::make_shared<Tables>(*tables_);
  } else {
    // A snapshot may just have been dropped by another thread: its reads come before our writes.
#if defined(__SANITIZE_THREAD__)
    std::shared_ptr<Tables>(tables_).reset();  // the sanitizer sees no fences, but this
#else
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
  }
  return *tables_;
}

void Editor::SetRefused(std::shared_ptr<const RefusedList> refused) {
  Change().refused = std::move(refused);
}

void Editor::Log(Change::Table table, uint32_t index) {
  Tables& t = *tables_;
  t.log.push_back({table, index});
  ++t.version;
  if (t.log.size() > std::min(kMostLog, std::max(kLeastLog, 4 * living_))) {
    const size_t half = t.log.size() / 2;
    t.log.erase(t.log.begin(), t.log.begin() + static_cast<std::ptrdiff_t>(half));
    t.log_start += half;
  }
}

void Editor::KeepDimensions(std::span<const std::string> names) {
  Amounts amounts;
  for (const std::string& name : names) amounts.push_back({name, 0});
  AddDimensions(amounts, Change());
}

absl::Status Editor::CheckRoom(const NameTable& names, int64_t rows, int64_t name_bytes) const {
  if (rows > kMaxRows - static_cast<int64_t>(names.size()) ||
      name_bytes > kMaxNameTableBytes - static_cast<int64_t>(names.MemoryUsage())) {
    return absl::ResourceExhaustedError(absl::StrCat("a table holds at most ", kMaxRows,
                                                     " rows, removed ones included, and ",
                                                     kMaxNameTableBytes, " bytes of names"));
  }
  return absl::OkStatus();
}

// --- nodes

NodeIndex Editor::PutNode(NodeIndex existing, const NodeSpec& spec, const NodeAmounts& amounts,
                          const NodeRefs& refs) {
  Tables& t = Change();
  AddDimensions(amounts.capacity, t);
  AddDimensions(amounts.allocatable, t);
  NodeTable& nodes = t.nodes;
  NodeIndex n = existing;
  if (n == kNone) {
    n = nodes.names.Intern(spec.name);
    nodes.alive.push_back(1);
    nodes.spec.emplace_back();
    nodes.domain.push_back(kNone);
    first_on_.push_back(kNone);
    ++living_;
    if (const auto waiting = nominations_.find(spec.name); waiting != nominations_.end()) {
      for (TaskIndex task : waiting->second) {
        t.tasks.nominated[task] = n;
        nominated_elsewhere_.erase(task);
        Log(Change::Table::kTask, task);
      }
    }
  }
  if (existing == kNone) {
    Note(ClusterEventKind::kNodeAdded, spec.name);
  } else if (t.events.recording()) {
    Note(ClusterEventKind::kNodeChanged, spec.name, NodeAspects(n, spec, amounts, refs));
  }
  nodes.spec[n] = spec;
  if (existing != kNone) DropHolds(n);
  PutCells(nodes.capacity, n, RowOf(amounts.capacity, t));
  PutCells(nodes.allocatable, n, RowOf(amounts.allocatable, t));
  if (nodes.domain[n] != refs.domain) {
    if (nodes.domain[n] != kNone) {
      EraseSorted(t.domains.nodes[nodes.domain[n]], n);
      Log(Change::Table::kDomain, nodes.domain[n]);
    }
    if (refs.domain != kNone) {
      InsertSorted(t.domains.nodes[refs.domain], n);
      Log(Change::Table::kDomain, refs.domain);
    }
    nodes.domain[n] = refs.domain;
  }
  Log(Change::Table::kNode, n);
  return n;
}

void Editor::EraseNode(NodeIndex n) {
  Tables& t = Change();
  NodeTable& nodes = t.nodes;
  const std::string name = nodes.spec[n].name;
  if (const auto nominated = nominations_.find(name); nominated != nominations_.end()) {
    for (TaskIndex task : nominated->second) {
      t.tasks.nominated[task] = kNone;
      nominated_elsewhere_[task] = name;
      Log(Change::Table::kTask, task);
    }
  }
  if (nodes.domain[n] != kNone) {
    EraseSorted(t.domains.nodes[nodes.domain[n]], n);
    Log(Change::Table::kDomain, nodes.domain[n]);
    nodes.domain[n] = kNone;
  }
  Note(ClusterEventKind::kNodeRemoved, name);
  nodes.names.Erase(name);
  nodes.alive[n] = 0;
  nodes.spec[n] = {};
  --living_;
  Log(Change::Table::kNode, n);
}

// --- queues

QueueIndex Editor::PutQueue(QueueIndex existing, const QueueSpec& spec, const QueueAmounts& amounts,
                            const QueueRefs& refs) {
  Tables& t = Change();
  for (const Amounts* part : {&amounts.guaranteed, &amounts.deserved, &amounts.limit,
                              &amounts.borrow_limit, &amounts.lend_limit}) {
    AddDimensions(*part, t);
  }
  QueueTable& queues = t.queues;
  QueueIndex q = existing;
  if (q == kNone) {
    q = queues.names.Intern(spec.name);
    queues.alive.push_back(1);
    queues.spec.emplace_back();
    queues.parent.push_back(kNone);
    queues.children.emplace_back();
    queues.jobs.push_back(0);
    ++living_;
  }
  const bool wished = SpeaksOfNodeGroups(queues.spec[q]), wishes = SpeaksOfNodeGroups(spec);
  const bool moved = queues.parent[q] != refs.parent;
  wishing_queues_ += static_cast<size_t>(wishes) - static_cast<size_t>(wished);
  queues.spec[q] = spec;
  PutCells(queues.guaranteed, q, RowOf(amounts.guaranteed, t));
  PutCells(queues.deserved, q, RowOf(amounts.deserved, t));
  PutCells(queues.limit, q, RowOf(amounts.limit, t));
  PutCells(queues.borrow_limit, q, RowOf(amounts.borrow_limit, t));
  PutCells(queues.lend_limit, q, RowOf(amounts.lend_limit, t));
  if (queues.parent[q] != refs.parent) {
    if (queues.parent[q] != kNone) {
      EraseSorted(queues.children[queues.parent[q]], q);
      Log(Change::Table::kQueue, queues.parent[q]);
    }
    if (refs.parent != kNone) {
      InsertSorted(queues.children[refs.parent], q);
      Log(Change::Table::kQueue, refs.parent);
    }
    queues.parent[q] = refs.parent;
  }
  Log(Change::Table::kQueue, q);
  Note(existing == kNone ? ClusterEventKind::kQueueAdded : ClusterEventKind::kQueueChanged,
       spec.name);
  if (wished != wishes || (moved && wishing_queues_ > 0)) {
    for (JobIndex j = 0; j < t.jobs.alive.size(); ++j) {
      if (t.jobs.alive[j]) Reclass(j);
    }
  }
  return q;
}

void Editor::EraseQueue(QueueIndex q) {
  Tables& t = Change();
  QueueTable& queues = t.queues;
  if (queues.parent[q] != kNone) {
    EraseSorted(queues.children[queues.parent[q]], q);
    Log(Change::Table::kQueue, queues.parent[q]);
    queues.parent[q] = kNone;
  }
  wishing_queues_ -= SpeaksOfNodeGroups(queues.spec[q]);
  Note(ClusterEventKind::kQueueRemoved, queues.spec[q].name);
  queues.names.Erase(queues.spec[q].name);
  queues.alive[q] = 0;
  queues.spec[q] = {};
  --living_;
  Log(Change::Table::kQueue, q);
}

// --- domains, budgets, namespaces

DomainIndex Editor::PutDomain(DomainIndex existing, const DomainSpec& spec,
                              const DomainRefs& refs) {
  DomainTable& domains = Change().domains;
  DomainIndex d = existing;
  if (d == kNone) {
    d = domains.names.Intern(spec.name);
    domains.alive.push_back(1);
    domains.spec.emplace_back();
    domains.parent.push_back(kNone);
    domains.children.emplace_back();
    domains.nodes.emplace_back();
    ++living_;
  } else {
    Note(ClusterEventKind::kDomainRemoved, spec.name);
  }
  domains.spec[d] = spec;
  if (domains.parent[d] != refs.parent) {
    LeaveParent(d);
    if (refs.parent != kNone) {
      InsertSorted(domains.children[refs.parent], d);
      Log(Change::Table::kDomain, refs.parent);
    }
    domains.parent[d] = refs.parent;
  }
  Log(Change::Table::kDomain, d);
  Note(ClusterEventKind::kDomainAdded, spec.name);
  return d;
}

void Editor::LeaveParent(DomainIndex d) {
  DomainTable& domains = tables_->domains;
  const DomainIndex parent = domains.parent[d];
  if (parent == kNone) return;
  EraseSorted(domains.children[parent], d);
  Log(Change::Table::kDomain, parent);
  domains.parent[d] = kNone;
}

void Editor::EraseDomain(DomainIndex d) {
  DomainTable& domains = Change().domains;
  LeaveParent(d);
  Note(ClusterEventKind::kDomainRemoved, domains.spec[d].name);
  domains.names.Erase(domains.spec[d].name);
  domains.alive[d] = 0;
  domains.spec[d] = {};
  --living_;
  Log(Change::Table::kDomain, d);
}

void Editor::PutBudget(const DisruptionBudgetSpec& spec) {
  Tables& t = Change();
  const std::string key = BudgetKey(spec.name_space, spec.name);
  const auto [found, is_new] = budgets_.try_emplace(key, static_cast<uint32_t>(t.budgets.size()));
  if (is_new) t.budgets.emplace_back();
  t.budgets[found->second] = spec;
  NoteBudget(found->second, spec.name_space, spec.name);
}

bool Editor::Has(RowKind kind, std::string_view name) const {
  const Tables& t = *tables_;
  const size_t slash = std::min(name.find('/'), name.size());
  switch (kind) {
    case RowKind::kNode:
      return t.nodes.names.Find(name).has_value();
    case RowKind::kQueue:
      return t.queues.names.Find(name).has_value();
    case RowKind::kJob:
      return t.jobs.names.Find(name).has_value();
    case RowKind::kTask:
      return t.tasks.names.Find(name).has_value();
    case RowKind::kDomain:
      return t.domains.names.Find(name).has_value();
    case RowKind::kFlavor:
      return t.flavors.names.Find(name).has_value();
    case RowKind::kPartition:
      return t.partitions.names.Find(name).has_value();
    case RowKind::kReservation:
      return t.reservations.names.Find(name).has_value();
    case RowKind::kBudget:
      return budgets_.contains(
          BudgetKey(name.substr(0, slash), name.substr(std::min(slash + 1, name.size()))));
    case RowKind::kNamespace:
      return namespaces_.contains(name);
  }
  return false;
}

bool Editor::EraseBudget(std::string_view name_space, std::string_view name) {
  const std::string key = BudgetKey(name_space, name);
  if (!budgets_.contains(key)) return false;
  NoteBudget(EraseFrom(Change().budgets, budgets_, key), name_space, name);
  return true;
}

void Editor::NoteBudget(uint32_t index, std::string_view name_space, std::string_view name) {
  Log(Change::Table::kOther, index);
  if (!tables_->events.recording()) return;
  Note(ClusterEventKind::kBudgetSet, absl::StrCat(ToAbsl(name_space), "/", ToAbsl(name)));
}

void Editor::PutNamespace(const NamespaceSpec& spec) {
  Tables& t = Change();
  const auto [found, is_new] =
      namespaces_.try_emplace(spec.name, static_cast<uint32_t>(t.namespaces.size()));
  if (is_new) t.namespaces.emplace_back();
  t.namespaces[found->second] = spec;
  Log(Change::Table::kOther, found->second);
  Note(ClusterEventKind::kNamespaceSet, spec.name);
}

bool Editor::EraseNamespace(std::string_view name) {
  const std::string key(name);
  if (!namespaces_.contains(key)) return false;
  Log(Change::Table::kOther, EraseFrom(Change().namespaces, namespaces_, key));
  Note(ClusterEventKind::kNamespaceSet, name);
  return true;
}

}  // namespace muster
