// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The kinds of traces that `muster replay` reads.
#include <memory>
#include <span>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "tools/muster/mix_flags.h"
#include "tools/muster/replay.h"

namespace muster {
namespace {

// A file read whole, so that a TraceFile can look at it.
struct Bytes {
  std::string path, bytes;

  absl::Status Load(std::string_view flag) {
    if (path.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToAbsl(flag), " is missing; must name a file"));
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
                 "processors of the machine (swf: default as in the header)");
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
    options_.read.limits = InputLimits();
    return reader_(file_.file(), options_, report);
  }

 private:
  const Reader reader_;
  Bytes file_;
  std::string filter_ = "study";
  LogOptions options_;
};

class PhillySource : public TraceSource {
 public:
  void Declare(FlagSet* flags) override {
    flags->Value("--file", "FILE", &jobs_.path, "philly_jobs.csv, plain or gzip");
    flags->Value("--vcs", "FILE", &clusters_.path, "vc_nodes.csv: nodes of each virtual cluster");
    flags->Switch("--skip-bad-lines", &options_.skip_bad_lines, "count bad lines, go on");
  }
  absl::StatusOr<Trace> Read(ReadReport* report) override {
    if (absl::Status s = jobs_.Load("--file"); !s.ok()) return s;
    if (absl::Status s = clusters_.Load("--vcs"); !s.ok()) return s;
    options_.limits = InputLimits();
    return ReadPhilly({jobs_.file(), clusters_.file()}, options_, report);
  }

 private:
  Bytes jobs_, clusters_;
  ReadOptions options_;
};

class ItpSource : public TraceSource {
 public:
  void Declare(FlagSet* flags) override {
    flags->Value("--file", "FILE", &file_.path, "clusterNN.csv, raw or with deadlines");
    flags->Value("--nodes", "N", &options_.nodes,
                 "nodes of 8 GPUs; 0: as many as keep them four fifths busy");
    flags->Switch("--skip-bad-lines", &options_.read.skip_bad_lines, "count bad lines, go on");
  }
  absl::StatusOr<Trace> Read(ReadReport* report) override {
    if (options_.nodes < 0) return absl::InvalidArgumentError("--nodes is below 0");
    if (absl::Status s = file_.Load("--file"); !s.ok()) return s;
    options_.read.limits = InputLimits();
    return ReadItp(file_.file(), options_, report);
  }

 private:
  Bytes file_;
  ItpOptions options_;
};

// Files by their usual names in a folder, or one by one.
class OpenbSource : public TraceSource {
 public:
  void Declare(FlagSet* flags) override {
    flags->Value("--dir", "DIR", &folder_, "the folder of the trace");
    flags->Value("--list", "L", &list_, "which pod list: default, cpu050, gpushare40, ...");
    flags->Switch("--recorded", &recorded_,
                  "pods come and go as recorded; else they come one a second and stay");
    flags->Value("--seed", "N", &options_.seed, "which order of arrivals and rank of nodes");
    flags->Switch("--devices", &options_.devices, "give out each GPU as a device (policy devices)");
    flags->Switch("--skip-bad-lines", &options_.read.skip_bad_lines, "count bad lines, go on");
  }
  absl::StatusOr<Trace> Read(ReadReport* report) override {
    if (folder_.empty()) return absl::InvalidArgumentError("--dir is needed: which folder?");
    nodes_.path = absl::StrCat(folder_, "/openb_node_list_gpu_node.csv");
    pods_.path = absl::StrCat(folder_, "/pods/openb_pod_list_", list_, ".csv.gz");
    arrivals_.path = absl::StrCat(folder_, "/orders/arrivals_", list_, ".csv.gz");
    rank_.path = absl::StrCat(folder_, "/orders/noderank_", list_, ".csv.gz");
    for (Bytes* file : {&nodes_, &pods_}) {
      if (absl::Status s = file->Load("--dir"); !s.ok()) return s;
    }
    if (!recorded_) {
      for (Bytes* file : {&arrivals_, &rank_}) {
        if (absl::Status s = file->Load("--dir"); !s.ok()) return s;
      }
    }
    options_.read.limits = InputLimits();
    return ReadOpenb({nodes_.file(), pods_.file(), arrivals_.file(), rank_.file()}, options_,
                     report);
  }

 private:
  std::string folder_, list_ = "default";
  bool recorded_ = false;
  Bytes nodes_, pods_, arrivals_, rank_;
  OpenbOptions options_;
};

class CsvSource : public TraceSource {
 public:
  void Declare(FlagSet* flags) override {
    flags->Value("--file", "FILE", &jobs_.path, "the table of jobs, plain or gzip");
    flags->Value("--nodes", "FILE", &nodes_.path, "the table of nodes");
    flags->Value("--queues", "FILE", &queues_.path, "the table of queues");
    flags->Value("--speeds", "FILE", &speeds_.path,
                 "the table of speeds: how fast models of jobs run on types of nodes");
    flags->Value("--procs", "N", &options_.processors, "processors of a pool, instead of nodes");
    flags->Switch("--skip-bad-lines", &options_.read.skip_bad_lines, "count bad lines, go on");
  }
  absl::StatusOr<Trace> Read(ReadReport* report) override {
    if (absl::Status s = jobs_.Load("--file"); !s.ok()) return s;
    for (Bytes* file : {&nodes_, &queues_, &speeds_}) {
      if (file->path.empty()) continue;
      if (absl::Status s = file->Load(""); !s.ok()) return s;
    }
    options_.read.limits = InputLimits();
    return ReadCsv({jobs_.file(), nodes_.file(), queues_.file(), speeds_.file()}, options_, report);
  }

 private:
  Bytes jobs_, nodes_, queues_, speeds_;
  CsvOptions options_;
};

// Three tables, of which the last may be missing.
struct TableFlags {
  const char *first, *first_help, *second, *second_help, *third, *third_help;
};

template <class Files, auto kReader>
class TablesSource : public TraceSource {
 public:
  explicit TablesSource(const TableFlags& names) : names_(names) {}

  void Declare(FlagSet* flags) override {
    flags->Value(names_.first, "FILE", &first_.path, names_.first_help);
    flags->Value(names_.second, "FILE", &second_.path, names_.second_help);
    flags->Value(names_.third, "FILE", &third_.path, names_.third_help);
    flags->Switch("--skip-bad-lines", &options_.skip_bad_lines, "count bad lines, go on");
  }
  absl::StatusOr<Trace> Read(ReadReport* report) override {
    if (absl::Status s = first_.Load(names_.first); !s.ok()) return s;
    if (absl::Status s = second_.Load(names_.second); !s.ok()) return s;
    if (!third_.path.empty()) {
      if (absl::Status s = third_.Load(names_.third); !s.ok()) return s;
    }
    options_.limits = InputLimits();
    return kReader(Files{first_.file(), second_.file(), third_.file()}, options_, report);
  }

 private:
  const TableFlags names_;
  Bytes first_, second_, third_;
  ReadOptions options_;
};

std::unique_ptr<TraceSource> MakeAlibaba2020() {
  return std::make_unique<TablesSource<Alibaba2020Files, ReadAlibaba2020>>(TableFlags{
      "--file", "pai_task_table.csv, plain or gzip", "--machines", "pai_machine_spec.csv", "--jobs",
      "pai_job_table.csv: users and submissions; else jobs come when they started"});
}

std::unique_ptr<TraceSource> MakeGoogle2019() {
  return std::make_unique<TablesSource<Google2019Files, ReadGoogle2019>>(
      TableFlags{"--file", "instance_events, as a flat table, plain or gzip", "--machines",
                 "machine_events", "--collections", "collection_events: jobs and users"});
}

// A trace made from a mix instead of one that was recorded.
class MixSource : public TraceSource {
 public:
  void Declare(FlagSet* flags) override { mix_.Declare(flags); }
  absl::StatusOr<Trace> Read(ReadReport* report) override {
    absl::StatusOr<Trace> trace = mix_.Make();
    if (trace.ok()) report->jobs = static_cast<int64_t>(trace->size());
    return trace;
  }

 private:
  MixFlags mix_;
};

// The tables of openb as they are published, without orders of arrivals.
class Alibaba2023Source : public TraceSource {
 public:
  void Declare(FlagSet* flags) override {
    flags->Value("--file", "FILE", &pods_.path, "openb_pod_list_default.csv, plain or gzip");
    flags->Value("--nodes", "FILE", &nodes_.path, "openb_node_list_gpu_node.csv");
    flags->Switch("--skip-bad-lines", &options_.read.skip_bad_lines, "count bad lines, go on");
  }
  absl::StatusOr<Trace> Read(ReadReport* report) override {
    if (absl::Status s = pods_.Load("--file"); !s.ok()) return s;
    if (absl::Status s = nodes_.Load("--nodes"); !s.ok()) return s;
    options_.read.limits = InputLimits();
    return ReadOpenb({nodes_.file(), pods_.file(), {}, {}}, options_, report);
  }

 private:
  Bytes nodes_, pods_;
  OpenbOptions options_;
};

template <class Source>
std::unique_ptr<TraceSource> Make() {
  return std::make_unique<Source>();
}

constexpr TraceKind kKinds[] = {
    {"hpc", "a table job_id,submit,run,procs,req_time,user",
     "muster replay hpc --file KTH-SP2.csv.gz --procs 100 --policy easy --decisions out.csv",
     []() -> std::unique_ptr<TraceSource> { return std::make_unique<LogSource>(ReadHpc); }},
    {"swf", "a log in Standard Workload Format",
     "muster replay swf --file KTH-SP2-1996-2.1-cln.swf.gz --policy easy:order=sjf --json",
     []() -> std::unique_ptr<TraceSource> { return std::make_unique<LogSource>(ReadSwf); }},
    {"philly", "Microsoft's Philly jobs",
     "muster replay philly --file philly_jobs.csv.gz --vcs vc_nodes.csv --policy volcano",
     Make<PhillySource>},
    {"itp", "a cluster of Microsoft's ITP trace",
     "muster replay itp --file cluster01.csv.gz --policy muster", Make<ItpSource>},
    {"openb", "Alibaba's GPU cluster of 2023",
     "muster replay openb --dir openb --list default --seed 42 --policy muster", Make<OpenbSource>},
    {"alibaba2020", "Alibaba's PAI of 2020",
     "muster replay alibaba2020 --file pai_task_table.csv --machines pai_machine_spec.csv "
     "--policy muster",
     MakeAlibaba2020},
    {"alibaba2023", "Alibaba's GPU cluster of 2023, pods as recorded",
     "muster replay alibaba2023 --file openb_pod_list_default.csv --nodes "
     "openb_node_list_gpu_node.csv --policy muster",
     Make<Alibaba2023Source>},
    {"google2019", "a cell of Google's of 2019",
     "muster replay google2019 --file instance_events.csv --machines machine_events.csv "
     "--policy muster",
     MakeGoogle2019},
    {"mix", "a trace made from a mix",
     "muster replay mix --mix philly --nodes 64 --mix-load 0.9 --seed 1 --policy muster",
     Make<MixSource>},
    {"csv", "Muster's own tables of jobs, nodes, speeds and queues",
     "muster replay csv --file jobs.csv --nodes nodes.csv --policy volcano", Make<CsvSource>},
};

}  // namespace

std::span<const TraceKind> TraceKinds() { return kKinds; }

}  // namespace muster
