// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The kinds of traces that `muster replay` knows.
#include <memory>
#include <span>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "tools/muster/replay.h"

namespace muster {
namespace {

// A file read whole, so that a TraceFile can look at it.
struct Bytes {
  std::string path, bytes;

  absl::Status Load(std::string_view flag) {
    if (path.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(ToAbsl(flag), " is needed: which file?"));
    }
    absl::StatusOr<std::string> text = ReadFile(path);
    if (!text.ok()) return text.status();
    bytes = *std::move(text);
    return absl::OkStatus();
  }
  TraceFile file() const { return {path, bytes}; }
};

class LogSource : public TraceSource {
 public:
  using Reader = absl::StatusOr<Trace> (*)(const TraceFile&, const LogOptions&, ReadReport*);
  explicit LogSource(Reader reader) : reader_(reader) {}

  void Declare(FlagSet* flags) override {
    flags->Value("--file", "FILE", &file_.path, "the log, plain or gzip; - is standard input");
    flags->Value("--procs", "N", &options_.processors,
                 "processors of the machine (swf: else as the header says)");
    flags->Value(
        "--filter", "F", &filter_,
        "study: jobs without a requested time are dropped; runnable: their run time stands in");
    flags->Switch("--skip-bad-lines", &options_.read.skip_bad_lines, "count bad lines, go on");
  }

  absl::StatusOr<Trace> Read(ReadReport* report) override {
    if (filter_ != "study" && filter_ != "runnable") {
      return absl::InvalidArgumentError(
          absl::StrCat("--filter ", Quote(filter_), " is not known; there are study, runnable"));
    }
    options_.filter = filter_ == "study" ? LogFilter::kStudy : LogFilter::kRunnable;
    if (options_.processors < 0) return absl::InvalidArgumentError("--procs is below 0");
    if (absl::Status s = file_.Load("--file"); !s.ok()) return s;
    return reader_(file_.file(), options_, report);
  }

 private:
  const Reader reader_;
  Bytes file_;
  std::string filter_ = "study";
  LogOptions options_;
};

constexpr TraceKind kKinds[] = {
    {"hpc", "a table job_id,submit,run,procs,req_time,user",
     "muster replay hpc --file KTH-SP2.csv.gz --procs 100 --policy easy --decisions out.csv",
     []() -> std::unique_ptr<TraceSource> { return std::make_unique<LogSource>(ReadHpc); }},
    {"swf", "a log in Standard Workload Format",
     "muster replay swf --file KTH-SP2-1996-2.1-cln.swf.gz --policy easy:order=sjf --json",
     []() -> std::unique_ptr<TraceSource> { return std::make_unique<LogSource>(ReadSwf); }},
};

}  // namespace

std::span<const TraceKind> TraceKinds() { return kKinds; }

}  // namespace muster
