// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Traces: jobs with the times they were submitted and the times they ran, and their machine.
//
//   std::string bytes = ...;                       // a file, plain or gzip, that the caller reads
//   muster::ReadReport report;
//   absl::StatusOr<muster::Trace> trace =
//       muster::ReadSwf({"KTH-SP2.swf.gz", bytes}, {.processors = 100}, &report);
//   absl::Status added = muster::AddJob({.submit = 60, .run = 3600, .tasks = 8}, &*trace);
//
// Promises. A trace is plain values: it can be copied, changed and built from nothing. Its jobs are
// columns. Columns that no job needs stay empty, so a job takes some 50 bytes and ten million fit.
// The order of the rows is the order of insertion, which breaks all ties. It need not be the order
// of submission. Readers sort where their format says so.
// Failures. Readers fail with InvalidArgument, naming the file, the line, the field and the rule:
// `a.csv:7: run: "abc" is no integer`. They fail with ResourceExhausted where the files make more
// than ReadOptions::limits admit, and name the sum. The first bad line ends the reading. With
// ReadOptions::skip_bad_lines bad lines are counted instead, and the first ten are kept in the
// report. Rows that the filter of a format drops are not bad, and are counted apart.
// Ownership. Readers look at the bytes during the call only. A trace holds copies.
// Threads. Any number of threads may read one trace at once.
// Cost. A reader makes one pass over the bytes. It never holds an inflated gzip file whole.
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
#include "muster/limits.h"
#include "muster/spec.h"
#include "muster/types.h"

namespace muster {

// The run time of a job that never ends. No time is above it.
inline constexpr int64_t kEndless = int64_t{1} << 53;

// One row of a trace. Times are seconds, 0 to kEndless.
//
//   muster::AddJob({.submit = 60, .run = 3600, .estimate = 7200, .tasks = 4}, &trace);
//
struct TraceJob {
  // Default: the id.
  std::string name = {};
  // The number of the job in its file. Default: the number of its row.
  std::optional<int64_t> id = {};
  // When the job is submitted.
  int64_t submit = 0;
  // The run time on what the job requests; above 0.
  int64_t run = 0;
  // The user's estimate of `run`; above 0. Absent: there is none.
  std::optional<int64_t> estimate = {};
  // All tasks start together, unless min_tasks is less. 1 or more.
  int64_t tasks = 1;
  // The job runs with as few tasks as this, and longer in proportion. 0: as many as `tasks`.
  int64_t min_tasks = 0;
  // Of each task; an index into Trace::shapes. Not used on a pool.
  uint32_t shape = 0;
  // An index into Trace::queues.
  uint32_t queue = 0;
  // An index into Trace::users. kNone: unknown.
  uint32_t user = kNone;
  // The scheduler's priority of the job; higher goes first.
  int32_t priority = 0;
  // When the job should have ended. Absent: there is no deadline.
  std::optional<int64_t> deadline = {};
  // The row of the job that it follows (ReplayOptions::follow_preceding). kNone: it follows none.
  uint32_t preceding = kNone;
  // From the end of that job to this one's submission.
  int64_t think = 0;
};

// A change of a node.
//
//   muster::NodeEvent event{.time = 600, .kind = muster::NodeEvent::Kind::kFail, .name = "n17"};
//
// - kJoin: the node joins. A node with this as its first event is absent until then.
// - kDrain: the node takes no more tasks. Those on it run on.
// - kFail: the node is down. Tasks on it are lost.
// - kReturn: the node is back, after a failure or a drain.
struct NodeEvent {
  enum class Kind : uint8_t { kJoin, kDrain, kFail, kReturn };
  // Seconds, 0 to kEndless.
  int64_t time = 0;
  Kind kind = Kind::kFail;
  // Of a node; or of a domain, which stands for all nodes right below it.
  std::string name = {};
};

// How fast jobs of a model run on a type of hardware.
//
//   trace.speeds.push_back({.model = "resnet", .type = "k80", .workers = 2, .speed = 5'400'000});
//
// The model of a job is the label "model" of its shape, the type of a node its label "gpu-model". A
// job has as many workers as its tasks request of "nvidia.com/gpu", and one a task where that is
// less than one. docs/replay.md has the rules.
struct SpeedRow {
  std::string model = {}, type = {};
  // 1 or more.
  int64_t workers = 1;
  // Millionths of a unit of work a second, of all workers together; 1 to 10^12.
  int64_t speed = 0;
};

// Jobs and their machine.
//
//   muster::Trace trace{.name = "mine", .processors = 64};
//
// The machine is a pool or a list of nodes:
// - A pool has `processors` above 0 and no nodes. Its processors are equal, any job can have any of
//   them, and each task takes one.
// - Otherwise `processors` is 0 and `machine` has nodes.
struct Trace {
  // In errors and reports.
  std::string name = {};
  int64_t processors = 0;
  // Nodes and domains only: queues are in `queues`, and jobs and tasks in the columns.
  ClusterSpec machine = {};
  // In any order. A pool has none.
  std::vector<NodeEvent> node_events = {};
  // What tasks request. Jobs have indices into these, and into queues and users.
  std::vector<TaskShape> shapes = {};
  // Empty: there is one queue, "default".
  std::vector<QueueSpec> queues = {};
  // Their names.
  std::vector<std::string> users = {};
  // Jobs of a model with rows here run on types with rows of the model alone, and `run` is their
  // run time on the fastest of these. All other jobs run as long everywhere. A pool has none.
  std::vector<SpeedRow> speeds = {};

  // Columns with one entry a job, as in TraceJob. An estimate of kAbsent is unknown.
  std::vector<int64_t> id = {}, submit = {}, run = {};
  std::vector<int64_t> estimate = {};
  std::vector<uint32_t> tasks = {}, shape = {}, queue = {}, user = {};
  // Columns that are empty where no job differs from TraceJob{} in them.
  std::vector<int32_t> priority = {};
  std::vector<uint32_t> min_tasks = {};
  std::vector<int64_t> deadline = {};
  std::vector<uint32_t> preceding = {};
  std::vector<int64_t> think = {};
  std::vector<std::string> names = {};

  // Returns the number of jobs.
  size_t size() const { return submit.size(); }
};

// Appends a row, so that all columns keep one length. Fails with InvalidArgument where tasks or
// min_tasks are not in 0 .. 2^32 - 2, and with ResourceExhausted after 2^32 - 2 jobs. All other
// rules are those of CheckTrace.
MUSTER_EXPORT absl::Status AddJob(const TraceJob& job, Trace* trace);

// Returns a row as a struct. REQUIRES: row < trace.size().
MUSTER_EXPORT TraceJob JobOf(const Trace& trace, size_t row);

// Returns the name of a job, or its id where it has none.
MUSTER_EXPORT std::string JobName(const Trace& trace, size_t row);

// Returns a trace with some of the rows, in the order of `rows`. A preceding job that is not among
// them is forgotten. REQUIRES: each of `rows` is below trace.size().
MUSTER_EXPORT Trace SelectJobs(const Trace& trace, const std::vector<uint32_t>& rows);

// Fails with InvalidArgument, naming the job and the rule, where Replay would refuse the trace:
// times out of range, no run time, no tasks, an index beyond its table, columns of unequal length,
// a job that follows itself, a machine with neither nodes nor processors, two nodes or queues of
// one name, two speeds of one model, type and number of workers. A job that ends has at most 2^62
// task-seconds, and 2^43 in a trace with speeds. Cost: O(jobs + nodes).
MUSTER_EXPORT absl::Status CheckTrace(const Trace& trace);

// --- readers ------------------------------------------------------------------------------------

// The contents of a file. Gzip is recognized by its first bytes.
struct TraceFile {
  // The file's name in errors.
  std::string name = {};
  // The reader looks at them during the call only.
  std::string_view bytes = {};
};

// Options of every reader.
struct ReadOptions {
  // True: bad lines are counted and left out. False: the first one fails the call.
  bool skip_bad_lines = false;
  // Of all files of the trace together. Nodes, queues and jobs are rows, and so are the nodes that
  // a reader makes up.
  Limits limits = {};
};

// What became of the lines of the files.
struct ReadReport {
  // Lines that held a row. Headers, comments and empty lines do not count.
  int64_t lines = 0;
  // Jobs of the trace.
  int64_t jobs = 0;
  // Bad lines that were left out, and the errors of the first ten.
  int64_t bad = 0;
  std::vector<std::string> bad_lines = {};
  // Rows that the format's filter left out: the rule, and how many.
  std::vector<std::pair<std::string, int64_t>> dropped = {};
  // Logs: MaxProcs of the header. Absent: the header has none.
  std::optional<int64_t> header_processors = {};
};

// Which jobs of a log are replayed.
enum class LogFilter : uint8_t {
  // As in the study "Improving Backfilling by using Machine Learning to Predict Running Times"
  // (SC'15). Drops jobs with more processors than the machine, without processors, without run time
  // or requested time, and with a negative time of submission. Cuts run times to requested times.
  kStudy,
  // The same, but keeps jobs without a requested time. Their estimate is their run time.
  kRunnable,
};

// Options of the readers of logs.
struct LogOptions {
  // Of the machine. 0: MaxProcs of the header.
  int64_t processors = 0;
  LogFilter filter = LogFilter::kStudy;
  ReadOptions read = {};
};

// Reads the Standard Workload Format: 18 fields a line, `;` begins a comment, -1 is unknown. The
// machine is a pool. Processors of a job are those requested, or those used where none were. Rows
// ascend by job number.
MUSTER_EXPORT absl::StatusOr<Trace> ReadSwf(const TraceFile& file, const LogOptions& options = {},
                                            ReadReport* report = nullptr);

// Reads job_id,submit,run,procs,req_time,user; further columns are ignored. The machine is a pool.
// Rows ascend by job_id.
MUSTER_EXPORT absl::StatusOr<Trace> ReadHpc(const TraceFile& file, const LogOptions& options = {},
                                            ReadReport* report = nullptr);

// Alibaba's GPU cluster of 2023 (openb).
struct OpenbFiles {
  // sn,cpu_milli,memory_mib,gpu,model
  TraceFile nodes = {};
  // name,cpu_milli,memory_mib,num_gpu,gpu_milli[,gpu_spec,qos,...,creation_time,deletion_time]
  TraceFile pods = {};
  // pos,seedNN,...: the order of arrivals, one second apart, which never end. Without bytes: the
  // recorded times.
  TraceFile arrivals = {};
  // node_row,seedNN,...: nodes by rank. Without bytes: the order of the file.
  TraceFile node_rank = {};
};
// Options of ReadOpenb, and of ReadOpenbPacking in packing.h.
struct OpenbOptions {
  // NN of the column seedNN in arrivals and node_rank.
  int64_t seed = 42;
  // Each GPU is also a device of its node, and pods request devices. Profiles with policy devices
  // then give them out one by one. Others read the amounts alone.
  bool devices = false;
  ReadOptions read = {};
};
// A pod becomes a job of one task that requests cpu, memory and "nvidia.com/gpu". A pod that shares
// a GPU requests a part of one; without `devices` the GPUs of a node are one amount.
// Alternatives of gpu_spec become a node affinity to the label "gpu-model". Pods with recorded
// times that leave no run time are dropped.
MUSTER_EXPORT absl::StatusOr<Trace> ReadOpenb(const OpenbFiles& files,
                                              const OpenbOptions& options = {},
                                              ReadReport* report = nullptr);

// Alibaba's PAI of 2020. Tables may have a header line or none.
struct Alibaba2020Files {
  // job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type
  TraceFile tasks = {};
  // machine,gpu_type,cap_cpu,cap_mem,cap_gpu
  TraceFile machines = {};
  // job_name,inst_id,user,status,start_time,end_time. Without bytes: jobs have no user, and are
  // submitted when they started.
  TraceFile jobs = {};
};
// A row of the tasks (the workers of a job, or its parameter servers) becomes a job: a gang of its
// instances, submitted when its job was. Rows of one job are not tied together. `gpu_type` is what
// a task was given, so it constrains nothing; nodes have it as the label "gpu-model". Rows without
// both times, instances or run time are dropped.
MUSTER_EXPORT absl::StatusOr<Trace> ReadAlibaba2020(const Alibaba2020Files& files,
                                                    const ReadOptions& options = {},
                                                    ReadReport* report = nullptr);

// Google's cells of 2019 (version 3), as flat tables. Further columns are ignored.
struct Google2019Files {
  // time,type,collection_id,collection_type,priority,alloc_collection_id,instance_index,
  // resource_request.cpus,resource_request.memory, rows in any order; `.` may be `_`
  TraceFile instances = {};
  // time,machine_id,type,switch_id,capacity.cpus,capacity.memory
  TraceFile machines = {};
  // collection_id,user. Without bytes: users are unknown.
  TraceFile collections = {};
};
// An instance becomes a job of one task, submitted at its first SUBMIT. Its run time is that of its
// last stay on a machine, from SCHEDULE to FINISH, FAIL, KILL, LOST or EVICT. Bands of priority
// become queues, switches become domains. One unit of cpu is 1,000 cpus, one of memory 1 Ti.
// Machines are those that were ever added, with their first capacity. A machine that is added later
// joins then. One that is removed fails, and returns when it is added again. Dropped are tasks
// inside an alloc instance (which is a job itself), and instances that never started or ended.
MUSTER_EXPORT absl::StatusOr<Trace> ReadGoogle2019(const Google2019Files& files,
                                                   const ReadOptions& options = {},
                                                   ReadReport* report = nullptr);

// Microsoft's Philly.
struct PhillyFiles {
  // timestamp,duration,num_gpus,gpu_time,cluster; rows by time
  TraceFile jobs = {};
  // vc,nodes. Jobs of other virtual clusters are dropped.
  TraceFile vc_nodes = {};
};
// The machine is nodes of 8 GPUs, as many as the virtual clusters have together. Each virtual
// cluster becomes a queue, with its nodes as weight and its GPUs as guarantee. A job of n GPUs
// becomes a gang of equal tasks, as few as there can be with at most 8 GPUs each.
MUSTER_EXPORT absl::StatusOr<Trace> ReadPhilly(const PhillyFiles& files,
                                               const ReadOptions& options = {},
                                               ReadReport* report = nullptr);

// Options of ReadItp.
struct ItpOptions {
  // Nodes of 8 GPUs; the files do not record how many there were. 0: as many as are four fifths
  // busy on average and hold the largest job.
  int64_t nodes = 0;
  ReadOptions read = {};
};
// Reads Microsoft's ITP clusters, raw or with ElasticFlow's columns:
// job_id,submission_time,duration,num_gpu[,deadline]. Jobs become gangs as in ReadPhilly.
MUSTER_EXPORT absl::StatusOr<Trace> ReadItp(const TraceFile& file, const ItpOptions& options = {},
                                            ReadReport* report = nullptr);

// Muster's own tables. docs/replay.md lists all columns.
struct CsvFiles {
  // submit,run and more. `request.R` is the amount of resource R that each task requests.
  TraceFile jobs = {};
  // name,count,domain,capacity.R,label.K. Without bytes: the machine is a pool.
  TraceFile nodes = {};
  // name,parent,weight,guaranteed.R,limit.R. Without bytes: the queues that jobs name.
  TraceFile queues = {};
  // model,type,workers,speed. Without bytes: all jobs run as long everywhere.
  TraceFile speeds = {};
};
// Options of ReadCsv.
struct CsvOptions {
  // Of the pool, where there is no table of nodes.
  int64_t processors = 0;
  ReadOptions read = {};
};
// Reads the tables. Columns go by name, in any order; an unknown one is refused.
MUSTER_EXPORT absl::StatusOr<Trace> ReadCsv(const CsvFiles& files, const CsvOptions& options = {},
                                            ReadReport* report = nullptr);

// The tables of a trace. "": the trace has no nodes, no queues or no speeds.
struct CsvText {
  std::string jobs = {}, nodes = {}, queues = {}, speeds = {};
};
// Writes a trace as tables that ReadCsv reads. What they have no column for is left out.
MUSTER_EXPORT CsvText WriteCsv(const Trace& trace);

}  // namespace muster

#endif  // MUSTER_TRACE_H_
