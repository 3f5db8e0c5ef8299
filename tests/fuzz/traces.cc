// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Readers of traces and importers. The first line names the reader or importer; a name that there
// is not is taken for a number, so that each input reads something.
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/import.h"
#include "muster/packing.h"
#include "muster/replay.h"
#include "muster/trace.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/readers.h"
#include "tests/fuzz/target.h"

namespace muster::fuzz {
namespace {

using Files = std::array<TraceFile, 4>;
using TraceReader = absl::StatusOr<Trace> (*)(const Files& files, const ReadOptions& options,
                                              ReadReport* report);

struct Row {
  std::string_view name;
  TraceReader read;  // null: ReadOpenbPacking
};

constexpr Row kReaders[] = {
    {"ReadSwf", [](const Files& f, const ReadOptions& o,
                   ReadReport* r) { return ReadSwf(f[0], {.read = o}, r); }},
    {"ReadHpc", [](const Files& f, const ReadOptions& o,
                   ReadReport* r) { return ReadHpc(f[0], {.processors = 64, .read = o}, r); }},
    {"ReadOpenb",
     [](const Files& f, const ReadOptions& o, ReadReport* r) {
       return ReadOpenb({f[0], f[1], f[2], f[3]}, {.read = o}, r);
     }},
    {"ReadOpenbPacking", nullptr},
    {"ReadAlibaba2020",
     [](const Files& f, const ReadOptions& o, ReadReport* r) {
       return ReadAlibaba2020({f[0], f[1], f[2]}, o, r);
     }},
    {"ReadGoogle2019",
     [](const Files& f, const ReadOptions& o, ReadReport* r) {
       return ReadGoogle2019({f[0], f[1], f[2]}, o, r);
     }},
    {"ReadPhilly",
     [](const Files& f, const ReadOptions& o, ReadReport* r) {
       return ReadPhilly({f[0], f[1]}, o, r);
     }},
    {"ReadItp", [](const Files& f, const ReadOptions& o,
                   ReadReport* r) { return ReadItp(f[0], {.read = o}, r); }},
    {"ReadCsv",
     [](const Files& f, const ReadOptions& o, ReadReport* r) {
       return ReadCsv({f[0], f[1], f[2]}, {.processors = 8, .read = o}, r);
     }},
};

// The entry of the name that the line begins with; marks behind it are *flags.
size_t EntryOf(std::string_view line, const std::vector<std::string_view>& names,
               std::string_view* flags) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (!line.starts_with(names[i])) continue;
    const std::string_view behind = line.substr(names[i].size());
    if (!behind.empty() && behind[0] != ' ') continue;
    *flags = behind;
    return i;
  }
  *flags = line;
  return Input(line).Below(names.size());
}

std::string_view NextLine(std::string_view* text) {
  const size_t end = std::min(text->find('\n'), text->size());
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return line;
}

// The trace is valid, its tables are read again, and it can be played.
void CheckTraceThat(const Trace& trace, std::string_view reader) {
  if (const absl::Status s = CheckTrace(trace); !s.ok()) {
    Fail(absl::StrCat(ToAbsl(reader), " made a trace that is refused: ", s.ToString()));
  }
  const CsvText csv = WriteCsv(trace);
  ReadCsv({{"jobs", csv.jobs}, {"nodes", csv.nodes}, {"queues", csv.queues}},
          {.processors = trace.processors})
      .IgnoreError();
  const bool pool = trace.processors > 0;
  int64_t calls = 0;
  ReplayOptions options;
  options.record_placements = true;
  options.should_stop = [&] { return ++calls > 200; };
  const absl::StatusOr<ReplayResult> result = Replay(trace, pool ? "easy" : "muster", options);
  if (!result.ok()) {
    Fail(absl::StrCat(ToAbsl(reader),
                      ": Replay refuses what CheckTrace accepts: ", result.status().ToString()));
  }
}

void PackTrace(const Files& files, const ReadOptions& options) {
  const absl::StatusOr<PackingTrace> trace =
      ReadOpenbPacking({files[0], files[1], files[2], files[3]}, {.read = options});
  if (!trace.ok()) return;
  Require(CheckPackingTrace(*trace).ok(), "ReadOpenbPacking made a trace that is refused");
  Require(ReplayPacking(*trace, "fgd").ok(),
          "ReplayPacking refuses what CheckPackingTrace accepts");
}

}  // namespace

std::vector<std::string_view> ReaderNames() {
  std::vector<std::string_view> names;
  for (const Row& row : kReaders) names.push_back(row.name);
  return names;
}

void FuzzTrace(std::string_view bytes) {
  std::string_view flags;
  const size_t reader = EntryOf(NextLine(&bytes), ReaderNames(), &flags);
  const ReadOptions options{.skip_bad_lines = flags.find('s') != std::string_view::npos,
                            .limits = kFuzzLimits};
  constexpr const char* kNames[] = {"a.csv", "b.csv", "c.csv", "d.csv"};
  Files files;
  for (size_t i = 0; i < files.size(); ++i) files[i] = {kNames[i], NextPart(&bytes)};
  if (kReaders[reader].read == nullptr) return PackTrace(files, options);
  ReadReport report;
  const absl::StatusOr<Trace> trace = kReaders[reader].read(files, options, &report);
  if (trace.ok()) {
    CheckTraceThat(*trace, kReaders[reader].name);
  } else {
    CheckWords(trace.status());
  }
}

void FuzzImport(std::string_view bytes) {
  std::string_view flags;
  const size_t importer = EntryOf(NextLine(&bytes), ImporterNames(), &flags);
  ImportOptions options{.now = 1'767'225'600, .limits = kFuzzLimits};
  options.limits.bytes = 1 << 17;
  if (flags.find('g') == std::string_view::npos) {
    options.profile = std::string(ImporterNames()[importer]);
  }
  options.unset_switches_on = flags.find('u') == std::string_view::npos;
  const std::string_view objects = NextPart(&bytes);
  options.configuration = std::string(NextPart(&bytes));
  const absl::StatusOr<Import> import = ImportObjects(objects, options);
  if (!import.ok()) {
    CheckWords(import.status());
    return;
  }
  CheckJson(WriteReport(import->report), "a report");
  CheckRoundTrip(import->scenario);
  Cluster cluster;
  if (const absl::Status s = Fill(import->scenario, &cluster); !s.ok()) {
    Fail(absl::StrCat("an imported scenario is refused: ", s.ToString(), "\n",
                      WriteScenario(import->scenario)));
  }
  const absl::StatusOr<Plan> plan =
      CheckedSchedule(&cluster, import->scenario.profile, import->scenario.options);
  if (!plan.ok()) Fail(absl::StrCat("an imported profile is refused: ", plan.status().ToString()));
}

}  // namespace muster::fuzz
