// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Words for reasons. A job's explanation is one line about the job, and below it what stopped its
// tasks. Equal reasons are gathered, so a gang of a thousand equal tasks takes one line:
//
//   train: 12 of 16 placed, undone
//     1 task: 88 nodes: nvidia.com/gpu; 12 nodes: taint gpu=only
//     3 tasks: not reached
//
// Where a job has several reasons, the one about the whole job is its headline. A gang that was
// undone matters more than the one task that found no node, which is listed below it.
#include "lib/plan/explain.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/keys.h"
#include "lib/plan/absent_text.h"
#include "lib/plan/cycle_names.h"

namespace muster {
namespace {

std::string Counted(int64_t count, std::string_view noun) {
  return absl::StrCat(count, " ", ToAbsl(noun), count == 1 ? "" : "s");
}

std::string QueueWords(const Reason& reason, const PlanNames& names) {
  if (reason.queue == kNone) return "its queue";
  return absl::StrCat("queue ", Quote(names.queue(reason.queue)));
}

std::string By(const Reason& reason) {
  return reason.policy.empty() ? "" : absl::StrCat(" (", reason.policy, ")");
}

std::string In(const Reason& reason, const PlanNames& names) {
  if (reason.dimension == kNone) return "";
  return absl::StrCat(" in ", ToAbsl(names.dimension(reason.dimension)));
}

// Whether `where` of a limit names what refuses above the queue; else it is a peer's message.
bool NamesRefuser(const Reason& reason) {
  return reason.where.starts_with("queue \"") || reason.where.starts_with("binding \"");
}

// " (policy: the message)"
std::string InWordsOf(const Reason& reason) {
  if (reason.where.empty() || NamesRefuser(reason)) return By(reason);
  const char* const colon = reason.policy.empty() ? "" : ": ";
  return absl::StrCat(" (", reason.policy, colon, reason.where, ")");
}

// A smaller scope covers more of the job, and its reason is the headline.
int Scope(ReasonKind kind) {
  switch (kind) {
    case ReasonKind::kInvalidGang:
      return 0;
    case ReasonKind::kNotAdmitted:
      return 1;
    case ReasonKind::kQueueClosed:
    case ReasonKind::kQueueTree:
    case ReasonKind::kInfeasible:
      return 2;
    case ReasonKind::kGangUndone:
    case ReasonKind::kNoDomain:
      return 3;
    case ReasonKind::kGangWaits:
      return 4;
    case ReasonKind::kQueueOverused:
      return 5;
    case ReasonKind::kQueueLimit:
    case ReasonKind::kQueueSpending:
      return 6;
    case ReasonKind::kQueueDeserved:
      return 7;
    case ReasonKind::kNoNode:
      return 8;
    case ReasonKind::kGated:
      return 9;
    case ReasonKind::kNotReached:
      return 10;
  }
  return 11;
}

// What happened to the tasks of one job (or to one task), counted over the plan.
struct Story {
  int64_t bound = 0, nominated = 0, evicted = 0, moved = 0, reserved = 0, pending = 0;
  bool admitted = false;
};

Story TellJob(const PlanData& data, JobIndex job) {
  Story story;
  for (const Decision& d : data.decisions) {
    if (d.job != job) continue;
    story.admitted |= d.kind == DecisionKind::kAdmit;
    story.bound += d.kind == DecisionKind::kBind;
    story.nominated += d.kind == DecisionKind::kNominate;
    story.evicted += d.kind == DecisionKind::kEvict;
    story.moved += d.kind == DecisionKind::kMove;
    story.reserved += d.kind == DecisionKind::kReserve;
  }
  return story;
}

std::string Placed(const Story& story) {
  std::vector<std::string> parts;
  const int64_t all = story.bound + story.nominated + story.reserved + story.pending;
  if (story.bound > 0 || (story.pending > 0 && story.nominated + story.reserved > 0)) {
    parts.push_back(absl::StrCat("placed ", story.bound, " of ", all));
  }
  if (story.nominated > 0) parts.push_back(absl::StrCat(story.nominated, " nominated"));
  if (story.reserved > 0) parts.push_back(absl::StrCat(story.reserved, " reserved"));
  if (story.moved > 0) parts.push_back(absl::StrCat(story.moved, " moved"));
  if (story.evicted > 0) parts.push_back(absl::StrCat(story.evicted, " evicted"));
  std::string out;
  for (const std::string& part : parts) absl::StrAppend(&out, out.empty() ? "" : ", ", part);
  return out;
}

// Counts of tasks by what they have in common, in the order of the first of each.
class TaskCounts {
 public:
  void Add(std::string words) {
    const auto [entry, is_new] = place_.try_emplace(std::move(words), counts_.size());
    if (is_new) counts_.emplace_back(entry->first, 0);
    ++counts_[entry->second].second;
  }
  // Writes a line for each of the first few, "  2 tasks evicted for high", then how many more there
  // are.
  void AppendLines(std::string* out) const {
    for (size_t i = 0; i < std::min(kMostLines, counts_.size()); ++i) {
      absl::StrAppend(out, "  ", Counted(counts_[i].second, "task"), " ", counts_[i].first, "\n");
    }
    if (counts_.size() <= kMostLines) return;
    absl::StrAppend(out, "  and so on, ", counts_.size() - kMostLines, " more\n");
  }

 private:
  static constexpr size_t kMostLines = 8;
  std::map<std::string, size_t> place_;
  std::vector<std::pair<std::string, int64_t>> counts_;
};

// Returns lines that count the tasks evicted for the job, and those of the job evicted for others.
std::string EvictionLines(const PlanData& data, JobIndex job) {
  const PlanNames& names = *data.names;
  TaskCounts counts;
  for (const Decision& d : data.decisions) {
    if (d.kind != DecisionKind::kEvict || d.beneficiary == kNone) continue;
    const JobIndex other = names.job_of(d.beneficiary);
    if (other == d.job) continue;
    if (other == job) {
      const std::string owner =
          d.job == kNone ? "without a job" : absl::StrCat("of ", ToAbsl(names.job(d.job)));
      counts.Add(absl::StrCat(owner, " evicted for it"));
    } else if (d.job == job) {
      const std::string_view by = other == kNone ? names.task(d.beneficiary) : names.job(other);
      counts.Add(absl::StrCat("evicted for ", ToAbsl(by)));
    }
  }
  std::string out;
  counts.AppendLines(&out);
  return out;
}

// What follows a headline: the counts of nodes, and the peer's own words if it has some.
std::string DetailText(const Reason& reason, const PlanNames& names) {
  const bool may_have_both = reason.kind == ReasonKind::kNoNode && !reason.refusals.empty();
  return may_have_both ? ReasonText(reason, names) : RefusalsText(reason, names);
}

std::string ExplainJob(const PlanData& data, JobIndex job) {
  std::vector<PendingGroup> groups = GroupPending(data, job);
  Story story = TellJob(data, job);
  for (const PendingGroup& group : groups) story.pending += group.tasks;
  std::string out = absl::StrCat(ToAbsl(data.names->job(job)), ": ", Placed(story));
  const bool has_words = out.back() != ' ';
  if (groups.empty()) {
    if (!has_words) absl::StrAppend(&out, story.admitted ? "admitted" : "nothing to place");
    return absl::StrCat(out, "\n", EvictionLines(data, job));
  }
  const auto scope = [&](const PendingGroup& g) { return Scope(data.reasons[g.reason].kind); };
  std::stable_sort(groups.begin(), groups.end(), [&](const PendingGroup& a, const PendingGroup& b) {
    return scope(a) < scope(b);
  });
  const Reason& headline = data.reasons[groups[0].reason];
  absl::StrAppend(&out, has_words ? "; " : "", ReasonHead(headline, *data.names));
  if (headline.kind == ReasonKind::kGated || headline.kind == ReasonKind::kNotReached) {
    absl::StrAppend(&out, " (", Counted(groups[0].tasks, "task"), ")");
  }
  out.push_back('\n');
  absl::StrAppend(&out, EvictionLines(data, job));
  // The headline is not repeated, and equal details stand once.
  std::vector<std::pair<std::string, int64_t>> details;
  std::map<std::string, size_t> detail_of;
  for (const PendingGroup& group : groups) {
    const Reason& reason = data.reasons[group.reason];
    const bool told_above = group.reason == groups[0].reason;
    std::string words =
        told_above ? DetailText(reason, *data.names) : ReasonText(reason, *data.names);
    const auto [entry, is_new] = detail_of.try_emplace(words, details.size());
    if (is_new) details.emplace_back(std::move(words), 0);
    details[entry->second].second += group.tasks;
  }
  for (const auto& [words, tasks] : details) {
    if (words.empty()) continue;
    absl::StrAppend(&out, "  ");
    if (details.size() > 1) absl::StrAppend(&out, Counted(tasks, "task"), ": ");
    absl::StrAppend(&out, words, "\n");
  }
  return out;
}

// "gpu0, gpu1 (500 milli, 4294967296 bytes)"
std::string DeviceText(const ChosenDevice& chosen) {
  std::string parts;
  if (chosen.milli != 1000) absl::StrAppend(&parts, chosen.milli, " milli");
  if (chosen.memory != 0) {
    absl::StrAppend(&parts, parts.empty() ? "" : ", ", chosen.memory, " bytes");
  }
  return parts.empty() ? chosen.device : absl::StrCat(chosen.device, " (", parts, ")");
}

// The devices of a bound task, from `next` on in the list: " with gpu0, gpu1".
std::string DevicesText(const PlanData& data, TaskIndex task, size_t* next) {
  std::string out;
  for (; *next < data.devices.size() && data.devices[*next].task == task; ++*next) {
    absl::StrAppend(&out, out.empty() ? " with " : ", ", DeviceText(data.devices[*next]));
  }
  return out;
}

std::string TentativeText(const Tentative& t, const PlanNames& names) {
  return absl::StrCat("tentative ", ToAbsl(names.task(t.task)), " on ", ToAbsl(names.node(t.node)),
                      t.nominated ? " once released" : "");
}

std::string ExplainTask(const PlanData& data, TaskIndex task) {
  std::string lines;
  for (const Decision& d : data.decisions) {
    const bool about_task = d.kind != DecisionKind::kAdmit && d.kind != DecisionKind::kPhase;
    const bool for_it = d.kind == DecisionKind::kEvict && d.beneficiary == task;
    if (!about_task || (d.task != task && !for_it)) continue;
    absl::StrAppend(&lines, "  ", DecisionText(d, data));
    size_t device = 0;
    while (device < data.devices.size() && data.devices[device].task != task) ++device;
    if (d.kind == DecisionKind::kBind) absl::StrAppend(&lines, DevicesText(data, task, &device));
    lines.push_back('\n');
  }
  for (const Tentative& t : data.tentative) {
    if (t.task == task) absl::StrAppend(&lines, "  ", TentativeText(t, *data.names), "\n");
  }
  const auto pending = std::find_if(data.pending.begin(), data.pending.end(),
                                    [task](const PendingTask& p) { return p.task == task; });
  const absl::string_view name = ToAbsl(data.names->task(task));
  if (pending != data.pending.end()) {
    const Reason& reason = data.reasons[pending->reason];
    const std::string detail = DetailText(reason, *data.names);
    std::string head = absl::StrCat(name, ": ", ReasonHead(reason, *data.names), "\n");
    if (!detail.empty()) absl::StrAppend(&head, "  ", detail, "\n");
    return absl::StrCat(head, lines);
  }
  if (lines.empty()) return absl::StrCat(name, ": nothing to decide\n");
  return absl::StrCat(name, ":\n", lines);
}

}  // namespace

std::string RefusalText(const Refusal& refusal, const PlanNames& names) {
  const auto with_detail = [&](std::string_view words) {
    if (refusal.detail.empty()) return std::string(words);
    return absl::StrCat(ToAbsl(words), " ", refusal.detail);
  };
  switch (refusal.code) {
    case RefusalCode::kNotReady:
      return with_detail("not ready");
    case RefusalCode::kUnschedulable:
      return with_detail("unschedulable");
    case RefusalCode::kNodeAffinity:
      return with_detail("node selector or affinity");
    case RefusalCode::kTaint:
      return with_detail("taint");
    case RefusalCode::kInsufficient:
      return std::string(names.dimension(refusal.dimension));
    case RefusalCode::kPodLimit:
      return "pods";
    case RefusalCode::kHostPort:
      return with_detail("host port");
    case RefusalCode::kAffinity:
      return with_detail("affinity");
    case RefusalCode::kAntiAffinity:
      return with_detail("anti-affinity");
    case RefusalCode::kExistingAntiAffinity:
      return with_detail("anti-affinity of a task there");
    case RefusalCode::kSpreadLabel:
      return with_detail("no label to spread over");
    case RefusalCode::kSpread:
      return with_detail("spread");
    case RefusalCode::kPolicy:
    case RefusalCode::kDevice:
      return refusal.detail;
  }
  return "";
}

std::string RefusalsText(const Reason& reason, const PlanNames& names) {
  std::string out;
  for (const Refusal& refusal : reason.refusals) {
    absl::StrAppend(&out, out.empty() ? "" : "; ", Counted(refusal.nodes, "node"), ": ",
                    RefusalText(refusal, names));
  }
  return out;
}

std::string ReasonHead(const Reason& reason, const PlanNames& names) {
  const std::string count = absl::StrCat(reason.placed, " of ", reason.needed);
  switch (reason.kind) {
    case ReasonKind::kGated:
      return "gated";
    case ReasonKind::kInvalidGang:
      if (reason.needed == 0) return "has fewer tasks than it needs";
      return absl::StrCat("has ", count, " tasks it needs");
    case ReasonKind::kNotAdmitted:
      if (!reason.where.empty()) return absl::StrCat("not admitted: ", reason.where);
      return absl::StrCat("not admitted", reason.policy.empty() ? "" : ": ", reason.policy);
    case ReasonKind::kQueueClosed:
      return absl::StrCat(QueueWords(reason, names), " is closed",
                          reason.where.empty() ? "" : InWordsOf(reason));
    case ReasonKind::kQueueOverused:
      return absl::StrCat("waiting: ", QueueWords(reason, names), " has all it deserves",
                          By(reason));
    case ReasonKind::kQueueLimit:
      return absl::StrCat(QueueWords(reason, names), " would exceed ",
                          NamesRefuser(reason) ? "the limit of " + reason.where : "its limit",
                          In(reason, names), InWordsOf(reason));
    case ReasonKind::kQueueDeserved:
      return absl::StrCat(
          QueueWords(reason, names), " would hold more than it deserves", In(reason, names),
          NamesRefuser(reason) ? absl::StrCat(", and more than is for ", reason.where, By(reason))
                               : InWordsOf(reason));
    case ReasonKind::kNoNode:
      // Where no node was counted, the peer's message is all that there is.
      return reason.refusals.empty() && !reason.where.empty() ? reason.where : "no node fits";
    case ReasonKind::kGangUndone:
      return absl::StrCat(count, " placed, undone",
                          reason.where.empty() ? "" : absl::StrCat(" (", reason.where, ")"));
    case ReasonKind::kGangWaits:
      // Where all have a place, some of them are not free yet.
      return absl::StrCat(count, " placed, waiting for ",
                          reason.placed < reason.needed ? "the rest" : "places to be released");
    case ReasonKind::kNoDomain:
      if (reason.placed == 0) return absl::StrCat("no domain up to ", reason.where, " has room");
      return absl::StrCat(count, " placed in one domain up to ", reason.where, ", undone");
    case ReasonKind::kNotReached:
      return reason.where.empty() ? "not reached" : reason.where;
    case ReasonKind::kQueueTree:
      return absl::StrCat("the queues are not one tree from \"root\" with its jobs in the leaves",
                          By(reason));
    case ReasonKind::kInfeasible:
      if (!reason.where.empty()) return absl::StrCat("can have no place: ", reason.where);
      return "would not fit even on empty nodes";
    case ReasonKind::kQueueSpending:
      return absl::StrCat(reason.where, By(reason));
  }
  return "";
}

std::string ReasonText(const Reason& reason, const PlanNames& names) {
  std::string refusals = RefusalsText(reason, names);
  if (refusals.empty()) return ReasonHead(reason, names);
  // The list of nodes implies that no node fits. A profile may have words of its own for it.
  if (reason.kind == ReasonKind::kNoNode) {
    return reason.where.empty() ? refusals : absl::StrCat(refusals, " (", reason.where, ")");
  }
  return absl::StrCat(ReasonHead(reason, names), ": ", refusals);
}

std::string_view ReasonKindName(ReasonKind kind) {
  switch (kind) {
    case ReasonKind::kGated:
      return "gated";
    case ReasonKind::kInvalidGang:
      return "invalid_gang";
    case ReasonKind::kNotAdmitted:
      return "not_admitted";
    case ReasonKind::kQueueClosed:
      return "queue_closed";
    case ReasonKind::kQueueOverused:
      return "queue_overused";
    case ReasonKind::kQueueLimit:
      return "queue_limit";
    case ReasonKind::kQueueDeserved:
      return "queue_deserved";
    case ReasonKind::kNoNode:
      return "no_node";
    case ReasonKind::kGangUndone:
      return "gang_undone";
    case ReasonKind::kGangWaits:
      return "gang_waits";
    case ReasonKind::kNoDomain:
      return "no_domain";
    case ReasonKind::kNotReached:
      return "not_reached";
    case ReasonKind::kQueueTree:
      return "queue_tree";
    case ReasonKind::kInfeasible:
      return "infeasible";
    case ReasonKind::kQueueSpending:
      return "queue_spending";
  }
  return "";
}

std::string_view RefusalCodeName(RefusalCode code) {
  switch (code) {
    case RefusalCode::kNotReady:
      return "not_ready";
    case RefusalCode::kUnschedulable:
      return "unschedulable";
    case RefusalCode::kNodeAffinity:
      return "node_affinity";
    case RefusalCode::kTaint:
      return "taint";
    case RefusalCode::kInsufficient:
      return "insufficient";
    case RefusalCode::kPodLimit:
      return "pod_limit";
    case RefusalCode::kHostPort:
      return "host_port";
    case RefusalCode::kAffinity:
      return "affinity";
    case RefusalCode::kAntiAffinity:
      return "anti_affinity";
    case RefusalCode::kExistingAntiAffinity:
      return "existing_anti_affinity";
    case RefusalCode::kSpreadLabel:
      return "spread_label";
    case RefusalCode::kSpread:
      return "spread";
    case RefusalCode::kPolicy:
      return "policy";
    case RefusalCode::kDevice:
      return "device";
  }
  return "";
}

std::vector<PendingGroup> GroupPending(const PlanData& data, JobIndex only_job) {
  // Reasons of the same words count as one, whatever they were made for.
  std::vector<uint32_t> spokesman(data.reasons.size(), kNone);
  std::map<std::string, uint32_t> by_words;
  std::vector<PendingGroup> groups;
  std::map<std::pair<JobIndex, uint32_t>, size_t> known;
  const auto add = [&](JobIndex job, TaskIndex task, uint32_t number, int64_t tasks) {
    if (only_job != kNone && job != only_job) return;
    uint32_t& reason = spokesman[number];
    if (reason == kNone) {
      reason =
          by_words.try_emplace(ReasonText(data.reasons[number], *data.names), number).first->second;
    }
    // A task of no job stands for itself.
    if (job == kNone) {
      groups.push_back({kNone, task, reason, tasks});
      return;
    }
    const auto [entry, is_new] = known.try_emplace({job, reason}, groups.size());
    if (is_new) groups.push_back({job, task, reason, 0});
    groups[entry->second].tasks += tasks;
  };
  for (const PendingTask& p : data.pending) add(data.names->job_of(p.task), p.task, p.reason, 1);
  for (const WaitingJob& waiting : data.waiting_jobs) {
    add(waiting.job, kNone, waiting.reason, waiting.tasks);
  }
  return groups;
}

namespace {

// A line for each refused event of the job or task of that name, and of the job's tasks.
std::string RefusedText(const PlanNames& names, std::string_view name) {
  std::string out;
  if (names.refused == nullptr) return out;
  const std::string job_key = KeyOf(RowKind::kJob, name), task_key = KeyOf(RowKind::kTask, name);
  for (const auto& [key, refused] : *names.refused) {
    if (key != job_key && key != task_key && (refused.of.empty() || refused.of != name)) continue;
    absl::StrAppend(&out, "the last event of ", key[0] == job_key[0] ? "job " : "task ",
                    Quote(std::string_view(key).substr(1)), " was refused: ", refused.why, "\n");
  }
  return out;
}

}  // namespace

namespace {

// The nearest name among those of the jobs and tasks that the plan mentions, for the end of an
// error.
std::string SuggestMentioned(const PlanData* data, std::string_view name) {
  if (data == nullptr || data->names == nullptr) return "";
  std::vector<std::string_view> names;
  const auto add = [&names, data](JobIndex job, TaskIndex task) {
    if (job != kNone) names.push_back(data->names->job(job));
    if (task != kNone) names.push_back(data->names->task(task));
  };
  for (const Decision& d : data->decisions) add(d.job, d.task);
  for (const PendingTask& p : data->pending) add(data->names->job_of(p.task), p.task);
  for (const WaitingJob& waiting : data->waiting_jobs) add(waiting.job, kNone);
  std::erase(names, "");
  return SuggestName(name, names);
}

}  // namespace

absl::StatusOr<std::string> Plan::Explain(std::string_view job_or_task) const {
  if (data_ != nullptr && data_->names != nullptr) {
    const std::string refused = RefusedText(*data_->names, job_or_task);
    const JobIndex job = data_->names->FindJob(job_or_task);
    if (job != kNone) return absl::StrCat(ExplainJob(*data_, job), refused);
    const auto* absent = dynamic_cast<const CycleNames*>(data_->names.get());
    if (absent != nullptr && absent->IsLeftOut(job_or_task)) {
      return absl::StrCat(LeftOutText(job_or_task, data_->profile), refused);
    }
    const TaskIndex task = data_->names->FindTask(job_or_task);
    if (task != kNone) return absl::StrCat(ExplainTask(*data_, task), refused);
    const std::string waits = absent == nullptr ? "" : WaitingText(absent->waiting, job_or_task);
    if (!waits.empty() || !refused.empty()) return absl::StrCat(waits, refused);
  }
  return absl::NotFoundError(absl::StrCat("the plan has no job or task ", Quote(job_or_task),
                                          SuggestMentioned(data_.get(), job_or_task)));
}

std::string Plan::ToText() const {
  std::string out;
  if (data_ == nullptr || data_->names == nullptr) return out;
  const PlanNames& names = *data_->names;
  size_t device = 0;
  for (const Decision& d : data_->decisions) {
    absl::StrAppend(&out, DecisionText(d, *data_));
    if (d.kind == DecisionKind::kBind) {
      absl::StrAppend(&out, DevicesText(*data_, d.task, &device));
    }
    out.push_back('\n');
  }
  for (const Tentative& t : data_->tentative) absl::StrAppend(&out, TentativeText(t, names), "\n");
  for (const PendingGroup& group : GroupPending(*data_, kNone)) {
    absl::StrAppend(&out, "pending ",
                    ToAbsl(group.job == kNone ? names.task(group.first) : names.job(group.job)));
    if (group.job != kNone) absl::StrAppend(&out, " (", Counted(group.tasks, "task"), ")");
    absl::StrAppend(&out, ": ", ReasonText(data_->reasons[group.reason], names), "\n");
  }
  return out;
}

}  // namespace muster
