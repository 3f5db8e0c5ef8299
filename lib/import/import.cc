// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The steps that every import takes: text to objects, the importer that reads them, the scenario.
#include "lib/import/import.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/importer.h"
#include "lib/import/json_text.h"
#include "lib/plan/json_text.h"
#include "muster/schedule.h"

namespace muster {
namespace {

constexpr std::string_view kConfiguration = "scheduler configuration";

std::string NamesOfImporters() {
  std::string names;
  for (std::string_view name : ImporterNames()) {
    absl::StrAppend(&names, names.empty() ? "" : ", ", ToAbsl(name));
  }
  return names;
}

absl::StatusOr<const Importer*> ByName(std::string_view name) {
  for (const Importer* importer : Importers()) {
    if (importer->name == name) return importer;
  }
  return absl::InvalidArgumentError(absl::StrCat("profile ", Quote(name),
                                                 ": no importer has this name; expected one of ",
                                                 NamesOfImporters()));
}

// Returns the importer that most objects belong to by their API groups.
absl::StatusOr<const Importer*> ByGroups(const Dump& dump) {
  const Importer* best = nullptr;
  int64_t most = 0;
  bool tie = false;
  for (const Importer* importer : Importers()) {
    int64_t count = 0;
    for (const auto& object : dump.all()) {
      for (std::string_view group : importer->groups) count += object->group() == group ? 1 : 0;
    }
    tie = count == most ? count > 0 : count < most && tie;
    if (count > most) best = importer;
    if (count > most) most = count;
  }
  if (best != nullptr && !tie) return best;
  return absl::InvalidArgumentError(
      absl::StrCat("dump: ", best == nullptr ? "no object has" : "as many objects have",
                   " an API group of one importer", best == nullptr ? "" : " as of another",
                   "; name the profile: one of ", NamesOfImporters()));
}

}  // namespace

absl::StatusOr<Import> ImportObjects(std::string_view objects, const ImportOptions& options) {
  Budget budget(options.limits);
  absl::StatusOr<std::vector<RawObject>> raw = ReadJsonObjects(objects, &budget);
  if (!raw.ok()) return raw.status();
  JsonRow configuration;
  if (!options.configuration.empty()) {
    absl::StatusOr<JsonRow> read = ReadJsonValue(options.configuration, kConfiguration, &budget);
    if (!read.ok()) return read.status();
    configuration = *std::move(read);
  }
  ImportLog log;
  Dump dump(*std::move(raw), &log);
  if (!log.ok()) return log.status();
  const absl::StatusOr<const Importer*> importer =
      options.profile.empty() ? ByGroups(dump) : ByName(options.profile);
  if (!importer.ok()) return importer.status();
  dump.Keep((*importer)->kinds, (*importer)->name);

  const FieldSource configured{std::string(kConfiguration), &configuration, &log};
  Import import;
  import.scenario.options.now = options.now;
  const ImportSource source{
      dump, options,
      configuration.values.empty() ? std::nullopt : std::optional<Field>(Field(&configured)), &log};
  (*importer)->read(source, &import.scenario);
  if (!log.ok()) return log.status();
  // Objects that no API server checked may break rules that rows have.
  Cluster filled;
  if (const absl::Status s = Fill(import.scenario, &filled); !s.ok()) {
    return absl::Status(s.code(), absl::StrCat("dump: ", s.message()));
  }
  // A cycle without rows resolves the profile, and no more.
  if (const absl::Status s = Cluster().Schedule(import.scenario.profile).status(); !s.ok()) {
    return absl::Status(s.code(), absl::StrCat(ToAbsl(kConfiguration), ": ", s.message()));
  }
  import.report = log.Take();
  return import;
}

std::vector<std::string_view> ImporterNames() {
  std::vector<std::string_view> names;
  for (const Importer* importer : Importers()) names.push_back(importer->name);
  return names;
}

std::string_view ImportSeverityName(ImportSeverity severity) {
  switch (severity) {
    case ImportSeverity::kNote:
      return "note";
    case ImportSeverity::kIgnored:
      return "ignored";
    case ImportSeverity::kLeftOut:
      return "left_out";
  }
  return "";
}

std::string Describe(const ImportEntry& entry) {
  return absl::StrCat(entry.object, ": ", entry.field, entry.field.empty() ? "" : ": ", entry.text);
}

std::string WriteReport(const std::vector<ImportEntry>& report) {
  std::string out = "{\"entries\": [";
  for (const ImportEntry& entry : report) {
    absl::StrAppend(&out, &entry == report.data() ? "\n" : ",\n", "  {\"severity\": ");
    AppendJson(ImportSeverityName(entry.severity), &out);
    out.append(", \"object\": ");
    AppendJson(entry.object, &out);
    out.append(", \"field\": ");
    AppendJson(entry.field, &out);
    out.append(", \"text\": ");
    AppendJson(entry.text, &out);
    out.push_back('}');
  }
  out.append(report.empty() ? "]}\n" : "\n]}\n");
  return out;
}

}  // namespace muster
