// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The text form of CPU sets.
#include "lib/fit/cpu_set.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace muster {
namespace {

bool Number(absl::string_view text, int* cpu) {
  const bool digits = std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  return digits && absl::SimpleAtoi(text, cpu) && *cpu < CpuSet::kMostCpus;
}

}  // namespace

absl::StatusOr<CpuSet> CpuSet::Parse(std::string_view text) {
  CpuSet cpus;
  if (text.empty()) return cpus;
  const absl::string_view all(text.data(), text.size());
  for (absl::string_view part : absl::StrSplit(all, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, '-');
    int first, last;
    if (ends.size() > 2 || !Number(ends.front(), &first) || !Number(ends.back(), &last)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "CPU set \"", all, "\": \"", part, "\" is no CPU below ", kMostCpus, " and no range"));
    }
    if (first > last) {
      return absl::InvalidArgumentError(
          absl::StrCat("CPU set \"", all, "\": the range \"", part, "\" ends before it begins"));
    }
    for (int cpu = first; cpu <= last; ++cpu) {
      if (cpus.Contains(cpu)) {
        return absl::InvalidArgumentError(
            absl::StrCat("CPU set \"", all, "\": CPU ", cpu, " is named twice"));
      }
      cpus.Add(cpu);
    }
  }
  return cpus;
}

std::string CpuSet::ToString() const {
  std::string text;
  int first = -2, last = -2;
  const auto write = [&] {
    if (first < 0) return;
    absl::StrAppend(&text, text.empty() ? "" : ",", first);
    if (last > first) absl::StrAppend(&text, "-", last);
  };
  ForEach([&](int cpu) {
    if (cpu != last + 1) {
      write();
      first = cpu;
    }
    last = cpu;
  });
  write();
  return text;
}

}  // namespace muster
