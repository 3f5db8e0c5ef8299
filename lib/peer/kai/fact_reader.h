// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The steps of ReadKai (read_facts.h), in the order in which they are called.
#ifndef MUSTER_PEER_KAI_FACT_READER_H_
#define MUSTER_PEER_KAI_FACT_READER_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/kube/inter_classes.h"
#include "lib/peer/kai/read_facts.h"
#include "lib/peer/kai/task_order.h"

namespace muster {

class KaiFactReader {
 public:
  KaiFactReader(const Tables& tables, KaiReading* reading) : tables_(tables), out_(*reading) {}

  void ReadDimensions();
  void ReadNodes();
  void ReadTopologies();
  void ReadQueues();
  void ReadShapes();
  void ReadJobs();
  void ReadForeign();
  void ReadOpening();

 private:
  std::vector<double> VectorOf(std::span<const int64_t> row) const;
  KaiNodeFacts NodeOf(NodeIndex n) const;
  std::vector<QueueIndex> ChildrenOf(QueueIndex q) const;
  static double WeightOf(const Quantity& weight);
  void ReadQueue(QueueIndex q, uint32_t parent);
  KaiShape ShapeOf(ClassIndex c);
  void ReadGpus(const TaskShape& shape, KaiShape* out) const;
  uint32_t ConstraintsOf(ClassIndex c);
  uint32_t OthersOf(const TaskShape& shape);
  std::vector<KaiNearTerm> TermsOf(ClassIndex c, const std::vector<AffinityTerm>& terms,
                                   InterClasses* classes);
  void ReadPorts(const TaskShape& spec, InterClasses* classes, KaiShape* shape);
  void ReadJob(JobIndex j);
  void ReadGroups(const JobSpec& spec, KaiJobFacts* job);
  KaiTopologyWish WishOf(const std::optional<TopologyLevels>& levels);
  void ReadLevel(const std::string& level);
  KaiTaskKey TaskKeyOf(TaskIndex t, size_t number) const;
  void AddTasks(JobIndex j, uint32_t number, KaiJobFacts* job);
  KaiStatus StatusOf(TaskIndex t) const;

  const Tables& tables_;
  KaiReading& out_;
  std::vector<uint32_t> place_of_;  // by dimension of the tables: the place; kKaiNone: none
  std::vector<uint8_t> whole_;      // by dimension of the tables: kept in whole units
  std::vector<uint32_t> node_of_;   // by node of the tables
  std::vector<uint32_t> shape_of_;  // by class; kKaiNone: not read yet
  std::map<uint32_t, uint32_t> constraints_;  // by constraints of a class
  std::map<std::string, uint32_t> others_;    // by terms about other tasks and spreading
  std::map<std::string, uint32_t> topology_of_;
  std::vector<double> most_;  // of nodes, by place
};

}  // namespace muster

#endif  // MUSTER_PEER_KAI_FACT_READER_H_
