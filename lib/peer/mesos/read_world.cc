// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/mesos/read_world.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/extension/cycle.h"
#include "lib/model/settings.h"

namespace muster::mesos {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;
constexpr double kLeastWeight = 0.001;
constexpr double kMostOfAgent = 1e10;
constexpr int kDeepestRole = 64;  // paths grow with the depth

// --- names

std::string Escaped(std::string_view name) {
  if (name == "." || name == "..") return name == "." ? "%2E" : "%2E%2E";
  std::string text;
  for (const char c : name) {
    if (c == '/') {
      text += "%2F";
    } else if (c == '%') {
      text += "%25";
    } else {
      text += c;
    }
  }
  return text;
}

// Paths of all queues that are alive; empty for those that are too deep in the tree.
std::vector<std::string> RolesOf(const Tables& tables) {
  const QueueTable& queues = tables.queues;
  std::vector<std::string> roles(queues.alive.size());
  std::vector<std::pair<QueueIndex, int>> left;  // with their depth
  for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
    if (queues.alive[q] && queues.parent[q] == muster::kNone) left.emplace_back(q, 1);
  }
  while (!left.empty()) {
    const auto [q, depth] = left.back();
    left.pop_back();
    std::string_view name = queues.names.name(q);
    const QueueIndex parent = queues.parent[q];
    if (parent == muster::kNone) {
      roles[q] = Escaped(name);
    } else {
      const std::string prefix = absl::StrCat(ToAbsl(queues.names.name(parent)), "/");
      if (name.size() > prefix.size() && name.starts_with(prefix)) {
        name.remove_prefix(prefix.size());
      }
      roles[q] = absl::StrCat(roles[parent], "/", Escaped(name));
    }
    if (depth == kDeepestRole) continue;
    for (const QueueIndex child : queues.children[q]) left.emplace_back(child, depth + 1);
  }
  return roles;
}

std::string MappedName(std::string_view dimension) {
  if (dimension == "cpu") return "cpus";
  if (dimension == "memory") return "mem";
  if (dimension == "ephemeral-storage") return "disk";
  if (dimension == "nvidia.com/gpu") return "gpus";
  return std::string(dimension);
}

// --- settings

// Reads the agent's resources of the node; queues of reservations become roles.
std::vector<Resource> ReadNode(const Tables& tables, NodeIndex n,
                               const std::vector<std::string>& roles, Traits* traits,
                               absl::Status* status) {
  const NodeSpec& spec = tables.nodes.spec[n];
  SettingReader settings("node", spec.name, spec.settings, "mesos");
  std::vector<Resource> resources;
  if (const auto text = settings.Text("resources")) {
    const std::string broken = ParseResources(*text, &resources);
    if (!broken.empty()) settings.Refuse("resources", broken);
  }
  for (Resource& resource : resources) {
    for (std::string& queue : resource.kind.reservations) {
      const auto q = tables.queues.names.Find(queue);
      if (q && tables.queues.alive[*q]) {
        queue = roles[*q];
      } else {
        settings.Refuse("resources", absl::StrCat("must name queues, not ", Quote(queue)));
      }
    }
  }
  if (const auto region = settings.Text("region")) traits->region = std::string(*region);
  if (const auto zone = settings.Text("zone")) traits->zone = std::string(*zone);
  *status = settings.Finish();
  return resources;
}

// Returns the weight of the queue's role.
double ReadQueue(const QueueSpec& spec, absl::Status* status) {
  SettingReader settings("queue", spec.name, spec.settings, "mesos");
  const double plain = std::max(static_cast<double>(spec.weight), kLeastWeight);
  const double weight = settings.Number("weight", kLeastWeight, kMostWeight, plain);
  *status = settings.Finish();
  return weight;
}

JobSettings ReadJob(const JobSpec& spec, absl::Status* status) {
  JobSettings job;
  job.capabilities.refined_reservations = true;
  SettingReader settings("job", spec.name, spec.settings, "mesos");
  const auto read = [&](std::string_view key, auto parse, auto* value) {
    const auto text = settings.Text(key);
    if (!text) return;
    const std::string broken = parse(*text, value);
    if (!broken.empty()) settings.Refuse(key, broken);
  };
  read("capabilities", ParseCapabilities, &job.capabilities);
  read("min_allocatable", ParseSets, &job.least_offer);
  read("constraints", ParseConstraints, &job.constraints);
  job.suppressed = settings.Flag("suppressed", false);
  job.refuse_seconds = settings.Number("refuse_seconds", 0, 1e9, -1);
  *status = settings.Finish();
  return job;
}

// Checks that the settings of a node fit its capacity, and notes their names.
absl::Status CheckNode(const Tables& tables, NodeIndex n, const std::vector<NamedColumn>& columns,
                       const std::vector<std::string>& roles, std::set<std::string>* names) {
  const NodeSpec& spec = tables.nodes.spec[n];
  if (spec.settings.empty()) return absl::OkStatus();
  Traits traits;
  absl::Status status;
  const std::vector<Resource> resources = ReadNode(tables, n, roles, &traits, &status);
  if (!status.ok()) return status;
  for (const Resource& resource : resources) names->insert(resource.kind.name);
  for (const NamedColumn& column : columns) {
    const int64_t amount = OrZero(tables.nodes.allocatable.at(n, column.dimension));
    double left = AmountIn(column, amount, /*round_up=*/false);
    for (const Resource& resource : resources) {
      if (resource.kind.name == column.name && !resource.kind.ranges) left -= resource.amount;
    }
    if (left >= -0.0005) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("node ", Quote(spec.name), ", setting \"mesos/resources\": must have no more ",
                     column.name, " than the node"));
  }
  return absl::OkStatus();
}

// Checks options that are texts, and notes their names.
absl::Status CheckTexts(const muster::Options& options, std::set<std::string>* names) {
  const auto refuse = [](std::string_view option, const std::string& broken) {
    return absl::InvalidArgumentError(
        absl::StrCat("action offer: option ", Quote(option), ": ", broken));
  };
  std::vector<NamedAmounts> sets;
  const std::string of_sets = ParseSets(options.text("min_allocatable"), &sets);
  if (!of_sets.empty()) return refuse("min_allocatable", of_sets);
  const std::string of_names = ParseNames(options.text("not_in_shares"), names);
  if (!of_names.empty()) return refuse("not_in_shares", of_names);
  for (const NamedAmounts& set : sets) {
    for (const auto& [name, amount] : set) names->insert(name);
  }
  return absl::OkStatus();
}

absl::Status CheckNames(const std::vector<NamedColumn>& columns, std::set<std::string> names) {
  for (const NamedColumn& column : columns) {
    const auto same = [&](const NamedColumn& other) {
      return other.name == column.name && other.dimension != column.dimension;
    };
    if (std::ranges::any_of(columns, same)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "resource ", Quote(column.name), ": two resources of nodes have this name in Mesos"));
    }
    names.insert(column.name);
  }
  if (names.size() <= kMostNames) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("resources: nodes, jobs and options name ",
                                                 names.size(), "; at most ", kMostNames));
}

// --- reading

std::vector<Resource> Plain(const World& world, const Tables& tables, NodeIndex n,
                            std::span<const int64_t> taken) {
  std::vector<Resource> resources;
  for (const NamedColumn& column : world.columns) {
    const int64_t own = OrZero(tables.nodes.allocatable.at(n, column.dimension));
    const double amount =
        AmountIn(column, std::max<int64_t>(own - taken[column.dimension], 0), /*round_up=*/false);
    if (amount > 0) resources.push_back({.kind = {.name = column.name}, .amount = amount});
  }
  return resources;
}

// Takes `amount` off those resources of the list that the role may use.
void Carve(std::string_view role, bool revocable, const std::string& name, double amount,
           std::vector<Resource>* rest, std::vector<Resource>* taken) {
  const auto is_open = [&](const Kind& kind) {
    if (kind.reservations.empty()) return true;
    const std::string& owner = kind.reservations.back();
    return role == owner || role.starts_with(absl::StrCat(owner, "/"));
  };
  for (int turn = 0; turn < 3 && amount > 0; ++turn) {
    for (Resource& resource : *rest) {
      const Kind& kind = resource.kind;
      const int its_turn = kind.revocable ? 2 : kind.reservations.empty() ? 1 : 0;
      if (its_turn != turn || kind.name != name || kind.ranges || kind.shared || kind.indivisible ||
          !is_open(kind) || (kind.revocable && !revocable)) {
        continue;
      }
      const double part = std::min(resource.amount, amount);
      if (part <= 0) continue;
      taken->push_back({.kind = kind, .amount = part});
      resource.amount = ValueOf(Thousandths(resource.amount) - Thousandths(part));
      amount = ValueOf(Thousandths(amount) - Thousandths(part));
    }
  }
  // More than there is: an overfull node.
  if (amount > 0) taken->push_back({.kind = {.name = name}, .amount = amount});
}

class Reader {
 public:
  Reader(const ActionContext& context, const muster::Options& options)
      : context_(context), tables_(context.tables), options_(options) {}

  World Read() {
    world_.columns = ColumnsOf(tables_);
    world_.role_of = RolesOf(tables_);
    MakeAllocator();
    AddRoles();
    AddFrameworks();
    AddAgents();
    return std::move(world_);
  }

 private:
  static SortBy OrderOf(const std::string& word) {
    return word == "random" ? SortBy::kRandom : SortBy::kDrf;
  }

  void MakeAllocator() {
    Options options;
    options.role_order = OrderOf(options_.text("role_sorter"));
    options.framework_order = OrderOf(options_.text("framework_sorter"));
    options.sorter_seed = context_.facts.cycle->seed();
    if (options_.flag("shuffle")) options.shuffle_seed = context_.facts.cycle->seed();
    options.least_offer.clear();
    (void)ParseSets(options_.text("min_allocatable"), &options.least_offer);
    (void)ParseNames(options_.text("not_in_shares"), &options.not_in_shares);
    options.interval_seconds = options_.number("interval");
    options.guard_gpus = options_.flag("guard_gpus");
    options.region = options_.text("region");
    world_.allocator = *Allocator::Make(std::move(options));
    NamedAmounts names;
    for (const NamedColumn& column : world_.columns) names[column.name] = 0;
    (void)world_.allocator->AmountsOf(names);  // so that a memory cannot use their places up
    world_.allocator->SetNow(static_cast<double>(context_.facts.now));
  }

  NamedAmounts Quota(const RowTable& table, QueueIndex q) const {
    NamedAmounts amounts;
    for (const NamedColumn& column : world_.columns) {
      const int64_t amount = table.at(q, column.dimension);
      if (amount == kAbsent) continue;
      amounts[column.name] = AmountIn(column, amount, /*round_up=*/false);
    }
    return amounts;
  }

  void AddRoles() {
    const QueueTable& queues = tables_.queues;
    for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
      if (!queues.alive[q]) continue;
      const std::string& role = world_.role_of[q];
      absl::Status status;
      (void)world_.allocator->SetWeight(role, ReadQueue(queues.spec[q], &status));
      if (queues.parent[q] != muster::kNone) continue;
      (void)world_.allocator->SetQuota(role, Quota(queues.guaranteed, q), Quota(queues.limit, q));
    }
  }

  bool Requests(JobIndex job, const NamedColumn& column) const {
    return std::ranges::any_of(tables_.jobs.tasks[job], [&](TaskIndex task) {
      return OrZero(context_.ledger.request(task)[column.dimension]) > 0;
    });
  }

  void AddFrameworks() {
    const JobTable& jobs = tables_.jobs;
    std::vector<bool> waits(jobs.alive.size(), false);
    for (const JobIndex job : context_.waiting) {
      waits[job] = !context_.PendingTasks(job, /*with_best_effort=*/true).empty();
    }
    world_.framework_of.assign(jobs.alive.size(), kNone);
    for (JobIndex job = 0; job < jobs.alive.size(); ++job) {
      const QueueIndex queue = jobs.alive[job] ? jobs.queue[job] : QueueIndex(muster::kNone);
      if (queue == muster::kNone || !tables_.queues.alive[queue]) continue;
      absl::Status status;
      JobSettings settings = ReadJob(jobs.spec[job], &status);
      for (const NamedColumn& column : world_.columns) {
        if (column.name == "gpus") settings.capabilities.gpus |= Requests(job, column);
      }
      const std::string& role = world_.role_of[queue];
      FrameworkSpec spec{.name = Escaped(jobs.names.name(job)), .roles = {role}};
      spec.capabilities = settings.capabilities;
      const bool open = tables_.queues.spec[queue].state == QueueState::kOpen;
      if (!waits[job] || !open || settings.suppressed) spec.suppressed.insert(role);
      if (!settings.least_offer.empty()) spec.least_offer[role] = settings.least_offer;
      if (!settings.constraints.empty()) spec.constraints[role] = settings.constraints;
      if (!world_.allocator->AddFramework(spec).ok()) continue;
      world_.framework_of[job] = static_cast<uint32_t>(world_.job_of.size());
      world_.job_of.push_back(job);
      world_.settings.push_back(std::move(settings));
    }
  }

  // Tasks that hold a node, by node, in ascending order.
  std::vector<std::vector<TaskIndex>> TasksByNode() const {
    std::vector<std::vector<TaskIndex>> by_node(tables_.nodes.alive.size());
    for (TaskIndex t = 0; t < tables_.tasks.alive.size(); ++t) {
      if (!tables_.tasks.alive[t] || !HoldsNode(context_.ledger.status(t))) continue;
      const NodeIndex node = context_.ledger.node_of(t);
      if (node != muster::kNone) by_node[node].push_back(t);
    }
    return by_node;
  }

  uint32_t FrameworkOf(TaskIndex task) const {
    const JobIndex job = tables_.tasks.job[task];
    return job == muster::kNone ? kNone : world_.framework_of[job];
  }

  void AddAgents() {
    const std::vector<std::vector<TaskIndex>> by_node = TasksByNode();
    for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
      if (tables_.nodes.alive[n]) AddAgent(n, by_node[n]);
    }
  }

  void AddAgent(NodeIndex n, const std::vector<TaskIndex>& tasks) {
    const NodeSpec& node = tables_.nodes.spec[n];
    AgentSpec agent{.name = node.name};
    std::vector<int64_t> taken(tables_.dimension_count(), 0);
    for (const TaskIndex task : tasks) {
      if (FrameworkOf(task) != kNone) continue;
      const std::span<const int64_t> request = context_.ledger.request(task);
      for (size_t d = 0; d < request.size(); ++d) taken[d] += OrZero(request[d]);
    }
    absl::Status status;
    agent.resources = Plain(world_, tables_, n, taken);
    if (!node.settings.empty()) {
      for (Resource& own : ReadNode(tables_, n, world_.role_of, &agent.traits, &status)) {
        for (Resource& plain : agent.resources) {
          if (plain.kind.name != own.kind.name || own.kind.ranges) continue;
          plain.amount =
              ValueOf(std::max<int64_t>(Thousandths(plain.amount) - Thousandths(own.amount), 0));
          break;
        }
        agent.resources.push_back(std::move(own));
      }
    }
    agent.traits.hostname = node.name;
    for (const auto& [key, value] : node.labels) agent.traits.attributes.push_back({key, value});
    agent.used = Grants(tasks, agent.resources);
    (void)world_.allocator->AddAgent(agent);
    const bool offered = node.ready && !node.unschedulable;
    if (!offered) (void)world_.allocator->SetOffered(node.name, false);
    world_.node_of.push_back(n);
  }

  std::vector<Grant> Grants(const std::vector<TaskIndex>& tasks, std::vector<Resource> rest) const {
    std::vector<Grant> grants;
    for (const TaskIndex task : tasks) {
      const uint32_t framework = FrameworkOf(task);
      if (framework == kNone) continue;
      const JobIndex job = tables_.tasks.job[task];
      const std::string& role = world_.role_of[tables_.jobs.queue[job]];
      Grant grant{.framework = Escaped(tables_.jobs.names.name(job)), .role = role};
      const bool revocable = world_.settings[framework].capabilities.revocable;
      for (const NamedColumn& column : world_.columns) {
        const int64_t request = OrZero(context_.ledger.request(task)[column.dimension]);
        const double amount = AmountIn(column, request, /*round_up=*/true);
        if (amount > 0) Carve(role, revocable, column.name, amount, &rest, &grant.resources);
      }
      grants.push_back(std::move(grant));
    }
    return grants;
  }

  const ActionContext& context_;
  const Tables& tables_;
  const muster::Options& options_;
  World world_;
};

}  // namespace

std::vector<NamedColumn> ColumnsOf(const Tables& tables) {
  std::vector<NamedColumn> columns;
  for (DimensionIndex d = 0; d < tables.dimension_count(); ++d) {
    const std::string_view name = tables.dimensions.name(d);
    if (name == "pods") continue;
    bool is_there = false;
    for (NodeIndex n = 0; n < tables.nodes.alive.size() && !is_there; ++n) {
      is_there = tables.nodes.alive[n] && OrZero(tables.nodes.allocatable.at(n, d)) > 0;
    }
    if (is_there) columns.push_back({d, MappedName(name), !IsMilliDimension(name)});
  }
  return columns;
}

double AmountIn(const NamedColumn& column, int64_t amount, bool round_up) {
  int64_t thousandths = amount;
  if (column.in_megabytes) {
    const int64_t whole = amount / kMegabyte, rest = amount % kMegabyte * 1000;
    thousandths = whole * 1000 + (rest + (round_up ? kMegabyte - 1 : 0)) / kMegabyte;
  }
  return std::min(ValueOf(thousandths), kMostOfAgent);
}

int64_t AmountFrom(const NamedColumn& column, int64_t thousandths) {
  if (!column.in_megabytes) return thousandths;
  return thousandths / 1000 * kMegabyte + thousandths % 1000 * kMegabyte / 1000;
}

NamedAmounts NeedsOf(const World& world, const Tables& tables, ClassIndex c) {
  NamedAmounts needs;
  for (const NamedColumn& column : world.columns) {
    const int64_t request = OrZero(tables.classes.request.at(c, column.dimension));
    needs[column.name] = AmountIn(column, request, /*round_up=*/true);
  }
  return needs;
}

absl::Status CheckTables(const Tables& tables, const muster::Options& options) {
  const std::vector<NamedColumn> columns = ColumnsOf(tables);
  std::set<std::string> names = {"cpus", "mem"};
  if (absl::Status status = CheckTexts(options, &names); !status.ok()) return status;
  const std::vector<std::string> roles = RolesOf(tables);
  std::set<std::string_view> paths;
  for (QueueIndex q = 0; q < roles.size(); ++q) {
    if (!tables.queues.alive[q]) continue;
    const QueueSpec& spec = tables.queues.spec[q];
    absl::Status status;
    (void)ReadQueue(spec, &status);
    if (!status.ok()) return status;
    if (roles[q].empty()) {
      return absl::InvalidArgumentError(absl::StrCat("queue ", Quote(spec.name), ": is below ",
                                                     kDeepestRole,
                                                     " others or more; roles are not"));
    }
    if (paths.insert(roles[q]).second) continue;
    return absl::InvalidArgumentError(absl::StrCat("queue ", Quote(spec.name), ": role ",
                                                   Quote(roles[q]), " is that of another queue"));
  }
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (!tables.nodes.alive[n]) continue;
    const absl::Status status = CheckNode(tables, n, columns, roles, &names);
    if (!status.ok()) return status;
  }
  for (JobIndex job = 0; job < tables.jobs.alive.size(); ++job) {
    if (!tables.jobs.alive[job] || tables.jobs.spec[job].settings.empty()) continue;
    absl::Status status;
    const JobSettings settings = ReadJob(tables.jobs.spec[job], &status);
    if (!status.ok()) return status;
    for (const NamedAmounts& set : settings.least_offer) {
      for (const auto& [name, amount] : set) names.insert(name);
    }
  }
  return CheckNames(columns, std::move(names));
}

World ReadWorld(const ActionContext& context, const muster::Options& options) {
  return Reader(context, options).Read();
}

}  // namespace muster::mesos
