// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kai/job_settings.h"

#include "lib/model/settings.h"

namespace muster {
namespace {

constexpr char kKaiName[] = "kai";

KaiJobSettings Read(SettingReader* reader) {
  KaiJobSettings settings;
  settings.one_attempt = reader->Choice("scheduling-backoff", {"-1", "1"}, "-1") == "1";
  const bool flag = reader->Flag("unschedulable", false);
  if (reader->Text("unschedulable")) settings.unschedulable = flag;
  return settings;
}

}  // namespace

KaiJobSettings ReadKaiSettings(const JobSpec& spec) {
  if (spec.settings.empty()) return {};
  SettingReader reader("job", spec.name, spec.settings, kKaiName);
  return Read(&reader);
}

absl::Status CheckKaiSettings(const Tables& tables, const Options&) {
  if (absl::Status s = CheckNoNodeSettings(tables.nodes, kKaiName); !s.ok()) return s;
  for (QueueIndex q = 0; q < tables.queues.alive.size(); ++q) {
    const QueueSpec& spec = tables.queues.spec[q];
    if (tables.queues.alive[q] == 0 || spec.settings.empty()) continue;
    if (absl::Status s = SettingReader("queue", spec.name, spec.settings, kKaiName).Finish();
        !s.ok()) {
      return s;
    }
  }
  for (JobIndex j = 0; j < tables.jobs.alive.size(); ++j) {
    const JobSpec& spec = tables.jobs.spec[j];
    if (tables.jobs.alive[j] == 0 || spec.settings.empty()) continue;
    SettingReader reader("job", spec.name, spec.settings, kKaiName);
    Read(&reader);
    if (absl::Status s = reader.Finish(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace muster
