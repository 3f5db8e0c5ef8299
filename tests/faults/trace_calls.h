// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Calls of muster_replay and of bounds, for the sweep of tests/faults/memory_test.cc: readers of
// traces, mixes, replays, packing, metrics, statistics, bounds and forecasts.
#ifndef MUSTER_TESTS_FAULTS_TRACE_CALLS_H_
#define MUSTER_TESTS_FAULTS_TRACE_CALLS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "muster/bound.h"
#include "muster/forecast.h"
#include "muster/metrics.h"
#include "muster/mix.h"
#include "muster/packing.h"
#include "muster/quantity.h"
#include "muster/replay.h"
#include "muster/statistics.h"
#include "muster/trace.h"
#include "muster/trace_bound.h"
#include "tests/faults/fault_world.h"

namespace muster {

using FaultCalls = std::map<std::string, std::function<void(FaultWorld&)>>;

// A call that did not do its work would not be swept.
template <class T>
void MustDo(const absl::StatusOr<T>& done) {
  MustBeOk(done.status());
}

inline Trace FaultTrace(bool pool) {
  Trace trace;
  if (pool) {
    trace.processors = 8;
  } else {
    trace.machine.nodes = {
        {.name = "a node with a name of some length", .capacity = {{"cpu", 8}, {"pods", 20}}}};
  }
  trace.shapes = {{.request = {{"cpu", 1}}}};
  for (const int64_t tasks : {4, 8}) {
    (void)AddJob({.submit = 5, .run = 60, .estimate = 90, .tasks = tasks}, &trace);
  }
  return trace;
}

inline OpenbFiles FaultOpenb() {
  OpenbFiles files;
  files.nodes = {"nodes", "sn,cpu_milli,memory_mib,gpu,model\nn1,8000,64,2,a model of GPUs\n"};
  files.pods = {"pods",
                "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
                "deletion_time,scheduled_time\np1,1000,8,1,500,,LS,Running,3,9,4\n"};
  return files;
}

inline void AddReaderCalls(FaultCalls* calls) {
  FaultCalls& c = *calls;
  c["ReadSwf"] = [](FaultWorld&) {
    MustDo(ReadSwf({"a log of some length.swf",
                    "; MaxProcs: 8\n"
                    "1 0 0 60 4 -1 -1 4 90 -1 1 1 1 1 1 -1 -1 -1\n"
                    "2 5 0 30 8 -1 -1 8 90 -1 1 2 1 1 1 -1 -1 -1\n"}));
  };
  c["ReadHpc"] = [](FaultWorld&) {
    MustDo(
        ReadHpc({"a table of some length", "job_id,submit,run,procs,req_time,user\n1,0,9,4,9,7\n"},
                {.processors = 8}));
  };
  c["ReadCsv"] = [](FaultWorld&) {
    CsvFiles files;
    files.jobs = {"jobs of some length.csv", "submit,run,tasks,user\n0,60,4,7\n5,30,8,9\n"};
    MustDo(ReadCsv(files, {.processors = 8}));
  };
  c["ReadItp"] = [](FaultWorld&) {
    MustDo(ReadItp({"itp", "job_id,submission_time,duration,num_gpu\n1,0,90,8\n2,100,9,1\n"}));
  };
  c["ReadPhilly"] = [](FaultWorld&) {
    MustDo(ReadPhilly(
        {{"jobs", "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,60,2,120,a\n"},
         {"nodes", "vc,nodes\na,2\n"}}));
  };
  c["ReadOpenb"] = [](FaultWorld&) { MustDo(ReadOpenb(FaultOpenb())); };
  c["ReadAlibaba2020"] = [](FaultWorld&) {
    MustDo(ReadAlibaba2020({{"tasks", "j,worker,1,Terminated,5,9,100,2,25,T4\n"},
                            {"machines", "m,T4,96,512,2\n"},
                            {}}));
  };
  c["ReadGoogle2019"] = [](FaultWorld&) {
    MustDo(ReadGoogle2019({{"events",
                            "time,type,collection_id,instance_index,collection_type,priority,"
                            "alloc_collection_id,machine_id,resource_request.cpus,"
                            "resource_request.memory\n"
                            "0,0,7,0,0,200,0,,0.01,0.002\n0,3,7,0,0,200,0,5,0.01,0.002\n"
                            "9,6,7,0,0,200,0,5,0.01,0.002\n"},
                           {"machines",
                            "time,machine_id,type,capacity.cpus,capacity.memory\n"
                            "0,5,1,0.5,0.25\n"},
                           {"collections", "collection_id,user\n7,a user of some length\n"}}));
  };
  c["TraceRows"] = [](FaultWorld&) {
    const Trace trace = FaultTrace(/*pool=*/true);
    MustBeOk(CheckTrace(trace));
    (void)JobOf(trace, 0);
    (void)JobName(trace, 1);
    (void)SelectJobs(trace, {1});
    (void)WriteCsv(trace);
  };
  // A distribution has 18 values.
  std::string values = "[1";
  for (int i = 1; i < 18; ++i) values += ", 60";
  const std::string text =
      R"({"muster_mix": 1, "processors": 8, "jobs": [{"weight": 1, "tasks": 4}], "run": )" +
      values + R"(], "gaps": )" + values + "]}";
  c["Mixes"] = [text](FaultWorld&) {
    const absl::StatusOr<TraceMix> mix = ParseTraceMix({"a mix", text});
    MustDo(mix);
    if (mix.ok()) (void)CheckMix(*mix);
    const absl::StatusOr<TraceMix> named = NamedTraceMix(TraceMixNames()[0]);
    if (named.ok()) MustDo(GenerateTrace(*named, {.jobs = 3, .nodes = 2}));
  };
  c["Quantities"] = [](FaultWorld&) {
    (void)ParseQuantity("no quantity, but a text of some length", Unit::kMilli);
    (void)FormatQuantity(int64_t{1} << 52, Unit::kWhole);
  };
}

inline void AddResultCalls(FaultCalls* calls) {
  FaultCalls& c = *calls;
  for (const char* policy : {"easy", "volcano"}) {
    c[std::string("Replay_") + policy] = [policy](FaultWorld&) {
      MustDo(Replay(FaultTrace(/*pool=*/false), policy));
    };
  }
  c["Measure"] = [](FaultWorld&) {
    const Trace trace = FaultTrace(/*pool=*/true);
    const absl::StatusOr<ReplayResult> result = Replay(trace, "easy");
    if (result.ok()) (void)Measure(trace, *result);
  };
  c["Packing"] = [](FaultWorld&) {
    (void)PackingPolicies();
    OpenbFiles files = FaultOpenb();
    files.arrivals = {"arrivals", "pos,seed42\n0,0\n"};
    files.node_rank = {"ranks", "node_row,seed42\n0,0\n"};
    const absl::StatusOr<PackingTrace> trace = ReadOpenbPacking(files);
    MustDo(trace);
    if (!trace.ok()) return;
    (void)CheckPackingTrace(*trace);
    MustDo(ReplayPacking(*trace, "fgd"));
  };
  c["Statistics"] = [](FaultWorld&) {
    const std::vector<double> values = {1, 2, 4, 8};
    const BootstrapOptions few{.resamples = 5};
    (void)(Percentile(values, 50) + NormalQuantile(0.9) + StudentQuantile(0.9, 3));
    MustDo(MeanInterval(values));
    MustDo(BootstrapMean(values, few));
    MustDo(BootstrapMedian(values, few));
    MustDo(BootstrapRatio(values, values, few));
    MustDo(LeastSquares(values, {{1, 2, 3, 5}}));
  };
  c["TraceBounds"] = [](FaultWorld&) {
    MustDo(BoundTrace(FaultTrace(/*pool=*/true), {.rounds = 2, .steps = 16}));
  };
  c["Bounds"] = [](FaultWorld& w) {
    const Snapshot snapshot = w.cluster.Freeze();
    const absl::StatusOr<Bound> bound = BoundOf(snapshot);
    if (bound.ok()) (void)Proven(bound->program, 0, bound->proofs[0].prices);
    MustDo(GapOf(snapshot, *w.plan));
    MustDo(BestOf(snapshot, {.work = 100}));
  };
  c["Forecasts"] = [](FaultWorld& w) {
    MustDo(Forecast(w.cluster, "volcano", FaultTrace(/*pool=*/false), {.futures = 3}));
    const absl::StatusOr<TraceForecast> told =
        ForecastTrace(FaultTrace(/*pool=*/true), "easy", {.futures = 3});
    MustDo(told);
    if (told.ok()) (void)MeasureForecast(*told);
  };
}

}  // namespace muster

#endif  // MUSTER_TESTS_FAULTS_TRACE_CALLS_H_
