// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// HTCondor's importer: ads as `condor_status -json`, `condor_q -json` and
// `condor_status -accounting -json` print them, and the configuration as an object of knobs.
//
//   Machine      a partitionable or static slot is a node, by its Name; a dynamic one is a claim on
//                the slot that its name continues: "slot1_2@host" on "slot1@host"
//   Job          a job of one task "CLUSTER.PROC", in the queue of its accounting group; a running
//                one holds what its dynamic slot has, on the node of RemoteHost
//   Accounting   real priority and factor of a submitter, or of a group; ceiling and floor
//   knobs        options of the profile, settings of queue "default", and groups as queues
//
// Attributes that no expression names decide nothing and are left out without an entry. The others,
// and expressions, are those of the subset of ClassAds that the profile reads. What is not:
//   what a job needs   (Requirements, Request..., ConcurrencyLimits): a job that waits is left out,
//                      one that runs keeps its slot and gets no other
//   START of a slot    no job starts there
//   other attributes   are an error, so no rule that depends on one holds
//   ranks              leave their defaults
//
// Order. Nodes by their order in the dump, jobs by ClusterId and ProcId.
#include "lib/peer/htcondor/htcondor.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/import/class_ads.h"
#include "lib/import/htcondor_knobs.h"
#include "lib/import/importer.h"

namespace muster {
namespace {

using condor::AdValue;

constexpr std::string_view kCondorName = "htcondor";
constexpr std::string_view kCondorGroups[] = {"classad"};
constexpr KindRule kCondorKinds[] = {
    {"Machine", kCondorGroups}, {"Job", kCondorGroups}, {"Accounting", kCondorGroups}};

constexpr double kMiB = 1 << 20, kKiB = 1 << 10;
constexpr absl::string_view kConsumption = "consumption";  // begins attributes that are rules of it
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

class CondorReader {
 public:
  CondorReader(const ImportSource& source, Scenario* scenario)
      : source_(source),
        cluster_(scenario->cluster),
        scenario_(*scenario),
        ads_(source.options.now) {}

  void Read() {
    pool_.name = "default";
    if (source_.configuration) knobs_ = ReadCondorKnobs(*source_.configuration, &ads_);
    scenario_.profile = knobs_.profile;
    pool_.settings = knobs_.pool;
    AddGroups();
    NoteRules();
    ads_.Close(source_.dump);
    for (const ApiObject* ad : source_.dump.OfKind("Machine")) ReadSlot(*ad);
    ReadJobs();
    ReadAccounting();
    AddLimits("ceilings", ceilings_);
    AddLimits("floors", floors_);
    cluster_.queues.insert(cluster_.queues.begin(), std::move(pool_));
  }

 private:
  // What a job needs, or all that can be read of it.
  struct Needs {
    Resources request;
    std::string requirements, limits;
    bool complete = true;
  };

  static std::string NotRead(const absl::Status& status) {
    return absl::StrCat("is not read: ", status.message());
  }

  // Returns the expression's text if the profile reads it.
  std::optional<std::string> Readable(const Field& field) {
    if (!field.given()) return std::nullopt;
    std::string text = ExpressionText(field);
    const absl::Status status = ads_.Note(text);
    if (status.ok()) return text;
    field.Ignored(NotRead(status));
    return std::nullopt;
  }

  // Adds what rules name. Those that cannot be read have their entries later.
  void NoteRules() {
    for (const ApiObject* ad : source_.dump.OfKind("Machine")) {
      const Field root = ad->root();
      ads_.Note(StartRule(root)).IgnoreError();
      for (const char* rule : {"Rank", "SlotWeight"}) NoteRule(root[rule]);
      if (!knobs_.divides_slots) continue;
      for (const Field& field : root.Children()) {
        if (IsConsumption(field.key())) NoteRule(field);
      }
    }
    for (const ApiObject* ad : source_.dump.OfKind("Job")) {
      for (const char* rule : {"Requirements", "Rank"}) NoteRule(ad->root()[rule]);
    }
  }

  void NoteRule(const Field& field) {
    if (field.given()) ads_.Note(ExpressionText(field)).IgnoreError();
  }

  static bool IsConsumption(std::string_view key) {
    return key.size() > kConsumption.size() &&
           absl::StartsWithIgnoreCase(ToAbsl(key), kConsumption);
  }

  // The attributes of the ad that expressions name, as settings.
  void AddAttributes(const ApiObject& ad, Labels* settings) {
    for (const Field& field : ad.root().Children()) {
      const std::string lower = absl::AsciiStrToLower(ToAbsl(field.key()));
      if (std::ranges::find(kMade, lower) != std::end(kMade) || !ads_.IsNamed(lower)) continue;
      AddAttribute(field, settings);
    }
  }

  void AddAttribute(const Field& field, Labels* settings) {
    std::string text = ExpressionText(field);
    if (const absl::Status status = ads_.Note(text); !status.ok()) {
      field.Ignored(absl::StrCat(NotRead(status), "; it is an error in expressions"));
      text = "error";
    }
    settings->emplace_back(CondorSetting(absl::StrCat("+", ToAbsl(field.key()))), std::move(text));
  }

  // Returns the value of the attribute within its own ad, `otherwise` if it is not given. Sets
  // `wrong`, unless it is null, to why it has none, and returns 0 then.
  double NumberOf(const ApiObject& ad, std::string_view key, double otherwise,
                  std::string* wrong = nullptr) {
    const Field field = ad.root()[key];
    if (!field.given()) return otherwise;
    const absl::StatusOr<AdValue> value = ads_.ValueOf(ad, field);
    double number = 0;
    if (value.ok() && value->ToNumber(&number) && number >= 0 && number < 1e15) return number;
    const std::string why = value.ok()
                                ? "has no value within the ad that is a number from 0 to 1e15"
                                : NotRead(value.status());
    if (wrong == nullptr) {
      field.Ignored(why);
      return otherwise;
    }
    *wrong = absl::StrCat(ToAbsl(key), " ", why);
    return 0;
  }

  static Quantity Milli(double number) {
    return Quantity(absl::StrCat(static_cast<int64_t>(std::ceil(number * 1000)), "m"));
  }
  static Quantity Whole(double number) { return Quantity(static_cast<int64_t>(std::ceil(number))); }

  // Cpus, Memory, Disk and GPUs of a slot or of a request, by the prefix of their names.
  Resources AmountsOf(const ApiObject& ad, std::string_view prefix, double cpus,
                      std::string* wrong = nullptr) {
    const auto number = [&](const char* name, double otherwise) {
      return NumberOf(ad, absl::StrCat(ToAbsl(prefix), name), otherwise, wrong);
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
    if (std::string start = StartRule(root); !start.empty()) {
      if (const absl::Status status = ads_.Note(start); !status.ok()) {
        ad.log()->LeftOut(ad.place(), root["Requirements"].given() ? "Requirements" : "Start",
                          absl::StrCat(NotRead(status), "; no job starts there"));
        start = "false";
      }
      node.settings.emplace_back(CondorSetting("START"), std::move(start));
    }
    const std::pair<std::string_view, std::string_view> ranks[] = {{"Rank", "RANK"},
                                                                   {"SlotWeight", "SLOT_WEIGHT"}};
    for (const auto& [attribute, key] : ranks) {
      if (auto text = Readable(root[attribute])) {
        node.settings.emplace_back(CondorSetting(key), *std::move(text));
      }
    }
    AddAttributes(ad, &node.settings);
    AddConsumption(root, &node.settings);
    nodes_.insert(node.name);
    cluster_.nodes.push_back(std::move(node));
    if (root["State"].Is("Claimed")) TakeWhole(ad);
  }

  // The slot's own rules of consumption, and those of knobs that it does not have.
  void AddConsumption(const Field& root, Labels* settings) {
    const auto has = [&](const std::string& key) {
      return std::ranges::any_of(*settings, [&](const auto& setting) {
        return absl::EqualsIgnoreCase(setting.first, key);
      });
    };
    for (const Field& field : root.Children()) {
      if (!IsConsumption(field.key())) continue;
      if (!knobs_.divides_slots) {
        field.Ignored("decides nothing, as CONSUMPTION_POLICY is not on in the configuration");
      } else if (!has(CondorSetting(absl::StrCat("+", ToAbsl(field.key()))))) {
        AddAttribute(field, settings);
      }
    }
    for (const auto& [key, text] : knobs_.consumption) {
      if (!has(key)) settings->emplace_back(key, text);
    }
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
    Needs needs = ReadNeeds(ad, runs);
    if (!needs.complete && !runs) return;
    JobSpec job{.name = ad.name()};
    job.priority = root.Int32("JobPrio", 0);
    job.created = root.Int64("QDate", 0);
    job.uid_rank = root.Int64("ClusterId", 0);
    std::string user = root.Text("User");
    if (user.empty()) user = root.Text("Owner");
    if (!user.empty()) job.owner = JobOwner{.user = user};
    job.queue = QueueOf(root.Text("AcctGroup"));
    AddJobSettings(ad, needs, &job.settings);
    TaskSpec task{.name = job.name, .job = job.name, .priority = job.priority};
    task.shape.request = std::move(needs.request);
    task.created = job.created;
    if (status == kHeld) task.gates = {"held"};
    if (runs) Place(ad, &task);
    cluster_.jobs.push_back(std::move(job));
    cluster_.tasks.push_back(std::move(task));
  }

  Needs ReadNeeds(const ApiObject& ad, bool runs) {
    const Field root = ad.root();
    Needs needs;
    const auto miss = [&](std::string_view key, const std::string& why) {
      needs.complete = false;
      ad.log()->LeftOut(
          ad.place(), key,
          absl::StrCat(why, runs ? "; the job keeps its slot and gets no other" : ""));
    };
    if (const Field field = root["Requirements"]; field.given()) {
      needs.requirements = ExpressionText(field);
      if (const absl::Status status = ads_.Note(needs.requirements); !status.ok()) {
        miss("Requirements", NotRead(status));
      }
    }
    std::string wrong;
    needs.request = AmountsOf(ad, "Request", 1, &wrong);
    if (!wrong.empty()) miss("", wrong);
    if (const Field field = root["ConcurrencyLimits"]; field.given()) {
      const absl::StatusOr<AdValue> limits = ads_.ValueOf(ad, field);
      if (!limits.ok()) {
        miss("ConcurrencyLimits", NotRead(limits.status()));
      } else if (limits->kind == AdValue::Kind::kText) {
        needs.limits = limits->text;
      } else if (!limits->is_undefined()) {
        miss("ConcurrencyLimits", "has no value within the ad that is a text");
      }
    }
    if (!needs.complete) needs.requirements = "false";
    return needs;
  }

  void AddJobSettings(const ApiObject& ad, const Needs& needs, Labels* settings) {
    const Field root = ad.root();
    const auto add = [&](std::string_view key, const std::string& text) {
      if (!text.empty()) settings->emplace_back(CondorSetting(key), text);
    };
    add("requirements", needs.requirements);
    add("rank", Readable(root["Rank"]).value_or(""));
    add("concurrency_limits", needs.limits);
    if (root.Bool("NiceUser", false)) settings->emplace_back(CondorSetting("nice_user"), "true");
    const std::pair<std::string_view, std::string_view> orders[] = {
        {"PreJobPrio1", "pre_job_prio1"},
        {"PreJobPrio2", "pre_job_prio2"},
        {"PostJobPrio1", "post_job_prio1"},
        {"PostJobPrio2", "post_job_prio2"}};
    for (const auto& [attribute, key] : orders) {
      if (!root[attribute].given()) continue;
      settings->emplace_back(CondorSetting(key), absl::StrCat(root.Int32(attribute, 0)));
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

  // A static slot that is claimed is taken as a whole.
  void TakeWhole(const ApiObject& ad) {
    if (!ad.root().Bool("PartitionableSlot", false)) dynamic_.try_emplace(ad.name(), &ad);
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
      const std::string name = QueueOf(group);
      ReadLimits(*ad, name == "default" ? entry.user : absl::StrCat(name, ".", entry.user),
                 !entry.user.empty());
      if (!root["Priority"].given()) continue;
      entry.priority = Quantity(absl::StrCat(priority));
      entry.factor = Quantity(absl::StrCat(factor));
      QueueSpec& queue = name == "default" ? pool_ : cluster_.queues[queues_[name]];
      if (!queue.history) queue.history = UsageHistory{.as_of = source_.options.now};
      queue.history->entries.push_back(std::move(entry));
    }
  }

  // Ceilings below 0, and floors of 0, are none.
  void ReadLimits(const ApiObject& ad, const std::string& submitter, bool is_user) {
    const std::tuple<const char*, double, std::string*> limits[] = {{"Ceiling", 0, &ceilings_},
                                                                    {"Floor", 1, &floors_}};
    for (const auto& [key, least, list] : limits) {
      const Field field = ad.root()[key];
      if (!field.given()) continue;
      const absl::StatusOr<AdValue> value = ads_.ValueOf(ad, field);
      if (!value.ok() || value->kind != AdValue::Kind::kInteger) {
        field.Ignored(value.ok() ? "is no integer" : NotRead(value.status()));
      } else if (static_cast<double>(value->integer) < least) {
        continue;
      } else if (!is_user || submitter.find(',') != std::string::npos) {
        field.Ignored(is_user ? "is not considered: the name has a comma"
                              : "is not considered: it is of no submitter");
      } else {
        absl::StrAppend(list, list->empty() ? "" : ",", submitter, ":", value->integer);
      }
    }
  }

  void AddLimits(std::string_view key, const std::string& list) {
    if (!list.empty()) pool_.settings.emplace_back(CondorSetting(key), list);
  }

  // Makes the groups, with their settings.
  void AddGroups() {
    for (const std::string& name : knobs_.groups) QueueOf(name);
    for (const CondorKnobs::OfGroup& rule : knobs_.group_settings) {
      cluster_.queues[queues_[rule.group]].settings.push_back(rule.setting);
    }
  }

  const ImportSource& source_;
  ClusterSpec& cluster_;
  Scenario& scenario_;
  AdReader ads_;
  QueueSpec pool_;
  CondorKnobs knobs_;
  std::string ceilings_, floors_;        // lists of NAME:NUMBER
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
