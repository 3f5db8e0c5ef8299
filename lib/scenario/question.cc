// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/scenario/question.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/float_env.h"
#include "lib/base/strings.h"
#include "lib/plan/json_text.h"
#include "lib/scenario/charge.h"
#include "lib/scenario/json_rows.h"
#include "lib/scenario/member_reader.h"
#include "lib/scenario/members.h"
#include "lib/scenario/scenario.h"
#include "muster/rehearsal.h"

namespace muster {
namespace {

class QuestionSink : public RowSink {
 public:
  explicit QuestionSink(Budget* budget) : budget_(budget) {}

  absl::StatusOr<Section> OnSection(std::string_view key) override {
    bool known = false;
    std::vector<std::string_view> keys;
    ForEachMember(question_, [&](auto member) {
      known |= member.key == key;
      keys.push_back(member.key);
    });
    if (!known) {
      return absl::InvalidArgumentError(absl::StrCat("question: ", UnknownWord("key", key, keys)));
    }
    return Section::kOneRow;
  }

  absl::Status OnRow(std::string_view section, size_t, const Json& row) override {
    absl::Status status;
    ForEachMember(question_, [&](auto member) {
      if (member.key != section) return;
      status = reader_.Read(Place{nullptr, section, 0, true}, row, &member.value);
    });
    if (status.ok() && !reader_.shape_names.empty()) {
      status = reader_.Refuse(Place{nullptr, section, 0, true}, "shapes have no names here");
    }
    return status.ok() ? ChargeRowsOf(section) : status;
  }

  absl::StatusOr<Question> Finish() {
    const int said = question_.rehearse.has_value() + question_.diagnose.has_value() +
                     question_.drain.has_value() + question_.need_nodes.has_value();
    if (said != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("question: asks ", said == 0 ? "nothing" : "more than one thing",
                       "; must have one of rehearse, diagnose, drain, need_nodes"));
    }
    return std::move(question_);
  }

 private:
  absl::Status ChargeRowsOf(std::string_view section) {
    int64_t rows = 0;
    for (const WhatIfChange& change : question_.rehearse.value_or(std::vector<WhatIfChange>())) {
      rows += RowsOf(change);
    }
    return ChargeRows(reader_, Place{nullptr, section, 0, true}, rows, budget_);
  }

  Reader reader_{"question"};
  Question question_;
  Budget* budget_;
};

void AppendTexts(std::string_view key, const std::vector<std::string>& texts, std::string* out) {
  absl::StrAppend(out, ", \"", ToAbsl(key), "\": [");
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendJson(std::string_view(texts[i]), out);
  }
  out->append("]");
}

void AppendCounts(std::string_view key, const std::vector<NodeCount>& counts, std::string* out) {
  absl::StrAppend(out, ", \"", ToAbsl(key), "\": [");
  for (size_t i = 0; i < counts.size(); ++i) {
    out->append(i == 0 ? "{\"type\": " : ", {\"type\": ");
    AppendJson(std::string_view(counts[i].type), out);
    absl::StrAppend(out, ", \"count\": ", counts[i].count);
    if (counts[i].waiting > 0) absl::StrAppend(out, ", \"waiting\": ", counts[i].waiting);
    if (!counts[i].waits.empty()) {
      out->append(", \"waits\": ");
      AppendJson(std::string_view(counts[i].waits), out);
    }
    out->append("}");
  }
  out->append("]");
}

void AppendRemedy(const Remedy& remedy, std::string* out) {
  out->append("{\"kind\": ");
  AppendJson(RemedyKindName(remedy.kind), out);
  absl::StrAppend(out, ", \"starts\": ", remedy.starts, ", \"evictions\": ", remedy.evictions,
                  ", \"others\": ", remedy.others, ", \"profile\": ");
  AppendJson(std::string_view(remedy.profile), out);
  out->append(", \"words\": ");
  AppendJson(std::string_view(remedy.words), out);
  absl::StrAppend(out, ", \"changes\": ", WriteChanges(remedy.changes), "}");
}

}  // namespace

absl::StatusOr<std::string> Advise(const Cluster& cluster, std::string_view profile,
                                   std::string_view question, const ScheduleOptions& options,
                                   const Limits& limits, Executor* executor) {
  const DefaultFloats floats;
  Budget budget(limits);
  QuestionSink sink(&budget);
  if (absl::Status s = ReadJsonRows(question, &sink, "question", &budget); !s.ok()) return s;
  const absl::StatusOr<Question> asked = sink.Finish();
  if (!asked.ok()) return asked.status();
  if (asked->rehearse.has_value()) {
    const auto rehearsal = Rehearse(cluster, profile, *asked->rehearse, options, executor);
    if (!rehearsal.ok()) return rehearsal.status();
    return rehearsal->difference.ToJson();
  }
  if (asked->diagnose.has_value()) {
    const auto diagnosis =
        Diagnose(cluster, profile, asked->diagnose->job,
                 {.schedule = options, .trials = asked->diagnose->trials, .executor = executor});
    if (!diagnosis.ok()) return diagnosis.status();
    return WriteDiagnosis(asked->diagnose->job, *diagnosis);
  }
  if (asked->drain.has_value()) {
    const auto report = Drain(cluster, profile, asked->drain->nodes, options);
    if (!report.ok()) return report.status();
    return WriteDrainReport(*report);
  }
  const auto needed =
      NeedNodes(cluster, profile, asked->need_nodes->offers,
                {.schedule = options, .most = asked->need_nodes->most, .executor = executor});
  if (!needed.ok()) return needed.status();
  return WriteNodesNeeded(*needed);
}

std::string WriteChanges(const std::vector<WhatIfChange>& changes) {
  std::string out = "[";
  for (size_t i = 0; i < changes.size(); ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ", ", WriteRow(changes[i]));
  }
  return out + "]";
}

std::string WriteDiagnosis(std::string_view job, const Diagnosis& diagnosis) {
  std::string out = "{\"job\": ";
  AppendJson(job, &out);
  absl::StrAppend(&out, ", \"waiting\": ", diagnosis.waiting, ", \"trials\": ", diagnosis.trials,
                  ",\n \"reason\": ");
  AppendJson(std::string_view(diagnosis.reason), &out);
  AppendTexts("facts", diagnosis.facts, &out);
  out.append(",\n \"remedies\": [");
  for (size_t i = 0; i < diagnosis.remedies.size(); ++i) {
    out.append(i == 0 ? "\n  " : ",\n  ");
    AppendRemedy(diagnosis.remedies[i], &out);
  }
  out.append("]}\n");
  return out;
}

std::string WriteDrainReport(const DrainReport& report) {
  std::string out = absl::StrCat("{\"moved\": ", report.moved, ", \"waiting\": ", report.waiting,
                                 ", \"steps\": [");
  for (size_t i = 0; i < report.steps.size(); ++i) {
    const DrainStep& step = report.steps[i];
    out.append(i == 0 ? "\n {\"node\": " : ",\n {\"node\": ");
    AppendJson(std::string_view(step.node), &out);
    AppendTexts("broken_budgets", step.broken_budgets, &out);
    AppendTexts("broken_gangs", step.broken_gangs, &out);
    out.append(", \"tasks\": [");
    for (size_t t = 0; t < step.tasks.size(); ++t) {
      out.append(t == 0 ? "\n  {\"task\": " : ",\n  {\"task\": ");
      AppendJson(std::string_view(step.tasks[t].task), &out);
      out.append(", \"to\": ");
      AppendJson(std::string_view(step.tasks[t].to), &out);
      out.append(", \"reason\": ");
      AppendJson(std::string_view(step.tasks[t].reason), &out);
      absl::StrAppend(&out, ", \"ends\": ", step.tasks[t].ends ? "true" : "false", "}");
    }
    out.append("]}");
  }
  out.append("]}\n");
  return out;
}

std::string WriteNodesNeeded(const NodesNeeded& needed) {
  std::string out = absl::StrCat("{\"waiting_before\": ", needed.waiting_before,
                                 ", \"waiting_after\": ", needed.waiting_after, ", \"price\": ");
  AppendJson(needed.price, &out);
  AppendCounts("alone", needed.alone, &out);
  AppendCounts("cheapest", needed.cheapest, &out);
  AppendCounts("wanted", needed.wanted, &out);
  out.append(", \"wanted_price\": ");
  AppendJson(needed.wanted_price, &out);
  absl::StrAppend(&out, ", \"wanted_waiting\": ", needed.wanted_waiting);
  return absl::StrCat(out, "}\n");
}

std::string_view RemedyKindName(RemedyKind kind) {
  switch (kind) {
    case RemedyKind::kMoreNodes:
      return "more_nodes";
    case RemedyKind::kQueueLimit:
      return "queue_limit";
    case RemedyKind::kQueueShare:
      return "queue_share";
    case RemedyKind::kAnotherQueue:
      return "another_queue";
    case RemedyKind::kToleration:
      return "toleration";
    case RemedyKind::kUncordon:
      return "uncordon";
    case RemedyKind::kSmallerGang:
      return "smaller_gang";
    case RemedyKind::kSmallerRequest:
      return "smaller_request";
    case RemedyKind::kEvictions:
      return "evictions";
    case RemedyKind::kPriority:
      return "priority";
    case RemedyKind::kWait:
      return "wait";
    case RemedyKind::kSpendingLimit:
      return "spending_limit";
    case RemedyKind::kOpenQueue:
      return "open_queue";
    case RemedyKind::kQuota:
      return "quota";
    case RemedyKind::kSelector:
      return "selector";
    case RemedyKind::kNodeLabel:
      return "node_label";
    case RemedyKind::kGate:
      return "gate";
  }
  return "";
}

}  // namespace muster
