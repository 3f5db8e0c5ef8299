// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Lines and fields of a trace file, plain or gzip.
//
//   LineReader lines(file);
//   std::string_view line;
//   while (lines.Next(&line)) Use(line);          // without its end, "\n" or "\r\n"
//   if (!lines.status().ok()) return lines.status();
//
// A gzip file is inflated some hundred kilobytes at a time, and may consist of several members.
// Errors: more bytes than the budget has, once they are inflated; data that is cut off or damaged
// (after how many lines); lines above a megabyte, which no trace has.
#ifndef MUSTER_REPLAY_LINE_READER_H_
#define MUSTER_REPLAY_LINE_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/scenario/budget.h"
#include "muster/trace.h"

namespace muster {

class LineReader {
 public:
  LineReader(const TraceFile& file, Budget* budget);
  ~LineReader();

  bool Next(std::string_view* line);          // the view is valid until the next call
  int64_t number() const { return number_; }  // of the line that Next returned last, from 1
  const absl::Status& status() const { return status_; }
  const std::string& file() const { return file_; }

 private:
  struct Inflater;
  bool Charge(size_t bytes);
  bool Refill();  // more text behind what is left; false: there is none

  const std::string file_;
  std::string_view rest_;  // text that was not handed out yet
  std::string buffer_;     // what rest_ points into, for gzip
  Budget* budget_;
  std::unique_ptr<Inflater> inflater_;  // null: plain, or inflated to the end
  std::string damage_;                  // of the gzip data behind rest_
  int64_t number_ = 0;
  absl::Status status_;
};

// Returns an error with what a field should be, and is not: `"abc" is no integer`.
absl::StatusOr<int64_t> ParseInteger(std::string_view field);
// A decimal number ("66.0", "1e3"), rounded up to whole units of 1 / `scale`. No NaN, no infinity,
// nothing beyond 2^53 units.
absl::StatusOr<int64_t> ParseScaled(std::string_view field, int64_t scale);

}  // namespace muster

#endif  // MUSTER_REPLAY_LINE_READER_H_
