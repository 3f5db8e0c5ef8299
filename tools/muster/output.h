// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What every command prints, in the form of --format and the colors of --color.
//
//   return Show([&] { return ToText(rows); }, [&] { return ToJson(rows); }, {"profiles"});
//
// A table is for readers and may be colored. JSON has everything. CSV has a row for each element of
// lists in that JSON, with a column for each number, text and flag in it.
#ifndef MUSTER_TOOLS_OUTPUT_H_
#define MUSTER_TOOLS_OUTPUT_H_

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/muster/flags.h"

namespace muster {

enum class Format { kTable, kJson, kCsv };

// The flags --format, --json and --color, which every command has.
struct OutputFlags {
  std::string format, color = "auto";  // format "": not given
  bool json = false;
  void Declare(FlagSet* flags);
  // Checks the flags and puts them into force.
  absl::Status Settle();
};

// Without --format and --json it is kTable.
Format OutputFormat();
bool FormatIsGiven();

// Prints one of the two texts, or CSV of the lists of the JSON. A list is named by its path:
// "profiles"; "steps.tasks" are the lists `tasks` in the elements of `steps`, and the columns of
// the outer element come first. Columns that there are whatever the rows, and without any, stand
// behind the name: "steps.tasks=node,task". With several lists, the first column is `table`, the
// list's name.
// "*": one row for each value, as metric,value. Returns the exit code of Print.
int Show(const std::function<std::string()>& table, const std::function<std::string()>& json,
         std::initializer_list<std::string_view> lists);

// Returns CSV of lists in a JSON text, as Show prints it.
std::string CsvOf(const std::string& json, std::initializer_list<std::string_view> lists);

// Returns the text with escape sequences of a terminal: titles and what stands in front of a colon
// are bold, words such as `bind`, `FAILED`, `pending` and `waits` have their colors. As it is where
// --color allows none.
std::string Colored(std::string_view text);
// Returns whether what goes to standard error is colored.
bool ColorsErrors();

}  // namespace muster

#endif  // MUSTER_TOOLS_OUTPUT_H_
