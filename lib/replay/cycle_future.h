// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// One future of a cluster under any profile: cycles decide, jobs run as long as they are told to.
//
//   CycleFuture future(cluster.Clone(), "muster", /*extensions=*/{}, now, arrivals);
//   for (each job of the cluster) future.Expect(job, run);
//   absl::Status status = future.Play(/*target=*/"", /*most_events=*/100000);
//   const int64_t start = future.start("train");
//
// Rules. A cycle runs after all events of an instant, while some task waits, and again while it
// decides something. A bound task runs at once, an evicted one waits again at once. A job runs
// while as many of its tasks do as it needs, and ends after its run time. One that is stopped
// begins anew.
//
// Cost. That of the cycles, and O(rows) for the first one.
#ifndef MUSTER_REPLAY_CYCLE_FUTURE_H_
#define MUSTER_REPLAY_CYCLE_FUTURE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/base/hash_map.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/replay/arrivals.h"
#include "muster/cluster.h"

namespace muster {

class CycleFuture {
 public:
  struct Arrival {
    int64_t time = kNever;  // kNever: there is none
    JobSpec job = {};
    int64_t run = 1;
  };

  // `arrivals` returns the next submission, by time after `now`. The profile may name policies and
  // actions of `extensions`; null: there are none.
  CycleFuture(Cluster cluster, std::string profile, std::shared_ptr<const Extensions> extensions,
              int64_t now, std::function<Arrival()> arrivals);

  // Of each job of the cluster, once: how long it runs from its start on.
  void Expect(JobIndex job, int64_t run);
  // `should_stop` is called between cycles; Play ends once it returns true. Empty: it is not. It
  // must outlive this.
  void Watch(const std::function<bool()>& should_stop) { should_stop_ = &should_stop; }
  // Plays until the job has started, or all jobs that waited at the beginning if `target` is kNone,
  // or so many events are over, or the watch ended it. Fails as Cluster::Schedule does. Adds to
  // `*events`.
  absl::Status Play(JobIndex target, int64_t most_events, int64_t* events);
  // Of a job that was expected. kAbsent: it has not started.
  int64_t start(JobIndex job) const;
  // Returns whether the watch ended Play.
  bool stopped() const { return stopped_; }

  Cluster& cluster() { return cluster_; }

 private:
  struct Known {
    int64_t run = 1, start = kAbsent;
    bool awaited = false;  // it waited at the beginning
    bool runs = false;
    uint32_t turn = 0;  // grows when its end becomes void
  };
  struct End {
    int64_t time;
    uint32_t number;
    std::string job;
    uint32_t turn;
    bool operator>(const End& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  const Tables& tables() const { return TablesOf(cluster_); }
  Editor& editor() { return ImplOf(cluster_).editor; }
  std::string NameOf(JobIndex job) const { return std::string(tables().jobs.names.name(job)); }
  int64_t Running(JobIndex job) const;
  int64_t Needed(JobIndex job) const;
  bool Waits(JobIndex job) const;
  bool SomeWait() const;
  void Begin(JobIndex job, Known* known, int64_t start);
  absl::Status Cycles(int64_t* events);
  bool Follow(const Plan& plan);
  void Stop(JobIndex job);
  absl::Status Finish(const End& end);
  absl::Status Arrive();

  Cluster cluster_;
  const std::string profile_;
  const std::shared_ptr<const Extensions> extensions_;
  int64_t now_;
  std::function<Arrival()> arrivals_;
  Arrival next_;
  HashMap<std::string, Known> known_;
  std::vector<std::string> expected_;  // by job at the beginning
  std::priority_queue<End, std::vector<End>, std::greater<End>> ends_;
  uint32_t inserted_ = 0;
  int64_t awaited_ = 0;  // jobs that waited at the beginning and have not started
  const std::function<bool()>* should_stop_ = nullptr;
  bool stopped_ = false;
};

}  // namespace muster

#endif  // MUSTER_REPLAY_CYCLE_FUTURE_H_
