// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Standard Workload Format, as the Parallel Workloads Archive keeps its logs.
//
// A line has 18 numbers with blanks between them: 1 job, 2 submit, 3 wait, 4 run, 5 processors
// used, 6 cpu time, 7 memory used, 8 processors requested, 9 time requested, 10 memory requested,
// 11 status, 12 user, 13 group, 14 application, 15 queue, 16 partition, 17 preceding job, 18 think
// time. Comments begin with `;`; of those of the header, MaxProcs is read. Cpu time and memory may
// have fractions and are not looked at.
#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/replay/line_reader.h"
#include "lib/replay/log_jobs.h"
#include "lib/replay/table_reader.h"

namespace muster {
namespace {

constexpr size_t kFields = 18;
struct SwfField {
  size_t position;  // from 1
  const char* name;
  int64_t LogRow::*cell;
};
constexpr SwfField kRead[] = {{1, "job", &LogRow::id},
                              {2, "submit", &LogRow::submit},
                              {4, "run", &LogRow::run},
                              {5, "processors used", &LogRow::used_processors},
                              {8, "processors requested", &LogRow::requested_processors},
                              {9, "time requested", &LogRow::requested_time},
                              {12, "user", &LogRow::user},
                              {15, "queue", &LogRow::queue},
                              {17, "preceding job", &LogRow::preceding},
                              {18, "think time", &LogRow::think}};

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

size_t SplitBlanks(std::string_view line, std::array<std::string_view, kFields>* fields) {
  size_t count = 0, at = 0;
  while (at < line.size()) {
    if (IsBlank(line[at])) {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < line.size() && !IsBlank(line[at])) ++at;
    if (count < kFields) (*fields)[count] = line.substr(begin, at - begin);
    ++count;
  }
  return count;
}

// "; MaxProcs: 100"
std::optional<int64_t> HeaderProcessors(std::string_view line) {
  constexpr std::string_view kKey = "MaxProcs:";
  const size_t key = line.find(kKey);
  if (key == std::string_view::npos) return std::nullopt;
  line.remove_prefix(key + kKey.size());
  std::array<std::string_view, kFields> words;
  if (SplitBlanks(line, &words) == 0) return std::nullopt;
  const absl::StatusOr<int64_t> number = ParseInteger(words[0]);
  if (!number.ok() || *number <= 0) return std::nullopt;
  return *number;
}

}  // namespace

absl::StatusOr<Trace> ReadSwf(const TraceFile& file, const LogOptions& options,
                              ReadReport* report) {
  ReadReport unread;
  if (report == nullptr) report = &unread;
  Budget budget(options.read.limits);
  LineReader lines(file, &budget);
  BadLines bad(options.read, report);
  std::optional<LogJobs> jobs;
  std::string_view line;
  std::array<std::string_view, kFields> fields;
  while (lines.Next(&line)) {
    size_t begin = 0;
    while (begin < line.size() && IsBlank(line[begin])) ++begin;
    if (begin == line.size()) continue;
    if (line[begin] == ';') {
      if (!report->header_processors.has_value()) {
        report->header_processors = HeaderProcessors(line);
      }
      continue;
    }
    ++report->lines;
    if (!jobs.has_value()) {
      const int64_t processors =
          options.processors > 0 ? options.processors : report->header_processors.value_or(0);
      if (absl::Status s = CheckProcessors(
              file.name, processors, "the header names no MaxProcs; set the number of processors");
          !s.ok()) {
        return s;
      }
      jobs.emplace(processors, options.filter);
    }
    const size_t count = SplitBlanks(line, &fields);
    LogRow row;
    std::string wrong_field, rule;
    if (count != kFields) {
      rule = absl::StrCat(count, " fields; there must be ", kFields, ", separated by blanks");
    }
    for (const SwfField& field : kRead) {
      if (!rule.empty()) break;
      const absl::StatusOr<int64_t> value = ParseInteger(fields[field.position - 1]);
      if (value.ok()) {
        row.*field.cell = *value;
      } else {
        wrong_field = absl::StrCat("field ", field.position, " (", field.name, ")");
        rule = std::string(value.status().message());
      }
    }
    if (const std::string most = budget.AddRows(1); !most.empty()) {
      return absl::ResourceExhaustedError(absl::StrCat(file.name, ":", lines.number(), ": ", most));
    }
    const absl::Status added =
        rule.empty() ? jobs->Add(row) : bad.Note(file.name, lines.number(), wrong_field, rule);
    if (!added.ok()) return added;
  }
  if (!lines.status().ok()) return lines.status();
  if (!jobs.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(file.name, ": there is no job in it"));
  }
  return std::move(*jobs).Finish(file.name, report);
}

}  // namespace muster
