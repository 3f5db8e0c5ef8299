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
      memory_(context),
      placer_(context),
      twins_(context) {}

void DomainAllocate::Add(JobIndex job, const std::vector<TaskIndex>& tasks) {
  sheets_.insert_or_assign(job, MakeGroupSheet(context_, job, tasks));
}

bool DomainAllocate::IsLeaf(uint32_t domain) const {
  return domain != domains_.root() && domains_.children(domain).empty();
}

bool DomainAllocate::Place(JobIndex job) {
  Sheet& sheet = sheets_.at(job);
  failed_.assign(sheet.tasks.size(), {});
  most_ = 0;
  failed_task_ = kNone;
  if (!HasHardWish(context_, job) && !domains_.HasSubGroups(job)) return PlaceFlat(job);

  const size_t begin = ledger_.log().size();
  const DomainLists lists =
      dispatcher_.DomainsForJob(job, domains_.root(), domains_.allocated(job), /*evicting=*/false);
  for (const std::vector<uint32_t>& list : lists) {
    std::vector<Try> tries;
    // Of a job that is one gang a try in a domain is one of that gang.
    Outcomes outcomes;
    const bool single_gang = sheet.groups.size() == 1;
    SubGroup gang{job, kNone};
    if (single_gang) {
      gang = sheet.groups.elements()[0];
      outcomes = BeginTries(gang, sheet.tasks[gang.index + 1]);
    }
    if (single_gang && outcomes.of_twins && !domains_.HasSubGroups(job) &&
        std::all_of(list.begin(), list.end(), [&](uint32_t d) { return IsLeaf(d); })) {
      const std::optional<bool> placed = PlaceInBestLeaf(gang, list, &outcomes);
      if (placed && !*placed) continue;
      if (placed) {
        SpendSince(begin);
        if (!dispatcher_.Ready(job)) Explain(job, /*waits=*/true);
        return true;
      }
    }
    for (uint32_t domain : list) {
      if (single_gang) {
        if (IsLeaf(domain) && domains_.allocated(gang) == kNone &&
            !dispatcher_.OffersLeaf(gang, domain)) {
          continue;
        }
        const std::optional<bool> known = Told(outcomes, domain);
        if (known && !*known) continue;
        if (known) {
          tries.push_back({domain});
          dispatcher_.ScoreDomains(gang, {&domain, 1}, {&tries.back().score, 1});
          continue;
        }
      }
      for (uint32_t slot = 0; slot < failed_.size(); ++slot) StartAfresh({job, slot - 1});
      const Ledger::Savepoint before = ledger_.Save();
      Sheet copy = sheet;
      Try tried{domain};
      int groups = 0;
      const bool placed = TryJob(job, domain, &copy, &tried.score, &groups);
      if (placed) {
        tried.moves = MovesSince(before);
        tried.left = std::move(copy);
        ledger_.Rollback(before);
        tries.push_back(std::move(tried));
      }
      if (single_gang && (!placed || groups == 1)) Learn(domain, placed, &outcomes);
    }
    if (tries.empty()) continue;
    Try* best = &tries[0];
    for (Try& tried : tries) {
      if (tried.score > best->score ||
          (tried.score == best->score && domains_.NameBefore(tried.domain, best->domain))) {
        best = &tried;
      }
    }
    if (best->left) {
      Replay(best->moves);
      sheet = std::move(*best->left);
    } else {
      for (uint32_t slot = 0; slot < failed_.size(); ++slot) StartAfresh({job, slot - 1});
      int groups = 0;
      TryJob(job, best->domain, &sheet, &best->score, &groups);
    }
    turns_[job].domain = best->domain;
    SpendSince(begin);
    if (!dispatcher_.Ready(job)) Explain(job, /*waits=*/true);
    return true;
  }
  Explain(job, /*waits=*/false);
  return false;
}

std::optional<bool> DomainAllocate::PlaceInBestLeaf(const SubGroup& gang,
                                                    const std::vector<uint32_t>& list,
                                                    Outcomes* outcomes) {
  struct Scored {
    double score;
    uint32_t domain;
  };
  const auto worse = [&](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score < b.score : domains_.NameBefore(b.domain, a.domain);
  };
  std::vector<Scored> scored;
  scored.reserve(list.size());
  for (uint32_t domain : list) {
    if (!dispatcher_.OffersLeaf(gang, domain)) continue;
    scored.push_back({0, domain});
    dispatcher_.ScoreDomains(gang, {&domain, 1}, {&scored.back().score, 1});
  }
  std::make_heap(scored.begin(), scored.end(), worse);
  Sheet& sheet = sheets_.at(gang.job);
  while (!scored.empty()) {
    std::pop_heap(scored.begin(), scored.end(), worse);
    const uint32_t domain = scored.back().domain;
    scored.pop_back();
    const std::optional<bool> known = Told(*outcomes, domain);
    if (known && !*known) continue;
    StartAfresh(gang);
    const Ledger::Savepoint before = ledger_.Save();
    Sheet copy = sheet;
    double score = 0;
    int groups = 0;
    const bool placed = TryJob(gang.job, domain, &copy, &score, &groups);
    if (placed && groups == 1) {
      sheet = std::move(copy);
      turns_[gang.job].domain = domain;
      return true;
    }
    if (placed) {
      ledger_.Rollback(before);
      return std::nullopt;
    }
    Learn(domain, placed, outcomes);
  }
  return false;
}

// Work is what stays placed: how many tries it took is nobody's business.
void DomainAllocate::SpendSince(size_t begin) {
  for (size_t i = begin; i < ledger_.log().size(); ++i) context_.meter.Spend();
}

// A wish that does not say how high it goes has a say in scores alone.
bool DomainAllocate::PlaceFlat(JobIndex job) {
  Sheet& sheet = sheets_.at(job);
  const SubGroup group = sheet.groups.Pop();
  TaskQueue& tasks = sheet.tasks[group.index + 1];
  // Domains are tried afresh; here roles that found no node in an earlier turn of the job are still known to.
  const std::span<const GroupIndex> failed = context_.fit_errors.groups(job);
  failed_[group.index + 1].assign(failed.begin(), failed.end());
  const size_t begin = ledger_.log().size();
  const bool placed = PlaceTasks(group, domains_.root(), &tasks);
  SpendSince(begin);
  if (!tasks.empty()) sheet.groups.Push(group);
  if (!placed || !dispatcher_.Ready(job)) Explain(job, placed);
  return placed;
}

bool DomainAllocate::TryJob(JobIndex job, uint32_t domain, Sheet* sheet, double* score,
                            int* groups) {
  const Ledger::Savepoint before = ledger_.Save();
  std::vector<std::pair<SubGroup, uint32_t>> were;
  for (uint32_t slot = 0; slot < sheet->tasks.size(); ++slot) {
    if (sheet->tasks[slot].empty()) continue;
    const SubGroup group{job, slot - 1};
    were.emplace_back(group, domains_.allocated(group));
  }
  *score = 0;
  while (!sheet->groups.empty()) {
    const SubGroup group = sheet->groups.Pop();
    TaskQueue& tasks = sheet->tasks[group.index + 1];
    double of_group = 0;
    if (!PlaceGroup(group, domain, &tasks, &of_group)) continue;
    ++*groups;
    *score += of_group;
    if (!tasks.empty()) sheet->groups.Push(group);
    if (dispatcher_.Ready(job)) break;
  }
  for (const auto& [group, allocated] : were) domains_.set_allocated(group, allocated);
  const JobCounts& counts = ledger_.job(job);
  most_ = std::max<int64_t>(most_, counts.ready() + counts.nominated());
  if (*groups > 0 && (dispatcher_.Ready(job) || dispatcher_.Pipelined(job))) return true;
  ledger_.Rollback(before);
  return false;
}

bool DomainAllocate::PlaceGroup(const SubGroup& group, uint32_t within, TaskQueue* tasks,
                                double* score) {
  const DomainLists lists = dispatcher_.DomainsForGroup(group, within, domains_.allocated(group),
                                                        /*evicting=*/false);
  for (const std::vector<uint32_t>& list : lists) {
    if (list.size() == 1) {
      StartAfresh(group);
      double of_domain = 0;
      dispatcher_.ScoreDomains(group, list, {&of_domain, 1});
      const size_t before = ledger_.log().size();
      TaskQueue copy = *tasks;
      if (!PlaceTasks(group, list[0], &copy) || ledger_.log().size() == before) continue;
      *tasks = std::move(copy);
      *score = of_domain;
      Settle(group, within, list[0]);
      return true;
    }
    Outcomes outcomes = BeginTries(group, *tasks);
    std::vector<Attempt> attempts;
    std::vector<uint32_t> domains;
    for (uint32_t domain : list) {
      const std::optional<bool> known = Told(outcomes, domain);
      if (known && !*known) continue;
      Attempt attempt{domain};
      if (!known) {
        StartAfresh(group);
        const Ledger::Savepoint before = ledger_.Save();
        TaskQueue copy = *tasks;
        const bool placed =
            PlaceTasks(group, domain, &copy) && ledger_.log().size() > before.position;
        if (placed) {
          attempt.moves = MovesSince(before);
          attempt.left = std::move(copy);
        }
        ledger_.Rollback(before);
        Learn(domain, placed, &outcomes);
        if (!placed) continue;
      }
      attempts.push_back(std::move(attempt));
      domains.push_back(domain);
    }
    if (attempts.empty()) continue;
    std::vector<double> scores(domains.size(), 0);
    dispatcher_.ScoreDomains(group, domains, scores);
    size_t best = 0;
    for (size_t i = 1; i < scores.size(); ++i) {
      if (scores[i] > scores[best] ||
          (scores[i] == scores[best] && domains_.NameBefore(domains[i], domains[best]))) {
        best = i;
      }
    }
    if (attempts[best].left) {
      Replay(attempts[best].moves);
      *tasks = std::move(*attempts[best].left);
    } else {
      StartAfresh(group);
      PlaceTasks(group, domains[best], tasks);
    }
    *score = scores[best];
    Settle(group, within, domains[best]);
    return true;
  }
  return false;
}

void DomainAllocate::Settle(const SubGroup& group, uint32_t within, uint32_t domain) {
  const uint32_t allocated = domains_.Lca(domains_.allocated(group), domain);
  domains_.set_allocated(group, allocated);
  turns_[group.job].groups[{within, group.index}] = allocated;
}

bool DomainAllocate::PlaceTasks(const SubGroup& group, uint32_t domain, TaskQueue* tasks) {
  const JobIndex job = group.job;
  const QueueIndex queue = tables_.jobs.queue[job];
  const bool anchored = domains_.WishOf(group).there;
  const uint32_t within = domain == domains_.root() ? kNone : domain;
  std::vector<GroupIndex>& failed = failed_[group.index + 1];
  const Ledger::Savepoint before = ledger_.Save();
  uint32_t anchor = domains_.allocated(group);
  last_placed_ = 0;
  if (within != kNone && domains_.nodes(domain).empty()) return false;
  memory_.Forget();
  placer_.StartAfresh();
  bool promised = false;
  while (!tasks->empty()) {
    const TaskIndex task = tasks->Pop();
    if (const Verdict verdict = dispatcher_.Allocatable(queue, task); !verdict.ok()) {
      context_.Explain(task, context_.QueueReason(queue, verdict));
      continue;
    }
    const GroupIndex role = tables_.tasks.group[task];
    const bool named = !tables_.jobs.groups[job][role].name.empty();
    if (named && std::find(failed.begin(), failed.end(), role) != failed.end()) {
      context_.fit_errors.Note(job, role, task, nullptr);
      continue;
    }
    std::vector<uint8_t>* refused = error_cache_ ? memory_.Of(task) : nullptr;
    domains_.set_anchor(anchored ? anchor : kNone);
    if (placer_.Place(task, within, refused)) {
      ++last_placed_;
      promised |= ledger_.status(task) == TaskStatus::kNominated;
      if (anchored) {
        const uint32_t lowest = domains_.Lowest(ledger_.node_of(task));
        if (lowest != kNone) anchor = domains_.Lca(lowest, anchor);
      }
      if (dispatcher_.SubGroupReady(group)) break;
      continue;
    }
    context_.NoteNoNode(task, Want::kNow, refused);
    if (std::find(failed.begin(), failed.end(), role) == failed.end()) failed.push_back(role);
    failed_task_ = task;
    if (!MayContinue(group)) break;
  }
  domains_.set_anchor(kNone);
  if (dispatcher_.SubGroupReady(group) || dispatcher_.SubGroupPipelined(group)) {
    last_placed_ = 0;
    return true;
  }
  const JobCounts& counts = ledger_.job(job);
  most_ = std::max<int64_t>(most_, counts.ready() + counts.nominated());
  if (promised) last_placed_ = 0;
  ledger_.Rollback(before);
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
  const std::vector<GroupIndex>& failed = failed_[group.index + 1];
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

DomainAllocate::Outcomes DomainAllocate::BeginTries(const SubGroup& group, const TaskQueue& tasks) {
  Outcomes outcomes;
  last_placed_ = 0;
  if (dispatcher_.TaskOrderMoves()) return outcomes;
  outcomes.of_twins = domains_.allocated(group) == kNone;
  bool one_class = true;
  ClassIndex last = kNone;
  for (TaskIndex t : tasks.rest()) {
    const ClassIndex c = context_.ClassOf(t);
    outcomes.of_twins &= tables_.tasks.nominated[t] == kNone;
    if (c == last) continue;
    one_class &= last == kNone;
    last = c;
    if (!context_.search.LooksAtNodesAlone(c)) return Outcomes();
  }
  if (one_class) {
    outcomes.one_class = last;
    return outcomes;
  }
  // Tasks of several classes: which nodes the first ones take decides whether the others fit. A task without a wish
  // chooses by domain; what a try leaves behind for actions that evict would be another domain's.
  const JobCounts& counts = ledger_.sub_group(group.job, group.index);
  int64_t all = 0;
  for (int32_t count : counts.by_status) all += count;
  outcomes.of_twins &= domains_.WishOf(group).there && !context_.evicts && counts.pending() == all;
  return outcomes;
}

std::optional<bool> DomainAllocate::Told(const Outcomes& outcomes, uint32_t domain) {
  if (outcomes.one_class != kNone && twins_.Room(domain, outcomes.one_class) <= outcomes.hopeless) {
    return false;
  }
  if (!outcomes.of_twins || !IsLeaf(domain)) return std::nullopt;
  const auto it = outcomes.by_number.find(twins_.Number(domain));
  if (it == outcomes.by_number.end()) return std::nullopt;
  return it->second;
}

void DomainAllocate::Learn(uint32_t domain, bool placed, Outcomes* outcomes) {
  if (!placed) outcomes->hopeless = std::max(outcomes->hopeless, last_placed_);
  if (outcomes->of_twins && IsLeaf(domain)) outcomes->by_number[twins_.Number(domain)] = placed;
}

std::vector<DomainAllocate::Move> DomainAllocate::MovesSince(
    const Ledger::Savepoint& before) const {
  std::vector<Move> moves;
  for (const Ledger::Entry& entry : ledger_.log().subspan(before.position)) {
    moves.push_back({entry.task, entry.to, entry.to_node});
  }
  return moves;
}

void DomainAllocate::Replay(const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    ledger_.Move(move.task, move.status, move.node);
    if (move.status == TaskStatus::kNominated) {
      context_.NoteNominatedAfterEviction(move.task, false);
    }
  }
}

void DomainAllocate::StartAfresh(const SubGroup& group) {
  failed_[group.index + 1].clear();
  if (!context_.evicts) return;
  for (TaskIndex t : tables_.jobs.tasks[group.job]) {
    if (tables_.tasks.sub_group[t] == group.index) context_.fit_errors.Forget(t);
  }
}

void DomainAllocate::Committed(JobIndex job) {
  const Turns& turns = turns_[job];
  if (turns.domain == kNone) return;
  domains_.set_allocated(job, domains_.Lca(domains_.allocated(job), turns.domain));
  const size_t slots = sheets_.at(job).tasks.size();
  const auto tell = [&](const std::string& sub_group, uint32_t domain) {
    ChosenDomain chosen{job, sub_group};
    chosen.tier = domains_.tier(domain);
    if (domain != domains_.root()) chosen.domain = tables_.domains.names.name(domain);
    std::erase_if(context_.chosen_domains,
                  [&](const ChosenDomain& c) { return c.job == job && c.sub_group == sub_group; });
    context_.chosen_domains.push_back(std::move(chosen));
  };
  tell("", domains_.allocated(job));
  for (uint32_t slot = 0; slot < slots; ++slot) {
    const auto it = turns.groups.find({turns.domain, slot - 1});
    if (it == turns.groups.end()) continue;
    const SubGroup group{job, slot - 1};
    domains_.set_allocated(group, domains_.Lca(domains_.allocated(group), it->second));
    if (slot > 0) {
      tell(tables_.jobs.spec[job].sub_groups[slot - 1].name, domains_.allocated(group));
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
    reason.refusals = context_.NoNode(context_.ClassOf(failed_task_))->refusals;
  }
  context_.ExplainJob(job, std::move(reason));
}

}  // namespace muster
