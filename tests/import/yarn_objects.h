// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Answers of YARN's resource manager, for tests of what they become.
#ifndef MUSTER_TESTS_IMPORT_YARN_OBJECTS_H_
#define MUSTER_TESTS_IMPORT_YARN_OBJECTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/import/objects.h"

namespace muster {

inline ObjectJson YarnNode(const std::string& id, const std::string& host, int64_t used,
                           int64_t free) {
  return {{"id", id},
          {"nodeHostName", host},
          {"rack", "/r0"},
          {"state", "RUNNING"},
          {"usedMemoryMB", used},
          {"availMemoryMB", free},
          {"usedVirtualCores", used / 1024},
          {"availableVirtualCores", free / 1024}};
}

inline ObjectJson YarnRequest(int priority, int64_t count, int64_t memory) {
  return {{"priority", priority},
          {"resourceName", "*"},
          {"numContainers", count},
          {"relaxLocality", true},
          {"capability", {{"memory", memory}, {"vCores", 1}}}};
}

inline ObjectJson YarnApp(const std::string& id, const std::string& queue, int64_t started) {
  return {{"id", id},
          {"user", "ann"},
          {"queue", queue},
          {"priority", 3},
          {"startedTime", started},
          {"state", "RUNNING"},
          {"runningContainers", 0}};
}

inline ObjectJson YarnAnswer(const std::string& list, const std::string& item, ObjectJson items) {
  return {{list, {{item, std::move(items)}}}};
}

// Two nodes, and two applications in leaves of a scheduler with percents.
inline std::vector<ObjectJson> YarnManager() {
  ObjectJson first = YarnApp("application_17_0001", "a", 1'700'000'000'900);
  first["resourceRequests"] = {YarnRequest(20, 5, 1024), YarnRequest(1, 2, 2048)};
  first["runningContainers"] = 2;
  ObjectJson second = YarnApp("application_17_0002", "root.b", 1'700'000'000'100);
  second["resourceRequests"] = YarnRequest(1, 9, 1024);
  ObjectJson ended = YarnApp("application_17_0003", "b", 1);
  ended["state"] = "FINISHED";
  const ObjectJson container = {{"containerId", "container_e08_17_0001_01_000001"},
                                {"allocatedMB", "2048"},
                                {"allocatedVCores", "2"},
                                {"nodeId", "h0:1"},
                                {"containerState", "RUNNING"}};
  const auto queue = [](const std::string& name, double capacity, double most) {
    return ObjectJson{{"type", "capacitySchedulerLeafQueueInfo"},
                      {"queueName", name},
                      {"queuePath", "root." + name},
                      {"mode", "percentage"},
                      {"capacity", capacity},
                      {"maxCapacity", most},
                      {"userLimit", 100},
                      {"userLimitFactor", 10.0},
                      {"maxParallelApps", 2147483647},
                      {"orderingPolicyInfo", "fifo"},
                      {"state", "RUNNING"}};
  };
  return {YarnAnswer("nodes", "node",
                     {YarnNode("h0:1", "h0", 3072, 5120), YarnNode("h1:1", "h1", 0, 8192)}),
          YarnAnswer("apps", "app", {first, second, ended}),
          YarnAnswer("containers", "container", ObjectJson::array({container})),
          {{"scheduler",
            {{"schedulerInfo",
              {{"type", "capacityScheduler"},
               {"queueName", "root"},
               {"capacity", 100.0},
               {"queues", {{"queue", {queue("a", 75.0, 100.0), queue("b", 25.0, 50.0)}}}}}}}}}};
}

inline std::map<std::string, Labels> YarnSettings(const Import& import) {
  std::map<std::string, Labels> settings;
  for (const QueueSpec& queue : import.scenario.cluster.queues) {
    settings[queue.name] = queue.settings;
  }
  return settings;
}

}  // namespace muster

#endif  // MUSTER_TESTS_IMPORT_YARN_OBJECTS_H_
