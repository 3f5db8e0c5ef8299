// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "muster/packing.h"
#include "muster/trace.h"
#include "tests/growth/texts.h"

namespace muster::testing {
namespace {

std::string Lines(const std::string& header, int n, absl::FunctionRef<std::string(int)> line) {
  std::string text = header.empty() ? "" : header + "\n";
  for (int i = 0; i < n; ++i) absl::StrAppend(&text, line(i), "\n");
  return text;
}

Reading Swf(int n) {
  const std::string text = Lines("; MaxProcs: 64", n, [](int i) {
    return absl::StrCat(i + 1, " ", i / 3, " 0 60 4 -1 -1 4 90 -1 1 ", i, " 1 1 1 1 -1 -1");
  });
  return [=] { return ReadSwf({"log", text}).status(); };
}

Reading Hpc(int n) {
  const std::string text = Lines("job_id,submit,run,procs,req_time,user", n,
                                 [](int i) { return absl::StrCat(i, ",", i / 3, ",60,4,90,", i); });
  return [=] { return ReadHpc({"log", text}, {.processors = 64}).status(); };
}

std::string OpenbNodes(int n) {
  return Lines("sn,cpu_milli,memory_mib,gpu,model", n,
               [](int i) { return absl::StrCat("n", i, ",96000,786432,8,m", i % 60); });
}
std::string OpenbPods(int n) {
  return Lines("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,creation_time,deletion_time",
               n, [](int i) {
                 return absl::StrCat("p", i, ",", 1000 + i, ",1024,1,460,m", i % 60, ",", i, ",",
                                     i + 500);
               });
}
Reading Openb(int n) {
  return [nodes = OpenbNodes(n), pods = OpenbPods(n)] {
    return ReadOpenb({{"nodes", nodes}, {"pods", pods}, {}, {}}).status();
  };
}
Reading OpenbPacking(int n) {
  const auto order = [&](const char* row) {
    return Lines(absl::StrCat(row, ",seed42"), n,
                 [&](int i) { return absl::StrCat(i, ",", n - 1 - i); });
  };
  return [nodes = OpenbNodes(n), pods = OpenbPods(n), arrivals = order("pos"),
          rank = order("node_row")] {
    return ReadOpenbPacking(
               {{"nodes", nodes}, {"pods", pods}, {"arrivals", arrivals}, {"rank", rank}})
        .status();
  };
}

Reading Alibaba2020(int n) {
  const std::string tasks = Lines("", n, [](int i) {
    return absl::StrCat("a", i, ",w,2.0,Terminated,", i, ",", i + 60, ",", 100 + i, ",8,25,T4");
  });
  const std::string machines =
      Lines("", n, [](int i) { return absl::StrCat("m", i, ",T", i, ",96,512,2"); });
  const std::string jobs = Lines(
      "", n, [](int i) { return absl::StrCat("a", i, ",i,u", i, ",Terminated,", i, ",", i + 60); });
  return [=] {
    return ReadAlibaba2020({{"tasks", tasks}, {"machines", machines}, {"jobs", jobs}}).status();
  };
}

Reading Google2019(int n) {
  const std::string events = Lines(
      "time,type,collection_id,collection_type,priority,alloc_collection_id,instance_index,"
      "resource_request.cpus,resource_request.memory",
      3 * n, [&](int i) {
        constexpr int kTypes[] = {0, 3, 6};  // submitted, scheduled, finished
        return absl::StrCat(1'000'000ll * i, ",", kTypes[i / n], ",", i % n, ",0,200,0,0,0.01,0.0",
                            i % n + 1);
      });
  const std::string machines =
      Lines("time,machine_id,type,switch_id,capacity.cpus,capacity.memory", n,
            [](int i) { return absl::StrCat("0,", i, ",1,s", i, ",0.5,0.25"); });
  const std::string owners = Lines("time,type,collection_id,priority,user", n,
                                   [](int i) { return absl::StrCat("0,0,", i, ",200,u", i); });
  return [=] {
    return ReadGoogle2019({{"events", events}, {"machines", machines}, {"collections", owners}})
        .status();
  };
}

Reading Philly(int n) {
  const std::string jobs = Lines("timestamp,duration,num_gpus,gpu_time,cluster", n, [](int i) {
    return absl::StrFormat("2017-10-09 %02d:%02d:00,60,%d,60,vc%d", i / 60, i % 60, i % 16 + 1, i);
  });
  const std::string clusters =
      Lines("vc,nodes", n, [](int i) { return absl::StrCat("vc", i, ",2"); });
  return [=] { return ReadPhilly({{"jobs", jobs}, {"vcs", clusters}}).status(); };
}

Reading Itp(int n) {
  const std::string text = Lines("job_id,submission_time,duration,num_gpu", n,
                                 [](int i) { return absl::StrCat(i, ",", i, ",60,", i % 16 + 1); });
  return [=] { return ReadItp({"jobs", text}, {.nodes = 8}).status(); };
}

Reading Csv(int n) {
  const std::string jobs = Lines("submit,run,queue,user,request.cpu", n, [](int i) {
    return absl::StrCat(i, ",60,q", i, ",u", i, ",", i % 8 + 1);
  });
  const std::string nodes =
      Lines("name,capacity.cpu,label.k", n, [](int i) { return absl::StrCat("n", i, ",8,v", i); });
  const std::string queues = Lines("name,parent,weight", n, [](int i) {
    return absl::StrCat("q", i, ",", i > 0 ? absl::StrCat("q", i - 1) : "", ",1");
  });
  return [=] { return ReadCsv({{"jobs", jobs}, {"nodes", nodes}, {"queues", queues}}).status(); };
}
Reading CsvColumns(int n) {
  std::string header = "submit,run", row = "0,60", capacity = "name", node = "n0";
  for (int i = 0; i < n; ++i) {
    absl::StrAppend(&header, ",request.r", i);
    absl::StrAppend(&row, ",1");
    absl::StrAppend(&capacity, ",capacity.r", i);
    absl::StrAppend(&node, ",8");
  }
  return [jobs = absl::StrCat(header, "\n", row, "\n"),
          nodes = absl::StrCat(capacity, "\n", node, "\n")] {
    return ReadCsv({{"jobs", jobs}, {"nodes", nodes}, {}}).status();
  };
}

constexpr GrowingText kTraces[] = {
    {"ReadSwf", "rows", 128, Swf},
    {"ReadHpc", "rows", 128, Hpc},
    {"ReadOpenb", "rows", 128, Openb},
    {"ReadOpenbPacking", "rows", 128, OpenbPacking},
    {"ReadAlibaba2020", "rows", 128, Alibaba2020},
    {"ReadGoogle2019", "rows", 96, Google2019},
    {"ReadPhilly", "rows", 128, Philly},
    {"ReadItp", "rows", 128, Itp},
    {"ReadCsv", "rows", 96, Csv},
    {"ReadCsv", "columns", 96, CsvColumns},
};

}  // namespace

std::span<const GrowingText> GrowingTraces() { return kTraces; }

}  // namespace muster::testing
