// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What a Ray cluster answers: its nodes, its table of placement groups, and what its autoscaler was
// asked for, each as the spec of an object of the group state.ray.io.
//
//   {"apiVersion": "state.ray.io/v1", "kind": "Nodes", "metadata": {"name": "cluster"},
//    "spec": {"nodes": [{"node_id": "ab", "state": "ALIVE", "resources_total": {"CPU": 8}}]}}
//   {"kind": "PlacementGroups", "spec": {"3f": {"strategy": "PACK", "state": "PENDING",
//    "bundles": {"0": {"CPU": 1}}, "bundles_to_node_id": {"0": ""}}}}
//   {"kind": "LoadMetrics", "spec": {"resourceDemand": [[{"CPU": 1}, 2]],
//    "pgDemand": [[{"bundles": [[{"CPU": 1}, 2]], "strategy": "SPREAD"}, 1]]}}
//
// What `ray list nodes` and `ray list placement-groups --detail` print with `--format json` is read
// as it is: an array of objects, each of one node or placement group. It has no strategies, and
// memory is rounded to three decimals of a unit.
//
// Nodes that are alive become nodes, by their names, or ids where a name is another node's, too. A
// placement group becomes a job with its strategy, and its bundles tasks: running where the table
// names their node. Demands become jobs of tasks that wait. The autoscaler's demands list what
// waits of placement groups once more: `pgDemand` is read only where there is no table.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/amounts.h"
#include "lib/import/importer.h"
#include "muster/quantity.h"

namespace muster {
namespace {

constexpr std::string_view kRayGroups[] = {"state.ray.io"};
constexpr KindRule kRayKinds[] = {
    {"Nodes", kRayGroups}, {"PlacementGroups", kRayGroups}, {"LoadMetrics", kRayGroups}};
// The peer does not count tasks.
constexpr int64_t kManyTasksOfRay = 1'000'000;
constexpr int64_t kMostDemands = 1'000'000;
// Of an amount, in whole units or thousandths: what a cluster counts exactly.
constexpr int64_t kMostUnits = int64_t{1} << 53;

std::string ResourceOf(std::string_view name) {
  if (name == "CPU") return "cpu";
  if (name == "GPU") return "nvidia.com/gpu";
  return std::string(name);
}

// Returns the text of the amount. `ray list` prints memory rounded, with a unit ("7.451 GiB"): this
// returns bytes.
std::string AmountText(const Field& amount) {
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {" GiB", "Gi"}, {" MiB", "Mi"}, {" KiB", "Ki"}, {" B", ""}};
  std::string text = amount.ScalarText();
  if (!absl::StrContains(ToAbsl(amount.key()), "memory")) return text;
  for (const auto& [printed, unit] : kUnits) {
    if (!absl::EndsWith(text, ToAbsl(printed))) continue;
    const std::string number = text.substr(0, text.size() - printed.size());
    const absl::StatusOr<int64_t> bytes =
        ParseQuantity(absl::StrCat(number, ToAbsl(unit)), Unit::kWhole);
    return bytes.ok() ? absl::StrCat(*bytes) : text;
  }
  return text;
}

// Returns whether the amount is a number that the cluster counts; refuses others.
bool IsAmount(const Field& amount, bool whole) {
  const std::string text = AmountText(amount);
  const absl::StatusOr<int64_t> units = ParseQuantity(text, whole ? Unit::kWhole : Unit::kMilli);
  const bool large = absl::IsOutOfRange(units.status()) || (units.ok() && *units > kMostUnits);
  double number = 0;
  if (!absl::SimpleAtod(text, &number) || !(number >= 0) || (!units.ok() && !large)) {
    amount.Refuse(absl::StrCat(amount.Describe(), " is no amount; 0 or more is"));
    return false;
  }
  if (large) {
    amount.Refuse(absl::StrCat(amount.Describe(), " is too large; ",
                               whole ? kMostUnits : kMostUnits / 1000, " or less is read"));
  }
  return !large;
}

// Amounts by resource; none where they are not given. The resource that stands for a node itself is
// left out.
Resources ReadResources(const Field& amounts) {
  Resources resources;
  if (!amounts.exists()) return resources;
  if (amounts.kind() != JsonKind::kObject) {
    amounts.RefuseKind("an object of resources and amounts");
    return resources;
  }
  HashSet<std::string> names = {"pods"};  // of the tasks that a node holds
  for (const Field& amount : amounts.Children()) {
    if (absl::StartsWith(ToAbsl(amount.key()), "node:")) continue;
    std::string name = ResourceOf(amount.key());
    if (!names.insert(name).second) {
      amount.Refuse(absl::StrCat("another resource is ", Quote(name), " already"));
    }
    if (!IsAmount(amount, CountsWhole(name))) return {};
    resources.emplace_back(std::move(name), AmountText(amount));
  }
  return resources;
}

BundleStrategy StrategyOf(const Field& strategy) {
  if (strategy.Is("PACK")) return BundleStrategy::kPack;
  if (strategy.Is("SPREAD")) return BundleStrategy::kSpread;
  if (strategy.Is("STRICT_PACK")) return BundleStrategy::kStrictPack;
  if (strategy.Is("STRICT_SPREAD")) return BundleStrategy::kStrictSpread;
  strategy.Refuse(absl::StrCat(strategy.Describe(),
                               " is no strategy; PACK, SPREAD, STRICT_PACK or STRICT_SPREAD is"));
  return BundleStrategy::kNone;
}

// Returns whether a placement group of this state is there. Refuses what is no state of one.
bool IsThere(const Field& state) {
  constexpr std::string_view kStates[] = {"PENDING", "PREPARED", "CREATED", "RESCHEDULING",
                                          "INFEASIBLE"};
  const bool there = std::ranges::any_of(kStates, [&](auto known) { return state.Is(known); });
  if (!there && !state.Is("REMOVED")) {
    state.Refuse(absl::StrCat(state.Describe(), " is no state; PENDING, PREPARED, CREATED, ",
                              "RESCHEDULING, INFEASIBLE or REMOVED is"));
  }
  return there;
}

class RayReader {
 public:
  RayReader(const ImportSource& source, ClusterSpec* cluster)
      : source_(source), cluster_(*cluster) {}

  void Read() {
    const Dump::Objects& lists = source_.dump.OfKind("Nodes");
    for (const ApiObject* object : lists) CountNames(NodesOf(*object));
    for (const ApiObject* object : lists) ReadNodes(NodesOf(*object));
    bool has_table = false;
    for (const ApiObject* object : source_.dump.OfKind("PlacementGroups")) {
      has_table = true;
      if (object->root()["placement_group_id"].given()) ReadListed(*object);
      for (const Field& group : object->spec().Children()) ReadGroup(group);
    }
    for (const ApiObject* object : source_.dump.OfKind("LoadMetrics")) {
      const Field spec = object->spec();
      ReadDemands(spec["resourceDemand"]);
      if (has_table) {
        spec.Quiet({"pgDemand"});
      } else {
        ReadGroupDemands(spec["pgDemand"]);
      }
      if (const Field fixed = spec["requestDemand"]; fixed.truthy()) {
        fixed.Ignored("nothing waits for what programs make the autoscaler keep; it is not read");
      }
      spec.Quiet({"usage", "nodeTypes", "headIp"});
    }
  }

 private:
  // The nodes of an answer, or the one that was listed by itself.
  static std::vector<Field> NodesOf(const ApiObject& object) {
    if (object.root()["node_id"].given()) return {object.root()};
    return object.spec().Items("nodes");
  }

  // Counts for how many nodes each name stands, be it their own or an id.
  void CountNames(const std::vector<Field>& nodes) {
    for (const Field& node : nodes) {
      if (!node["state"].Is("ALIVE")) continue;
      const std::string id = node.Text("node_id"), name = node.Text("node_name");
      ++names_[id];
      if (name != id) ++names_[name];
    }
  }

  void ReadNodes(const std::vector<Field>& nodes) {
    for (const Field& node : nodes) {
      const std::string id = node.Text("node_id"), name = node.Text("node_name");
      if (id.empty()) return node["node_id"].Refuse("missing; each node has an id");
      const Field state = node["state"];
      if (state.Is("DEAD")) {
        node.QuietRest();
        continue;
      }
      if (!state.Is("ALIVE")) {
        return state.Refuse(absl::StrCat(state.Describe(), " is no state; ALIVE or DEAD is"));
      }
      NodeSpec made;
      made.name = name.empty() || names_[name] > 1 ? id : name;
      if (!nodes_.emplace(id, made.name).second) {
        return node["node_id"].Refuse(absl::StrCat(Quote(id), " is listed twice"));
      }
      made.capacity = ReadResources(node.Section("resources_total"));
      made.capacity.emplace_back("pods", kManyTasksOfRay);
      for (const Field& label : node.Section("labels").Children()) {
        made.labels.emplace_back(std::string(label.key()), label.ScalarText());
      }
      node.Quiet({"node_ip", "is_head_node", "state_message", "start_time_ms", "end_time_ms"});
      cluster_.nodes.push_back(std::move(made));
    }
  }

  JobSpec& AddJob(std::string name, BundleStrategy strategy) {
    JobSpec& job = cluster_.jobs.emplace_back();
    job.name = std::move(name);
    job.bundle_strategy = strategy;
    job.created = ++made_;  // the order of the answers
    return job;
  }
  TaskSpec& AddTask(const std::string& job, std::string_view number, Resources request) {
    TaskSpec& task = cluster_.tasks.emplace_back();
    task.name = absl::StrCat(job, "-", ToAbsl(number));
    task.job = job;
    task.shape.request = std::move(request);
    return task;
  }

  void ReadGroup(const Field& group) {
    group.Quiet({"placement_group_id", "name", "stats", "is_detached", "creator_job_id"});
    if (!IsThere(group["state"])) return group.QuietRest();
    const std::string name(group.key());
    AddJob(name, StrategyOf(group["strategy"]));
    const Field nodes = group.Section("bundles_to_node_id");
    for (const Field& bundle : group.Section("bundles").Children()) {
      TaskSpec& task = AddTask(name, bundle.key(), ReadResources(bundle));
      PutOn(nodes[bundle.key()], &task);
    }
  }
  // Runs the bundle on the node of that id, if there is one.
  void PutOn(const Field& node, TaskSpec* task) const {
    if (node.AsText().empty()) return;
    const auto known = nodes_.find(node.AsText());
    if (known == nodes_.end()) {
      return node.Ignored("no node that is alive has this id; the bundle waits");
    }
    task->node = known->second;
    task->status = TaskStatus::kRunning;
  }

  // A placement group as `ray list` prints it.
  void ReadListed(const ApiObject& object) {
    const Field group = object.root();
    if (!IsThere(group["state"])) return;
    if (!group["bundles"].given()) {
      return group["bundles"].Refuse("not listed; ray list placement-groups --detail lists them");
    }
    object.log()->Note(object.place(), "strategy", "ray list has none; PACK, the default, is read");
    AddJob(object.name(), BundleStrategy::kPack);
    for (const auto& [number, bundle] : ByNumber(group.Items("bundles"))) {
      TaskSpec& task = AddTask(object.name(), absl::StrCat(number),
                               ReadResources(bundle.Section("unit_resources")));
      PutOn(bundle["node_id"], &task);
    }
  }
  // Returns the bundles by their indexes, or by their places in the list where they have none.
  static std::map<int64_t, Field> ByNumber(const std::vector<Field>& list) {
    std::map<int64_t, Field> bundles;
    for (const Field& bundle : list) {
      const Field index = bundle.Section("bundle_id")["bundle_index"];
      auto number = static_cast<int64_t>(bundles.size());
      if (index.given() && (!absl::SimpleAtoi(index.ScalarText(), &number) || number < 0)) {
        index.Refuse(absl::StrCat(index.Describe(), " is no index; 0 or more is"));
      } else if (!bundles.emplace(number, bundle).second) {
        const Field& twice = index.given() ? index : bundle;
        twice.Refuse(absl::StrCat("bundle ", number, " is listed twice"));
      }
    }
    return bundles;
  }

  // Returns the elements of an array; none where it is not given.
  static std::vector<Field> ListOf(const Field& list) {
    if (!list.given() || list.kind() == JsonKind::kArray) return list.Children();
    list.RefuseKind("an array");
    return {};
  }

  // Returns whether so many more jobs and tasks may be made. Refuses the demand otherwise.
  bool Admit(const Field& demand, int64_t rows) const {
    const auto made = static_cast<int64_t>(cluster_.jobs.size() + cluster_.tasks.size());
    const int64_t most = source_.options.limits.rows;
    if (made + rows <= most) return true;
    demand.Refuse(
        absl::StrCat("makes ", made + rows, " jobs and tasks in all; at most ", most, " are made"));
    return false;
  }

  // Reads [amounts, count]. Returns the count; 0: it was refused.
  static int64_t CountOf(const Field& pair, std::vector<Field>* parts) {
    if (pair.kind() == JsonKind::kArray) *parts = pair.Children();
    int64_t count = 0;
    if (parts->size() != 2 || !absl::SimpleAtoi((*parts)[1].ScalarText(), &count) || count < 1 ||
        count > kMostDemands) {
      pair.Refuse(
          absl::StrCat("is no demand; [AMOUNTS, COUNT] is, with a count of 1 to ", kMostDemands));
      return 0;
    }
    return count;
  }

  void AddTasks(const std::string& job, const Resources& request, int64_t count, int64_t* number) {
    for (int64_t i = 0; i < count; ++i) AddTask(job, absl::StrCat((*number)++), request);
  }

  void ReadDemands(const Field& demands) {
    // Counts all before it makes any, so that a list beyond the limit costs no tasks.
    std::vector<std::pair<Field, int64_t>> read;  // amounts, and how many tasks have them
    int64_t rows = 0;
    for (const Field& demand : ListOf(demands)) {
      std::vector<Field> parts;
      const int64_t count = CountOf(demand, &parts);
      rows += count + 1;
      if (count == 0 || !Admit(demand, rows)) return;
      read.emplace_back(parts[0], count);
    }
    for (const auto& [amounts, count] : read) {
      const std::string job = absl::StrCat("demand-", ++demands_);
      AddJob(job, BundleStrategy::kNone);
      int64_t number = 0;
      AddTasks(job, ReadResources(amounts), count, &number);
    }
  }

  void ReadGroupDemands(const Field& demands) {
    for (const Field& demand : ListOf(demands)) {
      std::vector<Field> parts;
      const int64_t groups = CountOf(demand, &parts);
      if (groups == 0) return;
      const BundleStrategy strategy = StrategyOf(parts[0]["strategy"]);
      for (int64_t i = 0; i < groups; ++i) {
        if (!Admit(demand, 1)) return;
        const std::string job = absl::StrCat("group-", ++groups_);
        AddJob(job, strategy);
        int64_t number = 0;
        for (const Field& bundle : ListOf(parts[0]["bundles"])) {
          std::vector<Field> of_bundle;
          const int64_t count = CountOf(bundle, &of_bundle);
          if (count == 0 || !Admit(bundle, count)) return;
          AddTasks(job, ReadResources(of_bundle[0]), count, &number);
        }
      }
    }
  }

  const ImportSource& source_;
  ClusterSpec& cluster_;
  std::map<std::string, int> names_;
  std::map<std::string, std::string> nodes_;  // names by id
  int64_t made_ = 0, demands_ = 0, groups_ = 0;
};

void ReadRay(const ImportSource& source, Scenario* scenario) {
  scenario->profile = "ray";
  if (source.configuration) source.configuration->Ignored("settings of the cluster are not read");
  RayReader(source, &scenario->cluster).Read();
}

}  // namespace

extern const Importer kRayImporter;
const Importer kRayImporter = {"ray", kRayGroups, kRayKinds, ReadRay};

}  // namespace muster
