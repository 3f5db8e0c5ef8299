// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Calls about the order of jobs over the tree of queues, without nodes.
//
// Where nothing else tells queues apart the peer's session goes by their times and then by their
// UIDs. A queue's time here is its place in that order.
#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/peer/kai/job_queue.h"
#include "lib/peer/kai/world.h"
#include "tests/conformance/probe/kai.h"
#include "tests/conformance/probe/kai_json.h"

namespace muster::testing {
namespace {

using nlohmann::json;

double NumberOf(const json& object, const char* key) {
  const json& value = KaiMember(object, key);
  return value.is_number() ? value.get<double>() : 0;
}

// The world of a call: the queues, and the jobs that are pushed.
class RecordedOrder {
 public:
  explicit RecordedOrder(const json& in) {
    facts_.shapes.push_back({.request = std::vector<double>(facts_.dimensions, 0.0)});
    RankQueues(in["queues"]);
    for (const auto& [key, queue] : in["queues"].items()) AddQueue(in["queues"], key);
    for (const auto& [key, job] : in["jobs"].items()) {
      by_name_[job.value("uid", "") + "/" + job.value("name", "")] = &job;
    }
    for (const json& name : in["pushed"]) AddJob(name.get<std::string>());
    world_.emplace(std::move(facts_), std::move(tree_), std::vector<KaiTopology>(), opening_);
  }

  json Play(const json& in) {
    const json& options = in["options"];
    KaiJobQueue queue(&*world_, {.victims = options["victimQueue"],
                                 .depth = options["maxJobsQueueDepth"].get<int64_t>()});
    for (const json& name : in["pushed"]) queue.Push(JobOf(name.get<std::string>()));
    json played = json::array();
    for (const json& op : in["ops"]) {
      const std::string words = op.get<std::string>();
      if (words.starts_with("push ")) {
        queue.Push(JobOf(words.substr(5)));
        played.push_back(words);
      } else {
        played.push_back(queue.empty() ? "none" : "pop " + names_.at(queue.Pop()->number()));
      }
    }
    return played;
  }

 private:
  void RankQueues(const json& queues) {
    std::vector<std::tuple<double, std::string>> order;
    for (const auto& [key, queue] : queues.items()) {
      order.emplace_back(NumberOf(queue, "created"), key);
    }
    std::ranges::sort(order);
    for (const auto& [created, key] : order) {
      rank_.emplace(key, static_cast<int64_t>(rank_.size()));
    }
  }

  uint32_t AddQueue(const json& queues, const std::string& key) {
    if (const auto known = queue_of_.find(key); known != queue_of_.end()) return known->second;
    const json& queue = queues.at(key);
    KaiQueue row{.name = key, .created = rank_.at(key)};
    if (const std::string parent = queue.value("parent", ""); !parent.empty()) {
      row.parent = AddQueue(queues, parent);
    }
    const uint32_t number = queue_of_[key] = tree_.Add(std::move(row));
    const std::pair<const char*, size_t> resources[] = {
        {"cpu", kKaiCpu}, {"memory", kKaiMemory}, {"gpu", kKaiGpu}};
    for (const auto& [name, r] : resources) {
      const json& amounts = KaiMember(queue["resources"], name);
      KaiShare& share = tree_.share[number][r];
      share.deserved = NumberOf(amounts, "deserved");
      share.max_allowed = NumberOf(amounts, "limit");
      share.over_quota_weight = NumberOf(amounts, "overQuotaWeight");
    }
    return number;
  }

  void AddJob(const std::string& name) {
    const json& recorded = *by_name_.at(name);
    const auto number = static_cast<uint32_t>(facts_.jobs.size());
    KaiJobFacts job;
    job.queue = queue_of_.at(recorded.value("queue", ""));
    job.priority = recorded.value("priority", 0);
    job.created = static_cast<int64_t>(NumberOf(recorded, "created") * 1e9);
    job.uid = number;
    job.groups = {{.sets = {}, .pod_sets = {1}}, {.name = "default", .parent = 0}};
    job.groups[1].is_pod_set = true;
    const json& root = recorded.contains("root") ? recorded["root"] : recorded;
    const json& pod_set = root["podSets"].at(0);
    job.groups[1].minimum = pod_set.value("minAvailable", 0);
    job.pod_sets = {1};
    for (const json& task : pod_set["tasks"]) AddTask(task, number, &job);
    facts_.jobs.push_back(std::move(job));
    names_.push_back(name);
  }

  // A task with an accepted request holds it, whatever its status: the record lacks the job's index
  // by status.
  void AddTask(const json& task, uint32_t job, KaiJobFacts* facts) {
    const auto place = static_cast<uint32_t>(facts->tasks.size());
    facts->tasks.push_back(static_cast<uint32_t>(facts_.tasks.size()));
    facts_.tasks.push_back({.job = job, .place = place, .pod_set = 1, .rank = place});
    opening_.push_back({.status = KaiStatusOf(task)});
    const json& accepted = KaiMember(task, "accepted");
    if (!accepted.is_object()) return;
    facts_.tasks.back().shape = static_cast<uint32_t>(facts_.shapes.size());
    facts_.shapes.push_back(facts_.shapes.front());
    facts_.shapes.back().amounts = KaiAmountsOf(accepted);
    opening_.back().status = KaiStatus::kAllocated;
    tree_.Charge(facts->queue, facts_.shapes.back().amounts, facts->preemptible);
  }

  const KaiJob* JobOf(const std::string& name) {
    const auto at = std::ranges::find(names_, name);
    if (at == names_.end()) {
      throw std::invalid_argument("job \"" + name + "\" is not among those of \"pushed\"");
    }
    return &world_->job(static_cast<uint32_t>(at - names_.begin()));
  }

  KaiFacts facts_;
  KaiQueueTree tree_;
  std::vector<KaiOpening> opening_;
  std::map<std::string, int64_t> rank_;
  std::map<std::string, uint32_t> queue_of_;
  std::map<std::string, const json*> by_name_;
  std::vector<std::string> names_;  // of jobs, by number
  std::optional<KaiWorld> world_;
};

}  // namespace

const KaiAsks& KaiOrderAsks() {
  static const auto* const kAsks = new KaiAsks{
      {"JobsOrderByQueues",
       [](const std::string&, const json& in) { return RecordedOrder(in).Play(in); }},
  };
  return *kAsks;
}

}  // namespace muster::testing
