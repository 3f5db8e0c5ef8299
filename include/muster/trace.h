// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A trace: jobs with the times they were submitted and the times they ran, and the machine they ran on.
//
//   std::string bytes = ...;                                          // a file, plain or gzip; the caller reads it
//   muster::ReadReport report;
//   absl::StatusOr<muster::Trace> trace =
//       muster::ReadSwf({"KTH-SP2.swf.gz", bytes}, {.processors = 100}, &report);
//   absl::Status added = muster::AddJob({.submit = 60, .run = 3600, .tasks = 8}, &*trace);   // or made by hand
//
// Promises. A trace is plain values: copy it, change it, build it from nothing. Its jobs are columns, some 50 bytes
// a job, so that ten million fit; columns that no job needs stay empty. The order of the rows is the order of
// insertion, which breaks all ties; it needs not be the order of `submit`. Readers sort where their format says so.
// Failures. A reader names the file, the line, the field and the rule: `a.csv:7: run: "abc" is no integer`. The
// first bad line ends it, unless the caller asks for bad lines to be left out; then they are counted and the
// first few are kept. What a named filter drops is no bad line and is counted apart. CheckTrace says what Replay
// would refuse.
// Cost. One pass over the bytes; a gzip file is never held whole.
#ifndef MUSTER_TRACE_H_
#define MUSTER_TRACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "muster/cluster.h"
#include "muster/export.h"
#include "muster/spec.h"
#include "muster/types.h"

namespace muster {

// The run time of a job that never ends, and no time is above it.
inline constexpr int64_t kEndless = int64_t{1} << 53;

// A row of a trace. All times are seconds.
struct TraceJob {
  std::string name = {};           // empty: the id
  std::optional<int64_t> id = {};  // the number it has in its file; absent: the row's
  int64_t submit = 0;
  int64_t run = 0;                       // how long it runs on what it asked for
  std::optional<int64_t> estimate = {};  // what the user said; absent: unknown
  int64_t tasks = 1;                     // all start together, unless min_tasks says otherwise
  // Fewer tasks than this and it does not run; with fewer than `tasks` it runs in proportion longer. 0: `tasks`.
  int64_t min_tasks = 0;
  uint32_t shape = 0;     // into Trace::shapes, of each task
  uint32_t queue = 0;     // into Trace::queues
  uint32_t user = kNone;  // into Trace::users
  int32_t priority = 0;
  std::optional<int64_t> deadline = {};  // when it should have ended
  uint32_t preceding = kNone;            // the row of the job it was submitted after
  int64_t think = 0;  // seconds between the end of that one and this one's submission
};

// What happens to a node. Tasks on a failed node are lost; a drained one takes no more.
struct NodeEvent {
  // A node that joins is not there before.
  enum class Kind : uint8_t { kJoin, kDrain, kFail, kReturn };
  int64_t time = 0;
  Kind kind = Kind::kFail;
  std::string name = {};  // of a node, or of a domain: all nodes right below it
};

struct Trace {
  std::string name = {};
  // Where it ran. A pool of processors is a number of equal processors that any job can have any of: `processors`
  // is above 0 and the machine has no nodes. Every task is then one processor.
  int64_t processors = 0;
  // Nodes and domains; its queues are `queues`, its jobs and tasks must be empty.
  ClusterSpec machine = {};
  std::vector<NodeEvent> node_events = {};  // what happened to its nodes meanwhile
  std::vector<TaskShape> shapes = {};
  std::vector<QueueSpec> queues = {};  // none: one queue named "default"
  std::vector<std::string> users = {};

  // The jobs, one entry a row in each column.
  std::vector<int64_t> id = {}, submit = {}, run = {};
  std::vector<int64_t> estimate = {};  // kAbsent: unknown
  std::vector<uint32_t> tasks = {}, shape = {}, queue = {}, user = {};
  // Columns that are empty while no job differs from TraceJob{} in them.
  std::vector<int32_t> priority = {};
  std::vector<uint32_t> min_tasks = {};
  std::vector<int64_t> deadline = {};
  std::vector<uint32_t> preceding = {};
  std::vector<int64_t> think = {};
  std::vector<std::string> names = {};

  size_t size() const { return submit.size(); }
};

// Appends a row and keeps the columns of one length. Refuses counts beyond 2^32 - 2; the rest is CheckTrace's.
MUSTER_EXPORT absl::Status AddJob(const TraceJob& job, Trace* trace);
MUSTER_EXPORT TraceJob JobOf(const Trace& trace, size_t row);
MUSTER_EXPORT std::string JobName(const Trace& trace, size_t row);

// The rows in another order (a permutation, or some of them); preceding rows are renumbered, and forgotten where
// they are not among `rows`.
MUSTER_EXPORT Trace SelectJobs(const Trace& trace, const std::vector<uint32_t>& rows);

// InvalidArgument naming the job and the rule: times below 0 or above 2^53, no run time, no tasks, indices out of
// their tables, columns of unequal length, a job that comes after itself, a machine with neither nodes nor
// processors.
MUSTER_EXPORT absl::Status CheckTrace(const Trace& trace);

// --- readers ---------------------------------------------------------------------------------------------------

// A file's contents and what to call it in messages. Gzip is recognised by its first bytes.
struct TraceFile {
  std::string name = {};
  std::string_view bytes = {};
};

struct ReadOptions {
  bool skip_bad_lines = false;
};

// What became of the lines.
struct ReadReport {
  int64_t lines = 0;  // that held a row; not headers, comments and empty lines
  int64_t jobs = 0;
  int64_t bad = 0;                          // left out on request
  std::vector<std::string> bad_lines = {};  // what was wrong with the first ten of them
  std::vector<std::pair<std::string, int64_t>> dropped = {};  // by rule of the filter
  // For logs: MaxProcs of the header.
  std::optional<int64_t> header_processors = {};
};

// Which jobs of a log are replayed.
enum class LogFilter : uint8_t {
  // As the study "Improving Backfilling by using Machine Learning to Predict Running Times" (SC'15) has it: dropped
  // are jobs of more processors than the machine, without processors, run time or requested time, and of negative
  // submit time. The run time is cut to the requested time.
  kStudy,
  // The same, but a job without a requested time is kept and its run time is its estimate.
  kRunnable,
};

struct LogOptions {
  int64_t processors = 0;  // of the machine; 0: as the header says (MaxProcs)
  LogFilter filter = LogFilter::kStudy;
  ReadOptions read = {};
};

// Standard Workload Format: 18 fields a line, `;` begins a comment, -1 is unknown. Processors are those requested,
// or those used where none were requested. Rows by ascending job number.
MUSTER_EXPORT absl::StatusOr<Trace> ReadSwf(const TraceFile& file, const LogOptions& options = {},
                                            ReadReport* report = nullptr);
// job_id,submit,run,procs,req_time,user and further columns, which are not read. Rows by ascending job_id.
MUSTER_EXPORT absl::StatusOr<Trace> ReadHpc(const TraceFile& file, const LogOptions& options = {},
                                            ReadReport* report = nullptr);

// Alibaba's GPU cluster of 2023 (openb).
struct OpenbFiles {
  TraceFile nodes = {};  // sn,cpu_milli,memory_mib,gpu,model
  // name,cpu_milli,memory_mib,num_gpu,gpu_milli[,gpu_spec,qos,...,creation_time,deletion_time]
  TraceFile pods = {};
  // pos,seedNN,...: arrivals one second apart in that order, which never end. Without bytes: the recorded times.
  TraceFile arrivals = {};
  // node_row,seedNN,...: nodes in the order of their rank. Without bytes: file order.
  TraceFile node_rank = {};
};
struct OpenbOptions {
  int64_t seed = 42;  // which column of arrivals and node_rank
  ReadOptions read = {};
};
// A pod is a job of one task that asks for cpu, memory and "nvidia.com/gpu"; one that shares a GPU asks for a part of it
// (a node's GPUs are one amount here, single devices are not told apart). Alternatives of gpu_spec become a node
// affinity to the label "gpu-model". Pods whose recorded times leave no run time are dropped.
MUSTER_EXPORT absl::StatusOr<Trace> ReadOpenb(const OpenbFiles& files,
                                              const OpenbOptions& options = {},
                                              ReadReport* report = nullptr);

// Alibaba's PAI of 2020, tables with or without their header lines.
struct Alibaba2020Files {
  // job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type
  TraceFile tasks = {};
  TraceFile machines = {};  // machine,gpu_type,cap_cpu,cap_mem,cap_gpu
  // job_name,inst_id,user,status,start_time,end_time. Without bytes: nobody's jobs, submitted when they started.
  TraceFile jobs = {};
};
// A row of the tasks (the workers of a job, or its parameter servers) is a job, a gang of its instances; what else its job
// consists of is not tied to it. It is submitted when its job was. `gpu_type` is what tasks were given, not what they
// asked for, and binds nobody; machines have it as the label "gpu-model". Rows without both times, instances or run time
// are dropped.
MUSTER_EXPORT absl::StatusOr<Trace> ReadAlibaba2020(const Alibaba2020Files& files,
                                                    const ReadOptions& options = {},
                                                    ReadReport* report = nullptr);

// Google's cells of 2019 (version 3), flat tables; further columns are not read.
struct Google2019Files {
  // time,type,collection_id,collection_type,priority,alloc_collection_id,instance_index,resource_request.cpus,
  // resource_request.memory, in any order of rows; `.` may be `_`
  TraceFile instances = {};
  TraceFile machines = {};     // time,machine_id,type,switch_id,capacity.cpus,capacity.memory
  TraceFile collections = {};  // collection_id,user. Without bytes: users are not known
};
// An instance is a job of one task, submitted when it first was; its run time is that of its last stay on a machine, from
// SCHEDULE to FINISH, FAIL, KILL, LOST or EVICT. Tiers of priority are queues. One unit of cpu is 1,000 cpus, one of
// memory 1 Ti. Machines are those that were ever added, as they were first; switches are domains. One that was added later
// joins then; one that was removed fails, and returns when it was added again. Dropped are tasks that run inside an alloc
// instance (which is a job itself), and instances that never started or never ended.
MUSTER_EXPORT absl::StatusOr<Trace> ReadGoogle2019(const Google2019Files& files,
                                                   const ReadOptions& options = {},
                                                   ReadReport* report = nullptr);

// Microsoft's Philly: timestamp,duration,num_gpus,gpu_time,cluster, rows by time. Nodes of 8 GPUs, as many as the
// virtual clusters of vc_nodes.csv (vc,nodes) have together; a queue for each with its nodes as weight and its GPUs as
// guarantee. A job of n GPUs is a gang of equal tasks, as few as there can be with 8 GPUs each at most.
struct PhillyFiles {
  TraceFile jobs = {};
  TraceFile vc_nodes = {};  // jobs of VCs that are not in it are dropped
};
MUSTER_EXPORT absl::StatusOr<Trace> ReadPhilly(const PhillyFiles& files,
                                               const ReadOptions& options = {},
                                               ReadReport* report = nullptr);

// Microsoft's ITP clusters, raw or with ElasticFlow's columns: job_id,submission_time,duration,num_gpu[,deadline].
// Nodes of 8 GPUs, `nodes` of them (sizes are not recorded).
struct ItpOptions {
  // 0: as many as keep them four fifths busy on average, and hold the largest job.
  int64_t nodes = 0;
  ReadOptions read = {};
};
MUSTER_EXPORT absl::StatusOr<Trace> ReadItp(const TraceFile& file, const ItpOptions& options = {},
                                            ReadReport* report = nullptr);

// Muster's own tables; docs/replay.md lists the columns.
struct CsvFiles {
  TraceFile jobs = {};  // submit,run and more; `request.R` is the amount of resource R of each task
  TraceFile nodes = {};  // name,count,domain, capacity.R, label.K; without bytes: a pool
  // name,parent,weight, guaranteed.R, limit.R; without bytes: as the jobs name them.
  TraceFile queues = {};
};
struct CsvOptions {
  int64_t processors = 0;  // of a pool
  ReadOptions read = {};
};
MUSTER_EXPORT absl::StatusOr<Trace> ReadCsv(const CsvFiles& files, const CsvOptions& options = {},
                                            ReadReport* report = nullptr);

// The same tables, as text; "" where the trace has no nodes or queues. What they have no column for is left out.
struct CsvText {
  std::string jobs = {}, nodes = {}, queues = {};
};
MUSTER_EXPORT CsvText WriteCsv(const Trace& trace);

}  // namespace muster

#endif  // MUSTER_TRACE_H_
