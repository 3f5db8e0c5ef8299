// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Mesos' sorters and allocator, as their records are written.
#include "lib/peer/mesos/mesos.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tests/conformance/probe/probe.h"

namespace muster::testing {
namespace {
namespace mesos_records {

using nlohmann::json;

// --- sorters

// Columns of names, in the order of arrival.
class Columns {
 public:
  mesos::Bundle BundleOf(const json& row) {
    mesos::Bundle bundle;
    for (const auto& [name, amount] : row.items()) {
      const auto column = columns_.try_emplace(name, static_cast<uint8_t>(columns_.size())).first;
      mesos::Item item{.kind = column->second, .column = column->second};
      item.amount = mesos::Thousandths(amount);
      mesos::Add(bundle, item);
    }
    return bundle;
  }

 private:
  std::map<std::string, uint8_t> columns_;
};

json WalkOf(mesos::Sorter& sorter, const std::vector<std::string>& names) {
  json order = json::array();
  sorter.Start();
  for (uint32_t client; (client = sorter.Next()) != mesos::kNone;) order.push_back(names[client]);
  return order;
}

// Plays the operations of a record; the answers are those of its "sort"s.
json PlaySorter(const json& ops) {
  Columns columns;
  mesos::Totals totals;
  mesos::Sorter sorter(mesos::SortBy::kDrf, &totals);
  std::vector<std::string> names;
  std::map<std::string, uint32_t> clients;
  json answers = json::array();
  for (const json& op : ops) {
    const std::string kind = op["op"], name = op.value("client", "");
    if (kind == "total") {
      totals.amounts = mesos::ScalarSum(columns.BundleOf(op["resources"]));
      ++totals.version;
    } else if (kind == "weight") {
      sorter.SetWeight(op["path"].get<std::string>(), op["weight"]);
    } else if (kind == "add") {
      clients[name] = static_cast<uint32_t>(names.size());
      sorter.Add(name, clients[name]);
      names.push_back(name);
      sorter.SetActive(clients[name], op.value("active", true));
    } else if (kind == "allocated") {
      sorter.Allocated(clients[name], 0, mesos::LoadOf(columns.BundleOf(op["resources"])));
    } else if (kind == "unallocated") {
      sorter.Unallocated(clients[name], 0, mesos::LoadOf(columns.BundleOf(op["resources"])));
    } else if (kind == "activate" || kind == "deactivate") {
      sorter.SetActive(clients[name], kind == "activate");
    } else if (kind == "remove") {
      sorter.Remove(clients[name]);
    } else if (kind == "sort") {
      answers.push_back(WalkOf(sorter, names));
    } else {
      answers.push_back(absl::StrCat("no such operation: ", kind));
    }
  }
  return answers;
}

// Clients and weights of a tree; a node named "." is a client under its parent's own path.
struct RandomTree {
  std::vector<std::string> clients;
  std::map<std::string, double> weights;

  void Read(const json& rows, const std::string& above) {
    for (const json& row : rows) {
      const std::string name = row["name"];
      const std::string path = above.empty() ? name : above + "/" + name;
      if (name == ".") {
        clients.push_back(above);
        continue;
      }
      weights[path] = row["weight"];
      if (!row.contains("children")) clients.push_back(path);
      if (row.contains("children")) Read(row["children"], path);
    }
  }
};

// How often, in many walks, each client stands at each place.
json PlayRandom(const json& state) {
  RandomTree tree;
  tree.Read(state.contains("tree") ? state["tree"] : state["items"], "");
  mesos::Totals totals;
  Rng random(1);
  mesos::Sorter sorter(mesos::SortBy::kRandom, &totals, &random);
  for (const auto& [path, weight] : tree.weights) sorter.SetWeight(path, weight);
  for (uint32_t i = 0; i < tree.clients.size(); ++i) {
    sorter.Add(tree.clients[i], i);
    sorter.SetActive(i, true);
  }
  constexpr int kWalks = 20'000;
  std::vector<std::vector<int>> counts(tree.clients.size(), std::vector<int>(tree.clients.size()));
  for (int walk = 0; walk < kWalks; ++walk) {
    sorter.Start();
    size_t place = 0;
    for (uint32_t client; (client = sorter.Next()) != mesos::kNone;) ++counts[client][place++];
  }
  json answers = json::object();
  for (size_t i = 0; i < counts.size(); ++i) {
    for (const int count : counts[i]) {
      answers[tree.clients[i]].push_back(static_cast<double>(count) / kWalks);
    }
  }
  return answers;
}

// --- the allocator

std::vector<mesos::Resource> ResourcesOf(const json& row) {
  std::vector<mesos::Resource> resources;
  for (const auto& [name, amount] : row.items()) {
    resources.push_back({.kind = {.name = name}, .amount = amount});
  }
  return resources;
}

mesos::NamedAmounts NamedOf(const json& event, const char* key) {
  return event.value(key, json::object()).get<mesos::NamedAmounts>();
}

class Events {
 public:
  absl::StatusOr<json> Play(const json& events) {
    absl::StatusOr<std::unique_ptr<mesos::Allocator>> made = mesos::Allocator::Make({});
    if (!made.ok()) return made.status();
    allocator_ = *std::move(made);
    // With an "allocate" among the events there is no round but that.
    bool once = false;
    for (const json& event : events) once = once || event["event"] == "allocate";
    for (const json& event : events) {
      const std::string kind = event["event"];
      if (kind == "allocate") {
        Allocate();
      } else if (kind == "repeat") {
        for (int i = 0; i < event["times"].get<int>(); ++i) {
          if (i > 0) Allocate();
          if (absl::Status status = DeclineAll(); !status.ok()) return status;
        }
      } else {
        if (absl::Status status = Play(kind, event); !status.ok()) return status;
        if (!once) Allocate();
      }
    }
    return offers_;
  }

 private:
  absl::Status Play(const std::string& kind, const json& event) {
    if (kind == "addFramework") {
      const auto roles = event["roles"].get<std::vector<std::string>>();
      role_of_[event["framework"]] = roles.front();
      return allocator_->AddFramework({.name = event["framework"], .roles = roles});
    }
    if (kind == "addAgent") {
      mesos::AgentSpec spec{.name = event["agent"]};
      spec.resources = ResourcesOf(event["resources"]);
      if (event.contains("allocatedTo")) {
        const std::string framework = event["allocatedTo"];
        spec.used.push_back({framework, role_of_[framework], spec.resources});
      }
      return allocator_->AddAgent(spec);
    }
    if (kind == "weight") {
      return allocator_->SetWeight(event["role"].get<std::string>(), event["weight"]);
    }
    if (kind == "quota") {
      // The tests of the peer limit a role to its guarantees unless they name limits.
      const char* const limits = event.contains("limits") ? "limits" : "guarantees";
      return allocator_->SetQuota(event["role"].get<std::string>(), NamedOf(event, "guarantees"),
                                  NamedOf(event, limits));
    }
    return absl::InvalidArgumentError(absl::StrCat("no such event: ", kind));
  }

  void Allocate() {
    allocator_->ConsiderAll();
    for (mesos::Offer& offer : allocator_->Allocate()) {
      json resources = json::object();
      for (const mesos::Item& item : offer.resources) {
        resources[allocator_->KindOf(item.kind).name] = mesos::ValueOf(item.amount);
      }
      offers_.push_back({{"agent", allocator_->AgentName(offer.agent)},
                         {"framework", allocator_->FrameworkName(offer.framework)},
                         {"role", allocator_->RoleName(offer.role)},
                         {"resources", resources}});
      open_.push_back(std::move(offer));
    }
  }

  absl::Status DeclineAll() {
    for (const mesos::Offer& offer : std::exchange(open_, {})) {
      if (absl::Status status = allocator_->Recover(offer, {}); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  std::unique_ptr<mesos::Allocator> allocator_;
  std::map<std::string, std::string> role_of_;  // of a framework
  std::vector<mesos::Offer> open_;
  json offers_ = json::array();
};

}  // namespace mesos_records
}  // namespace

absl::StatusOr<nlohmann::json> AskMesos(const nlohmann::json& request) {
  const nlohmann::json& asked = request["mesos"];
  const nlohmann::json& state = asked["state"];
  if (state.contains("ops")) return mesos_records::PlaySorter(state["ops"]);
  if (state.contains("events")) return mesos_records::Events().Play(state["events"]);
  if (asked["config"].value("sorter", "") == "random") return mesos_records::PlayRandom(state);
  return absl::InvalidArgumentError("a record has ops, events, or a random sorter");
}

}  // namespace muster::testing
