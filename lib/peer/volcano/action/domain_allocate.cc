// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/volcano/action/domain_allocate.h"

#include <algorithm>
#include <limits>
#include <string>

namespace muster {

DomainAllocate::DomainAllocate(ActionContext& context, bool error_cache)
    : context_(context),
      tables_(context.tables),
      ledger_(context.ledger),
      dispatcher_(context.dispatcher),
      domains_(context.domains),
      error_cache_(error_cache),
      errors_(context.memory<FitErrors>()),
      memory_(context),
      placer_(context),
      twins_(context) {}

void DomainAllocate::Add(JobIndex job, const std::vector<TaskIndex>& tasks) {
  sheets_.insert_or_assign(job, MakeGroupSheet(context_, job, tasks));
}

void DomainAllocate::BeginTurn(JobIndex job) {
  failed_.assign(sheets_.at(job).tasks.size(), {});
  most_ = 0;
  failed_task_ = kNone;
}

bool DomainAllocate::Place(JobIndex job) {
  BeginTurn(job);
  if (!HasHardWish(context_, job) && !domains_.HasSubGroups(job)) return PlaceFlat(job);
  const size_t begin = ledger_.log().size();
  const DomainLists lists =
      dispatcher_.DomainsForJob(job, domains_.root(), domains_.allocated(job), /*evicting=*/false);
  for (const std::vector<DomainIndex>& list : lists) {
    if (!PlaceInList(job, list)) continue;
    SpendSince(begin);
    if (!dispatcher_.Ready(job)) Explain(job, /*waits=*/true);
    return true;
  }
  Explain(job, /*waits=*/false);
  return false;
}

bool DomainAllocate::PlaceInList(JobIndex job, const std::vector<DomainIndex>& list) {
  GroupSheet& sheet = sheets_.at(job);
  // For a job that is one gang, a try in a domain is one of that gang.
  const bool single_gang = sheet.groups.size() == 1;
  const SubGroup gang = single_gang ? sheet.groups.elements()[0] : SubGroup{job, kNone};
  DomainMemory memory;
  if (single_gang) {
    last_placed_ = 0;
    memory = DomainMemory(context_, &twins_, gang, sheet.of(gang));
  }
  if (memory.tells_of_twins() && !domains_.HasSubGroups(job) &&
      std::all_of(list.begin(), list.end(),
                  [&](DomainIndex d) { return IsLeafDomain(domains_, d); })) {
    const std::optional<bool> placed = PlaceInBestLeaf(gang, list, &memory);
    if (placed) return *placed;
  }
  DomainTries<GroupSheet> tries(domains_);
  for (DomainIndex domain : list) {
    TryDomain(job, domain, single_gang ? &gang : nullptr, &memory, &tries);
  }
  if (tries.empty()) return false;
  auto& best = tries.best();
  if (best.left) {
    best.moves.Replay(context_);
    sheet = std::move(*best.left);
  } else {
    StartAfresh(job);
    TryJob(job, best.domain, &sheet);
  }
  turns_[job].domain = best.domain;
  return true;
}

bool DomainAllocate::IsOffered(const SubGroup& gang, DomainIndex domain) {
  return !IsLeafDomain(domains_, domain) || domains_.allocated(gang) != kNone ||
         dispatcher_.OffersLeaf(gang, domain);
}

void DomainAllocate::TryDomain(JobIndex job, DomainIndex domain, const SubGroup* gang,
                               DomainMemory* memory, DomainTries<GroupSheet>* tries) {
  if (gang != nullptr) {
    if (!IsOffered(*gang, domain)) return;
    if (const std::optional<bool> known = memory->Tell(domain)) {
      if (!*known) return;
      double& score = tries->AddTwin(domain).score;
      dispatcher_.ScoreDomains(*gang, {&domain, 1}, {&score, 1});
      return;
    }
  }
  StartAfresh(job);
  Attempt attempt(context_);
  GroupSheet copy = sheets_.at(job);
  const JobTry tried = TryJob(job, domain, &copy);
  if (tried.placed) {
    tries->Add(domain, attempt.moves(), std::move(copy)).score = tried.score;
  }
  attempt.Undo();
  if (gang != nullptr && (!tried.placed || tried.groups == 1)) {
    memory->Learn(domain, tried.placed, last_placed_);
  }
}

std::optional<bool> DomainAllocate::PlaceInBestLeaf(const SubGroup& gang,
                                                    const std::vector<DomainIndex>& list,
                                                    DomainMemory* memory) {
  struct Scored {
    double score;
    DomainIndex domain;
  };
  const auto worse = [&](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score < b.score : domains_.NameBefore(b.domain, a.domain);
  };
  std::vector<Scored> scored;
  scored.reserve(list.size());
  for (DomainIndex domain : list) {
    if (!dispatcher_.OffersLeaf(gang, domain)) continue;
    scored.push_back({0, domain});
    dispatcher_.ScoreDomains(gang, {&domain, 1}, {&scored.back().score, 1});
  }
  std::make_heap(scored.begin(), scored.end(), worse);
  GroupSheet& sheet = sheets_.at(gang.job);
  while (!scored.empty()) {
    std::pop_heap(scored.begin(), scored.end(), worse);
    const DomainIndex domain = scored.back().domain;
    scored.pop_back();
    if (memory->Tell(domain) == false) continue;
    StartAfresh(gang);
    Attempt attempt(context_);
    GroupSheet copy = sheet;
    const JobTry tried = TryJob(gang.job, domain, &copy);
    if (tried.placed && tried.groups == 1) {
      attempt.Keep();
      sheet = std::move(copy);
      turns_[gang.job].domain = domain;
      return true;
    }
    attempt.Undo();
    if (tried.placed) return std::nullopt;
    memory->Learn(domain, false, last_placed_);
  }
  return false;
}

// Work is what stays placed; the number of tries it took does not count.
void DomainAllocate::SpendSince(size_t begin) {
  for (size_t i = begin; i < ledger_.log().size(); ++i) context_.meter.Spend();
}

// A wish without a highest tier counts for scores alone.
bool DomainAllocate::PlaceFlat(JobIndex job) {
  GroupSheet& sheet = sheets_.at(job);
  const SubGroup group = sheet.groups.Pop();
  TaskQueue& tasks = sheet.of(group);
  // Domains are tried afresh; here roles that found no node in an earlier turn of the job are still
  // excluded.
  const std::span<const GroupIndex> failed = errors_.groups(job);
  failed_[group.slot()].assign(failed.begin(), failed.end());
  const size_t begin = ledger_.log().size();
  const bool placed = PlaceTasks(group, domains_.root(), &tasks);
  SpendSince(begin);
  if (!tasks.empty()) sheet.groups.Push(group);
  if (!placed || !dispatcher_.Ready(job)) Explain(job, placed);
  return placed;
}

DomainAllocate::JobTry DomainAllocate::TryJob(JobIndex job, DomainIndex domain, GroupSheet* sheet) {
  Attempt attempt(context_);
  std::vector<std::pair<SubGroup, DomainIndex>> were;
  for (size_t slot = 0; slot < sheet->tasks.size(); ++slot) {
    if (sheet->tasks[slot].empty()) continue;
    const SubGroup group = SubGroup::AtSlot(job, slot);
    were.emplace_back(group, domains_.allocated(group));
  }
  JobTry tried;
  while (!sheet->groups.empty()) {
    const SubGroup group = sheet->groups.Pop();
    TaskQueue& tasks = sheet->of(group);
    const std::optional<double> score = PlaceGroup(group, domain, &tasks);
    if (!score) continue;
    ++tried.groups;
    tried.score += *score;
    if (!tasks.empty()) sheet->groups.Push(group);
    if (dispatcher_.Ready(job)) break;
  }
  for (const auto& [group, allocated] : were) domains_.set_allocated(group, allocated);
  const JobCounts& counts = ledger_.job(job);
  most_ = std::max<int64_t>(most_, counts.ready() + counts.nominated());
  tried.placed = tried.groups > 0 && (dispatcher_.Ready(job) || dispatcher_.Pipelined(job));
  if (tried.placed) attempt.Keep();
  return tried;
}

std::optional<double> DomainAllocate::PlaceGroup(const SubGroup& group, DomainIndex within,
                                                 TaskQueue* tasks) {
  const DomainLists lists = dispatcher_.DomainsForGroup(group, within, domains_.allocated(group),
                                                        /*evicting=*/false);
  for (const std::vector<DomainIndex>& list : lists) {
    if (list.size() != 1) {
      if (const auto score = PlaceInBest(group, within, list, tasks)) return score;
      continue;
    }
    StartAfresh(group);
    double score = 0;
    dispatcher_.ScoreDomains(group, list, {&score, 1});
    const size_t before = ledger_.log().size();
    TaskQueue copy = *tasks;
    if (!PlaceTasks(group, list[0], &copy) || ledger_.log().size() == before) continue;
    *tasks = std::move(copy);
    Settle(group, within, list[0]);
    return score;
  }
  return std::nullopt;
}

std::optional<double> DomainAllocate::PlaceInBest(const SubGroup& group, DomainIndex within,
                                                  const std::vector<DomainIndex>& list,
                                                  TaskQueue* tasks) {
  last_placed_ = 0;
  DomainMemory memory(context_, &twins_, group, *tasks);
  DomainTries<TaskQueue> tries(domains_);
  std::vector<DomainIndex> domains;
  for (DomainIndex domain : list) {
    const std::optional<bool> known = memory.Tell(domain);
    bool placed = known.value_or(true);
    if (known == true) tries.AddTwin(domain);
    if (!known) {
      StartAfresh(group);
      Attempt attempt(context_);
      TaskQueue copy = *tasks;
      placed = PlaceTasks(group, domain, &copy) && !attempt.moves().empty();
      if (placed) tries.Add(domain, attempt.moves(), std::move(copy));
      attempt.Undo();
      memory.Learn(domain, placed, last_placed_);
    }
    if (placed) domains.push_back(domain);
  }
  if (tries.empty()) return std::nullopt;
  std::vector<double> scores(domains.size(), 0);
  dispatcher_.ScoreDomains(group, domains, scores);
  for (size_t i = 0; i < scores.size(); ++i) tries.all()[i].score = scores[i];
  auto& best = tries.best();
  if (best.left) {
    best.moves.Replay(context_);
    *tasks = std::move(*best.left);
  } else {
    StartAfresh(group);
    PlaceTasks(group, best.domain, tasks);
  }
  Settle(group, within, best.domain);
  return best.score;
}

void DomainAllocate::Settle(const SubGroup& group, DomainIndex within, DomainIndex domain) {
  const DomainIndex allocated = domains_.Lca(domains_.allocated(group), domain);
  domains_.set_allocated(group, allocated);
  turns_[group.job].groups[{within, group.index}] = allocated;
}

bool DomainAllocate::PlaceTasks(const SubGroup& group, DomainIndex domain, TaskQueue* tasks) {
  const JobIndex job = group.job;
  const QueueIndex queue = tables_.jobs.queue[job];
  const bool anchored = domains_.WishOf(group).there;
  const DomainIndex within = domain == domains_.root() ? kNone : domain;
  std::vector<GroupIndex>& failed = failed_[group.slot()];
  Attempt attempt(context_);
  DomainIndex anchor = domains_.allocated(group);
  last_placed_ = 0;
  if (within != kNone && domains_.nodes(domain).empty()) return false;
  memory_.Forget();
  placer_.StartAfresh();
  bool promised = false;
  while (!tasks->empty()) {
    const TaskIndex task = tasks->Pop();
    if (const Verdict verdict = dispatcher_.Allocatable(queue, task); !verdict.ok()) {
      context_.reasons.Explain(task, context_.reasons.QueueReason(queue, verdict));
      continue;
    }
    const GroupIndex role = tables_.tasks.group[task];
    const bool named = !tables_.jobs.groups[job][role].name.empty();
    if (named && std::find(failed.begin(), failed.end(), role) != failed.end()) {
      errors_.NoteUntried(task);
      continue;
    }
    std::vector<uint8_t>* refused = error_cache_ ? memory_.Of(task) : nullptr;
    domains_.set_anchor(anchored ? anchor : kNone);
    if (placer_.Place(task, within, refused)) {
      ++last_placed_;
      promised |= ledger_.status(task) == TaskStatus::kNominated;
      if (anchored) {
        const DomainIndex lowest = domains_.Lowest(ledger_.node_of(task));
        if (lowest != kNone) anchor = domains_.Lca(lowest, anchor);
      }
      if (dispatcher_.SubGroupReady(group)) break;
      continue;
    }
    errors_.NoteNoNode(task, Want::kNow, refused);
    if (std::find(failed.begin(), failed.end(), role) == failed.end()) failed.push_back(role);
    failed_task_ = task;
    if (!MayContinue(group)) break;
  }
  domains_.set_anchor(kNone);
  if (dispatcher_.SubGroupReady(group) || dispatcher_.SubGroupPipelined(group)) {
    last_placed_ = 0;
    attempt.Keep();
    return true;
  }
  const JobCounts& counts = ledger_.job(job);
  most_ = std::max<int64_t>(most_, counts.ready() + counts.nominated());
  if (promised) last_placed_ = 0;
  return false;
}

bool DomainAllocate::MayContinue(const SubGroup& group) const {
  const JobIndex job = group.job;
  const int64_t need = tables_.jobs.spec[job].min_available;
  const auto& tasks = tables_.jobs.tasks[job];
  if (need == static_cast<int64_t>(tasks.size())) return false;
  int64_t of_group = 0;
  for (TaskIndex t : tasks) of_group += tables_.tasks.sub_group[t] == group.index;
  if (domains_.Need(group) >= of_group) return false;
  if (domains_.HasSubGroups(job)) return true;
  const std::vector<GroupIndex>& failed = failed_[group.slot()];
  const auto& roles = tables_.jobs.groups[job];
  int64_t role_needs = 0;
  for (const GroupRow& role : roles) role_needs += OrZero(role.min_available);
  if (need < role_needs) {
    int64_t hopeful = ledger_.job(job).ready();
    for (TaskIndex t : tasks) {
      hopeful += ledger_.status(t) == TaskStatus::kPending &&
                 std::find(failed.begin(), failed.end(), tables_.tasks.group[t]) == failed.end();
    }
    return hopeful >= need;
  }
  for (GroupIndex role : failed) {
    const int64_t role_need = OrZero(roles[role].min_available);
    const JobCounts& counts = ledger_.group(job, role);
    if (role_need > 0 && counts.ready() + counts.pending_best_effort < role_need) return false;
  }
  return true;
}

void DomainAllocate::StartAfresh(const SubGroup& group) {
  failed_[group.slot()].clear();
  if (!context_.facts.evicts) return;
  for (TaskIndex t : tables_.jobs.tasks[group.job]) {
    if (tables_.tasks.sub_group[t] == group.index) errors_.Forget(t);
  }
}

void DomainAllocate::StartAfresh(JobIndex job) {
  for (size_t slot = 0; slot < failed_.size(); ++slot) StartAfresh(SubGroup::AtSlot(job, slot));
}

void DomainAllocate::Committed(JobIndex job) {
  const Turns& turns = turns_[job];
  if (turns.domain == kNone) return;
  domains_.set_allocated(job, domains_.Lca(domains_.allocated(job), turns.domain));
  const size_t slots = sheets_.at(job).tasks.size();
  const auto tell = [&](const std::string& sub_group, DomainIndex domain) {
    ChosenDomain chosen{job, sub_group};
    chosen.tier = domains_.tier(domain);
    if (domain != domains_.root()) chosen.domain = tables_.domains.names.name(domain);
    context_.decisions.ChooseDomain(std::move(chosen));
  };
  tell("", domains_.allocated(job));
  for (size_t slot = 0; slot < slots; ++slot) {
    const SubGroup group = SubGroup::AtSlot(job, slot);
    const auto it = turns.groups.find({turns.domain, group.index});
    if (it == turns.groups.end()) continue;
    domains_.set_allocated(group, domains_.Lca(domains_.allocated(group), it->second));
    if (group.index != kNone) {
      tell(tables_.jobs.spec[job].sub_groups[group.index].name, domains_.allocated(group));
    }
  }
}

void DomainAllocate::Explain(JobIndex job, bool waits) {
  const Domains::Wish wish = domains_.WishOf(job);
  Reason reason{waits       ? ReasonKind::kGangWaits
                : wish.hard ? ReasonKind::kNoDomain
                            : ReasonKind::kGangUndone};
  reason.placed = waits ? ledger_.job(job).ready() + ledger_.job(job).nominated() : most_;
  reason.needed = tables_.jobs.spec[job].min_available;
  if (reason.kind == ReasonKind::kNoDomain) reason.where = domains_.TierText(wish.tier);
  if (failed_task_ != kNone) {
    reason.refusals = context_.reasons.NoNode(context_.ClassOf(failed_task_))->refusals;
  }
  context_.reasons.ExplainJob(job, std::move(reason));
}

}  // namespace muster
