// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The slow twin of shared cards: every card judged by every rule each time, instances of partitions
// one by one.
#ifndef MUSTER_REFERENCE_PEER_VOLCANO_CARDS_H_
#define MUSTER_REFERENCE_PEER_VOLCANO_CARDS_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::reference {

// One GPU and what tasks have of it.
struct GpuCard {
  struct Held {
    std::string group;
    int memory = 0, cores = 0;
  };
  struct Kind {
    std::string name;
    int memory, count;
  };
  std::string uuid, type;
  int memory = 0, most_tasks = 0;
  int tasks = 0, used_memory = 0, used_cores = 0;
  std::map<std::string, Held> held;
  std::vector<std::vector<Kind>> cuts;  // of a card in partitions: the ways to cut it
  int cut = -1;                         // the one in force
  std::set<int> instances;              // in use, by position
};

struct CardQuestion {
  struct Container {
    int count = 0, memory = 0, percent = -1, cores = 0;  // percent below 0: not given
  };
  std::vector<Container> containers;
  std::string order;  // "", "binpack" or "spread"
  std::set<std::string> use_uuids, avoid_uuids;
  std::vector<std::string> use_types, avoid_types;  // upper case; empty: not given
  std::string apart_from;                           // a group
  std::set<int> barred;
};

struct CardChoice {
  struct Given {
    int card, memory, cores;
    int cut = -1, position = -1;
    friend bool operator==(const Given&, const Given&) = default;
  };
  std::vector<std::vector<Given>> containers;
  double score = 0;
};

// Nothing: not all containers get theirs. Otherwise the cards are charged.
std::optional<CardChoice> ChooseGpus(const CardQuestion& question, bool partitions, int factor,
                                     std::vector<GpuCard>* cards);

struct Npu {
  int memory = 0, cores = 0, most_tasks = 0, tasks = 0, used_memory = 0, used_cores = 0;
  bool shares_cores = false;
  int network = -1;
};

struct NpuQuestion {
  std::vector<CardQuestion::Container> containers;
  std::string order;
  bool by_cores = false;
  bool named_networks = false;  // a model with networks that matter, if all cards have one
  std::vector<int> templates;
  int allocatable = 0, capacity = 0;
};

struct NpuChoice {
  std::vector<std::pair<int, std::vector<int>>> containers;  // memory, cards
  double score = 0;
};

std::optional<NpuChoice> ChooseNpus(const NpuQuestion& question, const std::vector<Npu>& cards);

}  // namespace muster::reference

#endif  // MUSTER_REFERENCE_PEER_VOLCANO_CARDS_H_
