// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Makes the calls of a record again, on a cluster of its own. docs/capi.md lists the lines.
//
//   RecordPlayer player({.other = "volcano", .limits = InputLimits()});
//   std::string out;
//   absl::Status status = player.PlayAll(text, &out);   // of line player.line(), where it fails
//
// Promises. Any bytes may be passed: a line that is no call, or a call that cannot be made, ends
// the play with an error. A record is one input: the rows that its cluster holds count against the
// limits.
// Cost. That of the calls.
#ifndef MUSTER_TOOLS_RECORD_PLAYER_H_
#define MUSTER_TOOLS_RECORD_PLAYER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "lib/scenario/budget.h"
#include "muster/cluster.h"
#include "muster/limits.h"
#include "muster/plan.h"

namespace muster {

class RecordPlayer {
 public:
  struct Options {
    std::string other = {};  // a profile to run beside each cycle; empty: none
    int64_t shown = 0;       // the cycle with plans to be shown, the last one played; 0: none
    Limits limits = {};
  };
  explicit RecordPlayer(Options options) : options_(std::move(options)) {}

  // Plays one line, or all lines of a text up to the cycle that is shown. Appends what is to be
  // printed to *out, also if a later call fails.
  absl::Status Play(std::string_view line, std::string* out);
  absl::Status PlayAll(std::string_view text, std::string* out);

  Cluster& cluster() { return cluster_; }
  int64_t line() const { return line_; }  // how many lines were played
  bool begun() const { return begun_; }
  int64_t cycles() const { return cycles_; }
  int64_t different() const { return different_; }  // cycles with another plan than recorded

 private:
  struct Line;  // a line, read as JSON
  // Makes the call of one line. Returns an error if the line is none, or its call cannot be made.
  absl::Status Call(const Line& line, std::string* out);
  // What a line may make. Rows that the cluster holds count, because a record is one input, unless
  // the line replaces them.
  Budget Left(bool replaces) const;
  // `refused`: the rows went in and were taken back.
  absl::Status Add(const ClusterSpec& rows, bool refused);
  absl::Status Update(const ClusterSpec& rows);
  absl::Status SetRecords(const ClusterSpec& rows);
  absl::Status Remove(int64_t kind, const std::string& name);
  absl::Status Schedule(const Line& line, std::string* out);

  const Options options_;
  Cluster cluster_;
  std::deque<std::pair<std::string, Plan>> plans_;  // the last ones, by digest
  bool begun_ = false;
  int64_t line_ = 0, cycles_ = 0, different_ = 0;
};

}  // namespace muster

#endif  // MUSTER_TOOLS_RECORD_PLAYER_H_
