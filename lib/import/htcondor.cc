// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// HTCondor's importer: ads as `condor_status -json`, `condor_q -json` and
// `condor_status -accounting -json` print them, and the configuration as an object of knobs.
//
//   Machine      a partitionable or static slot is a node, by its Name; a dynamic one is a claim on
//                the slot that its name continues: "slot1_2@host" on "slot1@host"
//   Job          a job of one task "CLUSTER.PROC", in the queue of its accounting group; a running
//                one holds what its dynamic slot has, on the node of RemoteHost
//   Accounting   real priority and factor of a submitter, or of a group
//   knobs        options of the profile, settings of queue "default", and groups as queues
//
// Attributes that no expression names decide nothing and are left out without an entry. Of the
// others, and of expressions, the report lists what is not in the subset of ClassAds that the
// profile reads; a rule that cannot be read leaves its default.
//
// Order. Nodes by their order in the dump, jobs by ClusterId and ProcId.
#include "lib/peer/htcondor/htcondor.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/importer.h"

namespace muster {
namespace {

using condor::AdExpression;
using condor::AdValue;

constexpr std::string_view kCondorName = "htcondor";
constexpr std::string_view kCondorGroups[] = {"classad"};
constexpr KindRule kCondorKinds[] = {
    {"Machine", kCondorGroups}, {"Job", kCondorGroups}, {"Accounting", kCondorGroups}};

constexpr absl::string_view kGroupNames = "GROUP_NAMES";
constexpr double kMiB = 1 << 20, kKiB = 1 << 10;

// Knobs that are options of the profile, and expressions that are settings of the pool.
constexpr std::pair<std::string_view, std::string_view> kOptionKnobs[] = {
    {"PRIORITY_HALFLIFE", "half_life"},
    {"DEFAULT_PRIO_FACTOR", "default_factor"},
    {"NICE_USER_PRIO_FACTOR", "nice_factor"},
    {"REMOTE_PRIO_FACTOR", "remote_factor"},
    {"ACCOUNTANT_LOCAL_DOMAIN", "local_domain"},
    {"UID_DOMAIN", "domain"},
    {"NEGOTIATOR_CONSIDER_PREEMPTION", "preemption"},
    {"NEGOTIATOR_CONSIDER_EARLY_PREEMPTION", "early_preemption"},
    {"NEGOTIATOR_USE_SLOT_WEIGHTS", "slot_weights"},
    {"NEGOTIATOR_USE_WEIGHTED_DEMAND", "weighted_demand"},
    {"NEGOTIATOR_MATCHLIST_CACHING", "match_lists"},
    {"NEGOTIATOR_IGNORE_USER_PRIORITIES", "ignore_priorities"},
    {"CONSUMPTION_POLICY", "consumption"},
    {"GROUP_ACCEPT_SURPLUS", "accept_surplus"},
    {"GROUP_AUTOREGROUP", "autoregroup"},
    {"NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION", "oversubscription"},
    {"NEGOTIATOR_STRICT_ENFORCE_QUOTA", "strict_quota"},
    {"GROUP_QUOTA_MAX_ALLOCATION_ROUNDS", "allocation_rounds"},
    {"GROUP_QUOTA_ROUND_ROBIN_RATE", "round_robin_rate"}};
constexpr std::string_view kExpressionKnobs[] = {"PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK",
                                                 "NEGOTIATOR_PRE_JOB_RANK",
                                                 "NEGOTIATOR_POST_JOB_RANK", "GROUP_SORT_EXPR"};
constexpr std::pair<std::string_view, std::string_view> kGroupKnobs[] = {
    {"GROUP_QUOTA_DYNAMIC_", "quota_dynamic"},
    {"GROUP_QUOTA_", "quota"},
    {"GROUP_ACCEPT_SURPLUS_", "accept_surplus"},
    {"GROUP_AUTOREGROUP_", "autoregroup"},
    {"GROUP_PRIO_FACTOR_", "prio_factor"}};
// Attributes that the profile makes of the fields of nodes and jobs.
constexpr std::string_view kMade[] = {"requirements",
                                      "rank",
                                      "start",
                                      "slotweight",
                                      "name",
                                      "machine",
                                      "slotid",
                                      "state",
                                      "cpus",
                                      "memory",
                                      "disk",
                                      "gpus",
                                      "pods",
                                      "remoteuser",
                                      "remoteowner",
                                      "currentrank",
                                      "dynamicslot",
                                      "accountinggroup",
                                      "partitionableslot",
                                      "machineresources",
                                      "totaljobruntime",
                                      "retirementtimeremaining",
                                      "concurrencylimits",
                                      "withinresourcelimits",
                                      "requestcpus",
                                      "requestmemory",
                                      "requestdisk",
                                      "requestgpus",
                                      "requestpods",
                                      "owner",
                                      "user",
                                      "acctgroup",
                                      "jobprio",
                                      "qdate"};

// The text of an expression: what stands in "/Expr(...)/", or a literal.
std::string ExpressionText(const Field& field) {
  if (field.kind() == JsonKind::kBool) return field.truthy() ? "true" : "false";
  const std::string text = field.ScalarText();
  if (field.kind() != JsonKind::kString) return text;
  constexpr std::string_view kOpen = "/Expr(", kClose = ")/";
  if (text.starts_with(kOpen) && text.ends_with(kClose)) {
    return text.substr(kOpen.size(), text.size() - kOpen.size() - kClose.size());
  }
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted + "\"";
}

std::string SettingKey(std::string_view key) { return absl::StrCat("htcondor/", ToAbsl(key)); }

class CondorReader {
 public:
  CondorReader(const ImportSource& source, Scenario* scenario)
      : source_(source), cluster_(scenario->cluster), scenario_(*scenario), set_(&names_) {}

  void Read() {
    pool_.name = "default";
    scenario_.profile = std::string(kCondorName);
    if (source_.configuration) ReadKnobs(*source_.configuration);
    for (const ApiObject* ad : source_.dump.OfKind("Machine"))
      NoteRules(*ad, {"Start", "Rank", "SlotWeight"});
    for (const ApiObject* ad : source_.dump.OfKind("Job")) NoteRules(*ad, {"Requirements", "Rank"});
    Close();
    for (const ApiObject* ad : source_.dump.OfKind("Machine")) ReadSlot(*ad);
    ReadJobs();
    ReadAccounting();
    cluster_.queues.insert(cluster_.queues.begin(), std::move(pool_));
  }

 private:
  // Names that expressions have, and ads that are asked for them.
  struct Named {
    explicit Named(condor::AdNames* all) : all(*all) {}
    bool Has(std::string_view name) { return set.Has(all.Of(name)); }
    condor::AdNames& all;
    condor::AdNameSet set;
  };

  // Returns the expression's text if the profile reads it.
  std::optional<std::string> Readable(const Field& field) {
    if (!field.given()) return std::nullopt;
    std::string text = ExpressionText(field);
    const absl::StatusOr<AdExpression> parsed = AdExpression::Parse(text, &names_);
    if (parsed.ok()) {
      parsed->AddNames(&set_.set);
      return text;
    }
    field.Ignored(absl::StrCat("is not read: ", parsed.status().message()));
    return std::nullopt;
  }

  void NoteRules(const ApiObject& ad, std::initializer_list<std::string_view> rules) {
    for (const std::string_view rule : rules) {
      const Field field = ad.root()[rule];
      if (!field.given()) continue;
      const absl::StatusOr<AdExpression> parsed =
          AdExpression::Parse(ExpressionText(field), &names_);
      if (parsed.ok()) parsed->AddNames(&set_.set);
    }
  }

  // What an attribute that is carried over names is carried over, too.
  void Close() {
    for (bool grew = true; grew;) {
      grew = false;
      for (const auto& ad : source_.dump.all()) {
        for (const Field& field : ad->root().Children()) {
          if (!set_.Has(field.key()) || field.kind() != JsonKind::kString) continue;
          const absl::StatusOr<AdExpression> parsed =
              AdExpression::Parse(ExpressionText(field), &names_);
          if (parsed.ok()) grew |= parsed->AddNames(&set_.set);
        }
      }
    }
  }

  // The attributes of the ad that expressions name, as settings.
  void AddAttributes(const ApiObject& ad, Labels* settings) {
    for (const Field& field : ad.root().Children()) {
      const std::string lower = absl::AsciiStrToLower(ToAbsl(field.key()));
      if (std::ranges::find(kMade, lower) != std::end(kMade) || !set_.Has(lower)) continue;
      if (auto text = Readable(field)) {
        settings->emplace_back(SettingKey(absl::StrCat("+", ToAbsl(field.key()))),
                               *std::move(text));
      }
    }
  }

  // The value of the attribute, evaluated within its own ad.
  double NumberOf(const ApiObject& ad, std::string_view key, double otherwise) {
    const Field field = ad.root()[key];
    if (!field.given()) return otherwise;
    condor::ClassAd own;
    const absl::StatusOr<AdExpression> parsed = AdExpression::Parse(ExpressionText(field), &names_);
    if (!parsed.ok()) {
      field.Ignored(absl::StrCat("is not read: ", parsed.status().message()));
      return otherwise;
    }
    condor::AdNameSet needed;
    parsed->AddNames(&needed);
    for (const Field& other : ad.root().Children()) {
      if (!needed.Has(names_.Of(other.key()))) continue;
      absl::StatusOr<AdExpression> value = AdExpression::Parse(ExpressionText(other), &names_);
      if (value.ok()) own.Set(names_.Of(other.key()), *std::move(value));
    }
    double number = 0;
    if (parsed->Evaluate(own, nullptr).ToNumber(&number) && number >= 0 && number < 1e15) {
      return number;
    }
    field.Ignored("has no value within the ad that is a number from 0 to 1e15");
    return otherwise;
  }

  static Quantity Milli(double number) {
    return Quantity(absl::StrCat(static_cast<int64_t>(std::ceil(number * 1000)), "m"));
  }
  static Quantity Whole(double number) { return Quantity(static_cast<int64_t>(std::ceil(number))); }

  // Cpus, Memory, Disk and GPUs of a slot or of a request, by the prefix of their names.
  Resources AmountsOf(const ApiObject& ad, std::string_view prefix, double cpus) {
    const auto number = [&](const char* name, double otherwise) {
      return NumberOf(ad, absl::StrCat(ToAbsl(prefix), name), otherwise);
    };
    Resources amounts = {{"cpu", Milli(number("Cpus", cpus))},
                         {"memory", Whole(number("Memory", 0) * kMiB)},
                         {"ephemeral-storage", Whole(number("Disk", 0) * kKiB)}};
    if (const double gpus = number("GPUs", 0); gpus > 0) {
      amounts.emplace_back("nvidia.com/gpu", Whole(gpus));
    }
    return amounts;
  }

  // The slot that a dynamic one is a part of: "slot1_2@host" -> "slot1@host".
  static std::string ParentOf(const std::string& slot) {
    const size_t at = slot.find('@');
    const size_t line = slot.rfind('_', at);
    if (at == std::string::npos || line == std::string::npos) return slot;
    return absl::StrCat(slot.substr(0, line), slot.substr(at));
  }

  void ReadSlot(const ApiObject& ad) {
    const Field root = ad.root();
    if (root.Bool("DynamicSlot", false)) {
      dynamic_.try_emplace(ad.name(), &ad);
      return;
    }
    NodeSpec node{.name = ad.name()};
    const bool has_totals = root["TotalSlotCpus"].given();
    node.capacity = AmountsOf(ad, has_totals ? "TotalSlot" : "", 1);
    const std::pair<std::string_view, std::string_view> rules[] = {
        {"Start", "START"}, {"Rank", "RANK"}, {"SlotWeight", "SLOT_WEIGHT"}};
    for (const auto& [attribute, key] : rules) {
      if (auto text = Readable(root[attribute])) {
        node.settings.emplace_back(SettingKey(key), *std::move(text));
      }
    }
    AddAttributes(ad, &node.settings);
    nodes_.insert(node.name);
    cluster_.nodes.push_back(std::move(node));
  }

  // Makes the queue of a group, and those above it. Returns its name.
  std::string QueueOf(std::string_view group) {
    const std::string name = absl::AsciiStrToLower(ToAbsl(group));
    const bool is_root = name == absl::AsciiStrToLower(ToAbsl(condor::kRootName));
    if (name.empty() || is_root || name == "default") return "default";
    if (queues_.contains(name)) return name;
    QueueSpec queue{.name = name};
    const size_t dot = name.rfind('.');
    if (dot != std::string::npos) queue.parent = QueueOf(name.substr(0, dot));
    queues_.try_emplace(name, cluster_.queues.size());
    cluster_.queues.push_back(std::move(queue));
    return name;
  }

  void ReadJobs() {
    std::vector<const ApiObject*> jobs = source_.dump.OfKind("Job");
    const auto number = [](const ApiObject* ad, std::string_view key) {
      return ad->root().Int64(key, 0);
    };
    std::ranges::stable_sort(jobs, {}, [&](const ApiObject* ad) {
      return std::pair(number(ad, "ClusterId"), number(ad, "ProcId"));
    });
    for (const ApiObject* ad : jobs) ReadJob(*ad);
    for (const auto& [name, ad] : dynamic_) ReadClaim(*ad);
  }

  void ReadJob(const ApiObject& ad) {
    constexpr int64_t kIdle = 1, kRunning = 2, kHeld = 5, kTransfers = 6, kSuspended = 7;
    const Field root = ad.root();
    const int64_t status = root.Int64("JobStatus", kIdle);
    const bool runs = status == kRunning || status == kTransfers || status == kSuspended;
    if (status != kIdle && status != kHeld && !runs) {
      ad.log()->LeftOut(ad.place(), "JobStatus", "the job has ended");
      return;
    }
    JobSpec job{.name = ad.name()};
    job.priority = root.Int32("JobPrio", 0);
    job.created = root.Int64("QDate", 0);
    job.uid_rank = root.Int64("ClusterId", 0);
    std::string user = root.Text("User");
    if (user.empty()) user = root.Text("Owner");
    if (!user.empty()) job.owner = JobOwner{.user = user};
    job.queue = QueueOf(root.Text("AcctGroup"));
    AddJobSettings(ad, &job.settings);
    TaskSpec task{.name = job.name, .job = job.name, .priority = job.priority};
    task.shape.request = AmountsOf(ad, "Request", 1);
    task.created = job.created;
    if (status == kHeld) task.gates = {"held"};
    if (runs) Place(ad, &task);
    cluster_.jobs.push_back(std::move(job));
    cluster_.tasks.push_back(std::move(task));
  }

  void AddJobSettings(const ApiObject& ad, Labels* settings) {
    const Field root = ad.root();
    const std::pair<std::string_view, std::string_view> rules[] = {{"Requirements", "requirements"},
                                                                   {"Rank", "rank"}};
    for (const auto& [attribute, key] : rules) {
      if (auto text = Readable(root[attribute])) settings->emplace_back(SettingKey(key), *text);
    }
    if (const std::string limits = root.Text("ConcurrencyLimits"); !limits.empty()) {
      settings->emplace_back(SettingKey("concurrency_limits"), limits);
    }
    if (root.Bool("NiceUser", false)) settings->emplace_back(SettingKey("nice_user"), "true");
    const std::pair<std::string_view, std::string_view> orders[] = {
        {"PreJobPrio1", "pre_job_prio1"},
        {"PreJobPrio2", "pre_job_prio2"},
        {"PostJobPrio1", "post_job_prio1"},
        {"PostJobPrio2", "post_job_prio2"}};
    for (const auto& [attribute, key] : orders) {
      if (!root[attribute].given()) continue;
      settings->emplace_back(SettingKey(key), absl::StrCat(root.Int32(attribute, 0)));
    }
    AddAttributes(ad, settings);
  }

  // Puts a running job on its node.
  void Place(const ApiObject& ad, TaskSpec* task) {
    const std::string slot = ad.root().Text("RemoteHost");
    const std::string node = nodes_.contains(slot) ? slot : ParentOf(slot);
    if (!nodes_.contains(node)) {
      ad.log()->LeftOut(
          ad.place(), "RemoteHost",
          absl::StrCat("no machine ", Quote(slot), "; the job is imported as waiting"));
      return;
    }
    if (const auto part = dynamic_.find(slot); part != dynamic_.end()) {
      task->shape.request = AmountsOf(*part->second, "", 1);
      dynamic_.erase(slot);
    }
    task->status = TaskStatus::kRunning;
    task->node = node;
    if (const int64_t since = ad.root().Int64("JobCurrentStartDate", 0); since > 0) {
      task->started = since;
    }
  }

  // A claim of a job that the dump does not have.
  void ReadClaim(const ApiObject& ad) {
    const Field root = ad.root();
    const std::string node = ParentOf(ad.name());
    if (!nodes_.contains(node)) {
      ad.log()->LeftOut(ad.place(), "", absl::StrCat("no machine ", Quote(node)));
      return;
    }
    JobSpec job{.name = ad.name()};
    if (const std::string user = root.Text("RemoteUser"); !user.empty()) {
      job.owner = JobOwner{.user = user};
    }
    const std::string customer = root.Text("AccountingGroup");
    const size_t dot = customer.rfind('.', customer.find('@'));
    if (dot != std::string::npos) job.queue = QueueOf(customer.substr(0, dot));
    TaskSpec task{.name = job.name, .job = job.name};
    task.shape.request = AmountsOf(ad, "", 1);
    task.status = TaskStatus::kRunning;
    task.node = node;
    cluster_.jobs.push_back(std::move(job));
    cluster_.tasks.push_back(std::move(task));
    ad.log()->Note(ad.place(), "", "its job is not in the dump; one is made for it");
  }

  void ReadAccounting() {
    for (const ApiObject* ad : source_.dump.OfKind("Accounting")) {
      const Field root = ad->root();
      if (!root["Priority"].given()) continue;
      const double factor = NumberOf(*ad, "PriorityFactor", 1000);
      // The ad has the effective priority.
      const double priority = NumberOf(*ad, "Priority", 0) / std::max(1.0, factor);
      UsageEntry entry;
      std::string group = ad->name();
      if (const size_t at = group.find('@'); at != std::string::npos) {
        const size_t dot = group.rfind('.', at);
        entry.user = dot == std::string::npos ? group : group.substr(dot + 1);
        group = dot == std::string::npos ? "" : group.substr(0, dot);
      }
      entry.priority = Quantity(absl::StrCat(priority));
      entry.factor = Quantity(absl::StrCat(factor));
      const std::string name = QueueOf(group);
      QueueSpec& queue = name == "default" ? pool_ : cluster_.queues[queues_[name]];
      if (!queue.history) queue.history = UsageHistory{.as_of = source_.options.now};
      queue.history->entries.push_back(std::move(entry));
    }
  }

  // --- configuration

  void ReadKnobs(const Field& knobs) {
    std::string options;
    for (const Field& knob : knobs.Children()) {
      if (absl::EqualsIgnoreCase(ToAbsl(knob.key()), kGroupNames)) ReadGroupNames(knob);
    }
    for (const Field& knob : knobs.Children()) {
      const std::string key = absl::AsciiStrToUpper(ToAbsl(knob.key()));
      const auto option =
          std::ranges::find(kOptionKnobs, key, [](const auto& k) { return k.first; });
      if (option != std::end(kOptionKnobs)) {
        absl::StrAppend(&options, options.empty() ? "" : ",", ToAbsl(option->second), "=",
                        KnobText(knob));
      } else if (!ReadPoolKnob(key, knob) && !ReadGroupKnob(key, knob)) {
        knob.Ignored("this knob decides nothing here, or is not read");
      }
    }
    if (!limits_.empty()) pool_.settings.emplace_back(SettingKey("concurrency_limits"), limits_);
    if (!options.empty()) scenario_.profile = absl::StrCat("htcondor:negotiate(", options, ")");
  }

  static std::string KnobText(const Field& knob) {
    if (knob.kind() == JsonKind::kBool) return knob.truthy() ? "on" : "off";
    std::string text = knob.ScalarText();
    const std::string lower = absl::AsciiStrToLower(text);
    return lower == "true" ? "on" : lower == "false" ? "off" : text;
  }

  bool ReadPoolKnob(const std::string& key, const Field& knob) {
    if (std::ranges::find(kExpressionKnobs, key) != std::end(kExpressionKnobs)) {
      const std::string text = KnobExpression(knob);
      const absl::StatusOr<AdExpression> parsed = AdExpression::Parse(text, &names_);
      if (parsed.ok()) {
        parsed->AddNames(&set_.set);
        pool_.settings.emplace_back(SettingKey(key), text);
      } else {
        knob.Ignored(absl::StrCat("is not read: ", parsed.status().message()));
      }
      return true;
    }
    constexpr absl::string_view kDefault = "CONCURRENCY_LIMIT_DEFAULT", kLimit = "_LIMIT";
    const auto limit = [&](absl::string_view name, const char* scope) {
      absl::StrAppend(&limits_, limits_.empty() ? "" : ",", absl::AsciiStrToLower(name), scope, ":",
                      knob.ScalarText());
    };
    if (key == kDefault) {
      pool_.settings.emplace_back(SettingKey("concurrency_default"), knob.ScalarText());
    } else if (absl::StartsWith(key, kDefault) && key.size() > kDefault.size() + 1) {
      limit(key.substr(kDefault.size() + 1), ".*");
    } else if (absl::EndsWith(key, kLimit) && key.size() > kLimit.size()) {
      limit(key.substr(0, key.size() - kLimit.size()), "");
    } else {
      return false;
    }
    return true;
  }

  // A knob's text is an expression as it stands.
  static std::string KnobExpression(const Field& knob) {
    return knob.kind() == JsonKind::kBool ? (knob.truthy() ? "true" : "false") : knob.ScalarText();
  }

  void ReadGroupNames(const Field& knob) {
    for (const absl::string_view name :
         absl::StrSplit(knob.ScalarText(), absl::ByAnyChar(", "), absl::SkipEmpty())) {
      QueueOf(std::string_view(name.data(), name.size()));
    }
  }

  // A rule of a group that GROUP_NAMES has not is none, as at the peer.
  bool ReadGroupKnob(const std::string& key, const Field& knob) {
    if (ToAbsl(key) == kGroupNames) return true;
    for (const auto& [prefix, setting] : kGroupKnobs) {
      if (!key.starts_with(prefix)) continue;
      const auto queue = queues_.find(absl::AsciiStrToLower(key.substr(prefix.size())));
      if (queue == queues_.end()) continue;
      std::string text = KnobText(knob);
      if (text == "on" || text == "off") text = text == "on" ? "true" : "false";
      cluster_.queues[queue->second].settings.emplace_back(SettingKey(setting), std::move(text));
      return true;
    }
    return false;
  }

  const ImportSource& source_;
  ClusterSpec& cluster_;
  Scenario& scenario_;
  condor::AdNames names_;
  Named set_;
  QueueSpec pool_;
  std::string limits_;
  HashMap<std::string, size_t> queues_;  // in the cluster, by name
  HashSet<std::string> nodes_;
  HashMap<std::string, const ApiObject*> dynamic_;  // without a job yet
};

void ReadCondor(const ImportSource& source, Scenario* scenario) {
  CondorReader(source, scenario).Read();
}

}  // namespace

extern const Importer kHtCondorImporter;
const Importer kHtCondorImporter = {kCondorName, kCondorGroups, kCondorKinds, ReadCondor};

}  // namespace muster
