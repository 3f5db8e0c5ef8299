// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "capi/record.h"

#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "capi/table.h"
#include "lib/base/strings.h"
#include "lib/plan/json_text.h"
#include "lib/scenario/scenario.h"
#include "muster/version.h"

namespace muster::capi {
namespace {

constexpr std::string_view kEnd = "{\"call\":\"end\",\"why\":\"limit\"}\n";

void AppendMember(std::string_view key, std::string_view text, std::string* out) {
  absl::StrAppend(out, ",\"", ToAbsl(key), "\":");
  AppendJson(text, out);
}

// Returns a scenario document on one line: ends of lines outside of texts become blanks.
std::string OneLine(const ClusterSpec& rows) {
  Scenario scenario;
  scenario.cluster = rows;
  std::string text = WriteScenario(scenario);
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

}  // namespace

template <class F>
void Recorder::Try(const F& write) noexcept {
  if (ended_) return;
  try {
    write();
  } catch (const std::exception&) {
    ended_ = true;
    log_.Say(MUSTER_LOG_WARNING, "the record ends: out of memory");
  }
}

void Recorder::Write(std::string line) {
  line += "\n";
  const auto room = [&](size_t bytes) {
    return limit_ == 0 || written_ + static_cast<int64_t>(bytes) <= limit_;
  };
  if (!room(line.size() + kEnd.size())) {
    ended_ = true;
    log_.Say(MUSTER_LOG_WARNING, "the record ends: its limit is reached");
    if (room(kEnd.size())) sink_(user_, kEnd.data(), static_cast<int64_t>(kEnd.size()));
    return;
  }
  written_ += static_cast<int64_t>(line.size());
  const muster_status status = sink_(user_, line.data(), static_cast<int64_t>(line.size()));
  if (status != MUSTER_OK) {
    ended_ = true;
    log_.SayThat(MUSTER_LOG_WARNING,
                 [&] { return absl::StrCat("the record ends: its sink returned ", status); });
  }
}

void Recorder::Begin() {
  Try([&] {
    Write(absl::StrCat("{\"call\":\"begin\",\"record\":2,\"muster\":\"", MUSTER_VERSION_STRING,
                       "\"}"));
  });
}

void Recorder::Rows(std::string_view call, const ClusterSpec& rows) {
  Try([&] {
    Write(absl::StrCat("{\"call\":\"", ToAbsl(call), "\",\"rows\":", OneLine(rows), "}"));
  });
}

void Recorder::Remove(int32_t kind, std::string_view name) {
  Try([&] {
    std::string line = absl::StrCat("{\"call\":\"remove\",\"kind\":", kind);
    AppendMember("name", name, &line);
    Write(line + "}");
  });
}

void Recorder::Statuses(int64_t count, absl::FunctionRef<TaskReport(int64_t i)> get) {
  Try([&] {
    std::string line = "{\"call\":\"statuses\",\"tasks\":[";
    for (int64_t i = 0; i < count; ++i) {
      const TaskReport report = get(i);
      if (line.back() != '[') line += ",";
      line += "[";
      AppendJson(report.task, &line);
      absl::StrAppend(&line, ",\"", ToAbsl(TaskStatusName(report.status)), "\",");
      AppendJson(report.node, &line);
      line += "]";
    }
    Write(line + "]}");
  });
}

void Recorder::BindFailed(std::string_view task) {
  Try([&] {
    std::string line = "{\"call\":\"bind_failed\"";
    AppendMember("task", task, &line);
    Write(line + "}");
  });
}

void Recorder::EvictFailed(std::string_view task) {
  Try([&] {
    std::string line = "{\"call\":\"evict_failed\"";
    AppendMember("task", task, &line);
    Write(line + "}");
  });
}

void Recorder::Expire(int64_t now, const AssumptionLimits& limits) {
  Try([&] {
    std::string line = absl::StrCat("{\"call\":\"expire\",\"now\":", now);
    if (limits.bind) absl::StrAppend(&line, ",\"bind\":", *limits.bind);
    if (limits.evict) absl::StrAppend(&line, ",\"evict\":", *limits.evict);
    Write(line + "}");
  });
}

void Recorder::MakeTasks(std::string_view job, std::string_view group, int64_t count) {
  Try([&] {
    std::string line = absl::StrCat("{\"call\":\"make_tasks\",\"count\":", count);
    AppendMember("group", group, &line);
    AppendMember("job", job, &line);
    Write(line + "}");
  });
}

void Recorder::Deltas(const ClusterSpec& rows, const uint64_t* generations, int64_t count) {
  Try([&] {
    std::string line = "{\"call\":\"deltas\",\"generations\":[";
    for (int64_t i = 0; i < count; ++i) absl::StrAppend(&line, i == 0 ? "" : ",", generations[i]);
    absl::StrAppend(&line, "],\"rows\":", OneLine(rows), "}");
    Write(std::move(line));
  });
}

void Recorder::Removal(int32_t kind, std::string_view name, uint64_t generation) {
  Try([&] {
    std::string line =
        absl::StrCat("{\"call\":\"removal\",\"generation\":", generation, ",\"kind\":", kind);
    AppendMember("name", name, &line);
    Write(line + "}");
  });
}

void Recorder::Schedule(std::string_view profile, const ScheduleOptions& options, bool own_policies,
                        const Plan& plan) {
  Try([&] {
    std::string line = "{\"call\":\"schedule\"";
    AppendMember("profile", profile, &line);
    absl::StrAppend(&line, ",\"now\":", options.now, ",\"seed\":", options.seed,
                    ",\"cursor\":", options.cursor);
    // The work of a plan that was cut by time, as a budget, gives the same plan.
    if (!plan.complete()) {
      absl::StrAppend(&line, ",\"work_budget\":", plan.work());
    } else if (options.work_budget.has_value()) {
      absl::StrAppend(&line, ",\"work_budget\":", *options.work_budget);
    }
    if (KindOf(options.turn) != TurnKind::kCycle) {
      AppendMember("turn", WriteTurn(options.turn), &line);
    }
    if (options.memory.has_value()) AppendMember("memory", options.memory->ToText(), &line);
    if (own_policies) line += ",\"own_policies\":true";
    AppendMember("digest", plan.Digest(), &line);
    Write(line + "}");
  });
}

void Recorder::SetMemory(const muster::Memory& memory) {
  Try([&] {
    std::string line = "{\"call\":\"set_memory\"";
    AppendMember("memory", memory.ToText(), &line);
    Write(line + "}");
  });
}

void Recorder::SaveState() {
  Try([&] { Write("{\"call\":\"save_state\"}"); });
}

void Recorder::LoadState(std::string_view state) {
  Try([&] {
    std::string line = "{\"call\":\"load_state\"";
    AppendMember("state", state, &line);
    Write(line + "}");
  });
}

void Recorder::Apply(const Plan& plan) {
  Try([&] {
    std::string line = "{\"call\":\"apply\"";
    AppendMember("digest", plan.Digest(), &line);
    Write(line + "}");
  });
}

}  // namespace muster::capi
