// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Dumps of other schedulers' objects as scenario documents.
#include "lib/import/import.h"

#include <memory>

#include "capi/boundary.h"
#include "lib/scenario/scenario.h"
#include "muster/c.h"

namespace muster::capi {
namespace {

absl::StatusOr<ImportOptions> ReadOptions(const muster_import_options* given) {
  muster_import_options options = MUSTER_IMPORT_OPTIONS_INIT;
  if (absl::Status s = ReadStruct("options", given, &options); !s.ok()) return s;
  ImportOptions out;
  if (options.profile != nullptr) out.profile = options.profile;
  if (options.configuration != nullptr) out.configuration = options.configuration;
  if (options.default_queue != nullptr) out.default_queue = options.default_queue;
  out.now = options.now;
  if (absl::Status s = ReadLimits(options.limits, &out.limits); !s.ok()) return s;
  return out;
}

}  // namespace
}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's

muster_status muster_import(const char* objects, int64_t size, const muster_import_options* options,
                            muster_text** scenario, muster_text** report, muster_error* error) {
  if (scenario != nullptr) *scenario = nullptr;
  if (report != nullptr) *report = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (scenario == nullptr) return NullArgument("scenario");
    const absl::StatusOr<std::string_view> text = TextIn("objects", objects, size);
    if (!text.ok()) return text.status();
    const absl::StatusOr<muster::ImportOptions> read = ReadOptions(options);
    if (!read.ok()) return read.status();
    const absl::StatusOr<muster::Import> import = muster::ImportObjects(*text, *read);
    if (!import.ok()) return import.status();
    const auto memory = MakeMemory(nullptr);
    if (!memory.ok()) return memory.status();
    std::unique_ptr<muster_text, decltype(&muster_text_free)> entries(nullptr, muster_text_free);
    if (report != nullptr) {
      muster_text* made = nullptr;
      if (absl::Status s = GiveText(*memory, muster::WriteReport(import->report), &made); !s.ok()) {
        return s;
      }
      entries.reset(made);
    }
    absl::Status given = GiveText(*memory, muster::WriteScenario(import->scenario), scenario);
    if (given.ok() && report != nullptr) *report = entries.release();
    return given;
  });
}
