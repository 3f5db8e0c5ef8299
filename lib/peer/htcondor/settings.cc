// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/htcondor/settings.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "lib/model/settings.h"

namespace muster::condor {
namespace {

constexpr std::string_view kProfileName = "htcondor";
constexpr std::string_view kPoolQueue = "default";
constexpr std::string_view kUnknownUser = "nobody";
constexpr double kMostNumber = 1e15;

constexpr OptionDecl kNegotiateOptions[] = {
    {"half_life", OptionKind::kNumber, "86400", 1, 1e12,
     "seconds after which a user's past usage counts half"},
    {"default_factor", OptionKind::kNumber, "1000", 1, 1e15, "priority factor of users"},
    {"nice_factor", OptionKind::kNumber, "10000000000", 1, 1e15, "of jobs with nice_user"},
    {"remote_factor", OptionKind::kNumber, "10000000", 1, 1e15,
     "of users of another domain than local_domain"},
    {"local_domain", OptionKind::kText, "", 0, 0,
     "domain of users with the default factor; empty: all domains"},
    {"domain", OptionKind::kText, "pool", 0, 0, "domain of users that are named without one"},
    {"preemption", OptionKind::kFlag, "on", 0, 0,
     "claimed slots are offered, too (NEGOTIATOR_CONSIDER_PREEMPTION)"},
    {"early_preemption", OptionKind::kFlag, "off", 0, 0,
     "also while the task is protected (NEGOTIATOR_CONSIDER_EARLY_PREEMPTION)"},
    {"slot_weights", OptionKind::kFlag, "on", 0, 0,
     "slots count by their weight, off: by 1 (NEGOTIATOR_USE_SLOT_WEIGHTS)"},
    {"weighted_demand", OptionKind::kFlag, "on", 0, 0,
     "groups request weights of jobs, off: numbers (NEGOTIATOR_USE_WEIGHTED_DEMAND)"},
    {"match_lists", OptionKind::kFlag, "on", 0, 0,
     "the slots of an auto cluster are sorted once (NEGOTIATOR_MATCHLIST_CACHING)"},
    {"ignore_priorities", OptionKind::kFlag, "off", 0, 0,
     "submitters have no limits (NEGOTIATOR_IGNORE_USER_PRIORITIES)"},
    {"consumption", OptionKind::kFlag, "off", 0, 0,
     "a node serves several jobs in a cycle (CONSUMPTION_POLICY)"},
    {"accept_surplus", OptionKind::kFlag, "off", 0, 0,
     "of groups that do not set it (GROUP_ACCEPT_SURPLUS)"},
    {"autoregroup", OptionKind::kFlag, "off", 0, 0,
     "of groups that do not set it (GROUP_AUTOREGROUP)"},
    {"oversubscription", OptionKind::kFlag, "on", 0, 0,
     "fixed quotas are not scaled down (NEGOTIATOR_ALLOW_QUOTA_OVERSUBSCRIPTION)"},
    {"strict_quota", OptionKind::kFlag, "on", 0, 0,
     "groups without surplus keep their quota (NEGOTIATOR_STRICT_ENFORCE_QUOTA)"},
    {"allocation_rounds", OptionKind::kWhole, "3", 1, 1e6,
     "rounds of a cycle with groups at most (GROUP_QUOTA_MAX_ALLOCATION_ROUNDS)"},
    {"round_robin_rate", OptionKind::kNumber, "1e100", 1, 1e100,
     "weight by which limits of groups grow from turn to turn (GROUP_QUOTA_ROUND_ROBIN_RATE)"},
    {"group_drift", OptionKind::kFlag, "off", 0, 0,
     "priorities of groups drift as the peer's do, which decides nothing else"},
};

constexpr std::string_view kDefaultFirstRank =
    "(10000000 * My.Rank) + (1000000 * (RemoteOwner =?= UNDEFINED)) - (100000 * Cpus) - Memory";
constexpr std::string_view kDefaultLastRank =
    "(RemoteOwner =?= UNDEFINED) * "
    "(ifThenElse(isUndefined(KFlops), 1000, KFlops) - SlotID - 1.0e10 * (Offline =?= True))";
constexpr std::string_view kDefaultPreemptionRank =
    "(RemoteUserPrio * 1000000) - ifThenElse(isUndefined(TotalJobRuntime), 0, TotalJobRuntime)";

// Attributes that the profile sets itself, of slots and of jobs.
constexpr std::string_view kOwnOfSlots[] = {"Requirements",
                                            "Rank",
                                            "Start",
                                            "SlotWeight",
                                            "Name",
                                            "Machine",
                                            "SlotID",
                                            "State",
                                            "Cpus",
                                            "Memory",
                                            "Disk",
                                            "GPUs",
                                            "Pods",
                                            "RemoteUser",
                                            "RemoteOwner",
                                            "AccountingGroup",
                                            "CurrentRank",
                                            "DynamicSlot",
                                            "PartitionableSlot",
                                            "MachineResources",
                                            "TotalJobRuntime",
                                            "RetirementTimeRemaining",
                                            "ConcurrencyLimits",
                                            "WithinResourceLimits"};
constexpr std::string_view kOwnOfJobs[] = {
    "Requirements",     "Rank",  "RequestCpus", "RequestMemory", "RequestDisk", "RequestGPUs",
    "RequestPods",      "Owner", "User",        "AcctGroup",     "JobPrio",     "QDate",
    "ConcurrencyLimits"};

bool IsAttributeName(std::string_view name) {
  const auto is_word = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  return !name.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(name[0])) &&
         std::ranges::all_of(name, is_word);
}

// Parses expressions, each text once.
class ExpressionReader {
 public:
  explicit ExpressionReader(AdNames* names) : names_(*names) {}

  // Returns null, and refuses the key, if the text does not parse.
  SharedExpression Read(std::string_view key, std::string_view text, SettingReader* reader) {
    const auto known = known_.find(text);
    if (known != known_.end()) return known->second;
    absl::StatusOr<AdExpression> parsed = AdExpression::Parse(text, &names_);
    if (!parsed.ok()) {
      reader->Refuse(key, parsed.status().message());
      return nullptr;
    }
    auto made = std::make_shared<const AdExpression>(*std::move(parsed));
    known_.try_emplace(std::string(text), made);
    return made;
  }

  // Reads a key, and returns `otherwise` where the row does not set it.
  SharedExpression ReadKey(std::string_view key, const SharedExpression& otherwise,
                           SettingReader* reader) {
    const auto text = reader->Text(key);
    return text ? Read(key, *text, reader) : otherwise;
  }

  // Reads the keys "+ATTRIBUTE" of the row.
  AttributeList ReadAttributes(const Labels& settings, std::span<const std::string_view> own,
                               SettingReader* reader) {
    constexpr std::string_view kPrefix = "htcondor/+";
    AttributeList list;
    for (const auto& [whole, value] : settings) {
      if (!whole.starts_with(kPrefix)) continue;
      const std::string_view key = std::string_view(whole).substr(kPrefix.size() - 1);
      const std::string_view name = key.substr(1);
      reader->Text(key);
      const bool is_own = std::ranges::any_of(own, [&](std::string_view other) {
        return absl::EqualsIgnoreCase(ToAbsl(other), ToAbsl(name));
      });
      if (!IsAttributeName(name)) reader->Refuse(key, "must be + and the name of an attribute");
      if (is_own) reader->Refuse(key, "is an attribute that the profile sets itself");
      if (SharedExpression made = Read(key, value, reader)) {
        list.emplace_back(names_.Of(name), std::move(made));
      }
    }
    return list;
  }

  SharedExpression Parsed(std::string_view text) {
    const Labels no_settings;
    SettingReader reader("queue", kPoolQueue, no_settings, kProfileName);
    return Read("", text, &reader);
  }

 private:
  AdNames& names_;
  HashMap<std::string, SharedExpression> known_;
};

// "NAME:NUMBER,...".
std::vector<std::pair<std::string, double>> ReadNumberList(std::string_view key,
                                                           SettingReader* reader) {
  std::vector<std::pair<std::string, double>> list;
  const auto text = reader->Text(key);
  if (!text) return list;
  for (const absl::string_view item : absl::StrSplit(ToAbsl(*text), ',', absl::SkipWhitespace())) {
    const size_t colon = item.rfind(':');
    double number = 0;
    const bool is_number = colon != item.npos && absl::SimpleAtod(item.substr(colon + 1), &number);
    if (!is_number || !(number >= 0 && number <= kMostNumber)) {
      reader->Refuse(key, "must be NAME:NUMBER,..., numbers from 0 to 1e15");
      return {};
    }
    list.emplace_back(absl::StripAsciiWhitespace(item.substr(0, colon)), number);
  }
  return list;
}

class SettingsReading {
 public:
  SettingsReading(const Tables& tables, const Options& options, AdNames* names,
                  PoolSettings* settings)
      : tables_(tables), options_(options), of_slots_(names), of_jobs_(names), out_(*settings) {}

  absl::Status Read() {
    ReadOptions();
    if (absl::Status s = ReadQueues(); !s.ok()) return s;
    if (absl::Status s = ReadNodes(); !s.ok()) return s;
    return ReadJobs();
  }

 private:
  void ReadOptions() {
    NegotiatorRules& rules = out_.rules;
    rules.accountant.half_life = options_.number("half_life");
    rules.accountant.default_factor = options_.number("default_factor");
    rules.accountant.nice_factor = options_.number("nice_factor");
    rules.accountant.remote_factor = options_.number("remote_factor");
    rules.accountant.local_domain = options_.text("local_domain");
    rules.accountant.resets_groups = !options_.flag("group_drift");
    rules.groups = {options_.flag("accept_surplus"), options_.flag("autoregroup"),
                    options_.flag("oversubscription")};
    rules.rounds.strict = options_.flag("strict_quota");
    rules.rounds.most_rounds = static_cast<int>(options_.number("allocation_rounds"));
    rules.rounds.rate = options_.number("round_robin_rate");
    rules.match.preemption = options_.flag("preemption");
    rules.match.weights = options_.flag("slot_weights");
    rules.match.match_lists = options_.flag("match_lists");
    rules.early_preemption = options_.flag("early_preemption");
    rules.ignores_priorities = options_.flag("ignore_priorities");
    rules.weighted_demand = options_.flag("weighted_demand");
    out_.domain = options_.text("domain");
    out_.divides_slots = options_.flag("consumption");
    out_.node = {of_slots_.Parsed("true"), of_slots_.Parsed("0.0"), of_slots_.Parsed("Cpus"), {}};
    out_.job.requirements = of_jobs_.Parsed("true");
    out_.job.rank = of_jobs_.Parsed("0.0");
  }

  absl::Status ReadQueues() {
    const QueueTable& queues = tables_.queues;
    out_.group_of.resize(queues.alive.size());
    if (const auto pool = queues.names.Find(kPoolQueue); pool && queues.alive[*pool]) {
      if (absl::Status s = ReadPoolQueue(queues.spec[*pool]); !s.ok()) return s;
    } else {
      SetRanks({});
    }
    HashMap<std::string, QueueIndex> known;
    for (QueueIndex q = 0; q < queues.alive.size(); ++q) {
      if (!queues.alive[q] || queues.spec[q].name == kPoolQueue) continue;
      if (absl::Status s = ReadGroup(q, &known); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  // `own`: the expressions that replace defaults; an empty one is none at all.
  void SetRanks(const std::vector<std::pair<std::string_view, SharedExpression>>& own) {
    MatchRules& match = out_.rules.match;
    match.first_rank = *of_slots_.Parsed(kDefaultFirstRank);
    match.last_rank = *of_slots_.Parsed(kDefaultLastRank);
    match.preemption_rank = *of_slots_.Parsed(kDefaultPreemptionRank);
    for (const auto& [key, expression] : own) {
      if (expression == nullptr) continue;
      if (key == "NEGOTIATOR_PRE_JOB_RANK") match.first_rank = *expression;
      if (key == "NEGOTIATOR_POST_JOB_RANK") match.last_rank = *expression;
      if (key == "PREEMPTION_RANK") match.preemption_rank = *expression;
      if (key == "PREEMPTION_REQUIREMENTS") match.preemption_requirements = *expression;
      if (key == "GROUP_SORT_EXPR") out_.rules.group_sort_key = *expression;
    }
  }

  absl::Status ReadPoolQueue(const QueueSpec& queue) {
    SettingReader reader("queue", queue.name, queue.settings, kProfileName);
    out_.node.start = of_slots_.ReadKey("START", out_.node.start, &reader);
    out_.node.rank = of_slots_.ReadKey("RANK", out_.node.rank, &reader);
    out_.node.weight = of_slots_.ReadKey("SLOT_WEIGHT", out_.node.weight, &reader);
    std::vector<std::pair<std::string_view, SharedExpression>> own;
    for (const std::string_view key :
         {"PREEMPTION_REQUIREMENTS", "PREEMPTION_RANK", "NEGOTIATOR_PRE_JOB_RANK",
          "NEGOTIATOR_POST_JOB_RANK", "GROUP_SORT_EXPR"}) {
      own.emplace_back(key, of_slots_.ReadKey(key, nullptr, &reader));
    }
    ConcurrencyCounts::Limits& limits = out_.rules.concurrency;
    limits.otherwise = reader.Number("concurrency_default", 0, kMostNumber, limits.otherwise);
    for (auto& [name, limit] : ReadNumberList("concurrency_limits", &reader)) {
      const std::string lower = absl::AsciiStrToLower(name);
      const bool is_scope = lower.ends_with(".*");
      (is_scope ? limits.scopes : limits.limits)
          .emplace_back(is_scope ? lower.substr(0, lower.size() - 2) : lower, limit);
    }
    const auto customers = [&](std::string_view key, std::vector<CustomerSettings>* list) {
      for (auto& [name, value] : ReadNumberList(key, &reader)) list->push_back({name, value});
    };
    customers("factors", &out_.factors);
    customers("ceilings", &out_.ceilings);
    customers("floors", &out_.floors);
    absl::Status status = reader.Finish();
    if (status.ok()) SetRanks(own);
    return status;
  }

  // The name of the queue within its parent.
  std::string_view StepOf(QueueIndex q) const {
    const std::string_view name = tables_.queues.spec[q].name;
    const QueueIndex parent = tables_.queues.parent[q];
    if (parent == kNone) return name;
    const std::string_view above = tables_.queues.spec[parent].name;
    const bool continues = name.size() > above.size() + 1 && name.starts_with(above) &&
                           (name[above.size()] == '.' || name[above.size()] == '/');
    return continues ? name.substr(above.size() + 1) : name;
  }

  std::string GroupName(QueueIndex q) const {
    std::vector<absl::string_view> steps;
    for (QueueIndex a = q; a != kNone && tables_.queues.spec[a].name != kPoolQueue;
         a = tables_.queues.parent[a]) {
      steps.push_back(ToAbsl(StepOf(a)));
    }
    return absl::StrJoin(steps.rbegin(), steps.rend(), ".");
  }

  absl::Status ReadGroup(QueueIndex q, HashMap<std::string, QueueIndex>* known) {
    const QueueSpec& queue = tables_.queues.spec[q];
    GroupSpec group;
    group.name = GroupName(q);
    if (StepOf(q).find_first_of(".@") != std::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("queue ", Quote(queue.name), ": ", Quote(StepOf(q)),
                       " is no name of an accounting group; it must have no \".\" and no \"@\""));
    }
    const auto [other, is_new] = known->try_emplace(absl::AsciiStrToLower(group.name), q);
    if (!is_new) {
      return absl::InvalidArgumentError(
          absl::StrCat("queue ", Quote(queue.name), ": accounting group ", Quote(group.name),
                       " is that of queue ", Quote(tables_.queues.spec[other->second].name)));
    }
    SettingReader reader("queue", queue.name, queue.settings, kProfileName);
    if (reader.Text("quota")) {
      group.quota = reader.Number("quota", 0, kMostNumber, 0);
    } else if (const int64_t cpu = tables_.queues.deserved.at(q, kCpu); cpu != kAbsent) {
      group.quota = static_cast<double>(cpu) / 1000;
    }
    group.share = reader.Number("quota_dynamic", 0, 1, ShareOf(q));
    if (reader.Text("accept_surplus")) group.accepts_surplus = reader.Flag("accept_surplus", false);
    if (reader.Text("autoregroup")) group.autoregroup = reader.Flag("autoregroup", false);
    if (reader.Text("prio_factor")) {
      out_.rules.accountant.group_factors.emplace_back(
          group.name, reader.Number("prio_factor", 1, kMostNumber, 1));
    }
    out_.group_of[q] = group.name;
    out_.groups.push_back(std::move(group));
    return reader.Finish();
  }

  bool HasFixedQuota(QueueIndex q) const {
    const bool is_set =
        std::ranges::any_of(tables_.queues.spec[q].settings, [](const auto& setting) {
          return setting.first == "htcondor/quota" || setting.first == "htcondor/quota_dynamic";
        });
    return is_set || tables_.queues.deserved.at(q, kCpu) != kAbsent;
  }

  // The part of the queue by its weight among siblings that have no quota of their own.
  double ShareOf(QueueIndex q) const {
    const QueueTable& queues = tables_.queues;
    const auto parent_of = [&](QueueIndex queue) {
      const QueueIndex parent = queues.parent[queue];
      return parent != kNone && queues.spec[parent].name == kPoolQueue ? QueueIndex(kNone) : parent;
    };
    if (sums_.empty()) {
      sums_.resize(queues.alive.size() + 1);
      for (QueueIndex other = 0; other < queues.alive.size(); ++other) {
        if (!queues.alive[other] || queues.spec[other].name == kPoolQueue) continue;
        if (HasFixedQuota(other)) continue;
        const QueueIndex parent = parent_of(other);
        sums_[parent == kNone ? queues.alive.size() : size_t{parent}] +=
            static_cast<double>(queues.spec[other].weight);
      }
    }
    const QueueIndex parent = parent_of(q);
    const double sum = sums_[parent == kNone ? queues.alive.size() : size_t{parent}];
    const double weight = static_cast<double>(queues.spec[q].weight);
    return HasFixedQuota(q) || sum <= 0 ? 0 : weight / sum;
  }

  absl::Status ReadNodes() {
    for (NodeIndex n = 0; n < tables_.nodes.alive.size(); ++n) {
      const NodeSpec& node = tables_.nodes.spec[n];
      if (!tables_.nodes.alive[n] || node.settings.empty()) continue;
      SettingReader reader("node", node.name, node.settings, kProfileName);
      NodeSettings& own = out_.nodes[n];
      own.start = of_slots_.ReadKey("START", out_.node.start, &reader);
      own.rank = of_slots_.ReadKey("RANK", out_.node.rank, &reader);
      own.weight = of_slots_.ReadKey("SLOT_WEIGHT", out_.node.weight, &reader);
      own.attributes = of_slots_.ReadAttributes(node.settings, kOwnOfSlots, &reader);
      if (absl::Status s = reader.Finish(); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status ReadJobs() {
    for (JobIndex j = 0; j < tables_.jobs.alive.size(); ++j) {
      const JobSpec& job = tables_.jobs.spec[j];
      if (!tables_.jobs.alive[j] || job.settings.empty()) continue;
      SettingReader reader("job", job.name, job.settings, kProfileName);
      JobSettings& own = out_.jobs[j];
      own.requirements = of_jobs_.ReadKey("requirements", out_.job.requirements, &reader);
      own.rank = of_jobs_.ReadKey("rank", out_.job.rank, &reader);
      own.attributes = of_jobs_.ReadAttributes(job.settings, kOwnOfJobs, &reader);
      own.concurrency_limits = std::string(reader.Text("concurrency_limits").value_or(""));
      own.is_nice = reader.Flag("nice_user", false);
      constexpr std::string_view kOrders[] = {"pre_job_prio1", "pre_job_prio2", "post_job_prio1",
                                              "post_job_prio2"};
      for (size_t i = 0; i < own.orders.size(); ++i) {
        own.orders[i] = reader.Integer(kOrders[i], INT32_MIN, INT32_MAX, 0);
      }
      if (absl::Status s = reader.Finish(); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  const Tables& tables_;
  const Options& options_;
  ExpressionReader of_slots_, of_jobs_;
  PoolSettings& out_;
  mutable std::vector<double> sums_;  // of weights, by parent; last: of queues without one
};

}  // namespace

std::span<const OptionDecl> NegotiateOptionDecls() { return kNegotiateOptions; }

const NodeSettings& PoolSettings::of_node(NodeIndex n) const {
  const auto own = nodes.find(n);
  return own == nodes.end() ? node : own->second;
}

const JobSettings& PoolSettings::of_job(JobIndex j) const {
  const auto own = jobs.find(j);
  return own == jobs.end() ? job : own->second;
}

std::string PoolSettings::UserOf(const JobSpec& job) const {
  const std::string user = job.owner ? job.owner->user : std::string(kUnknownUser);
  return user.find('@') == std::string::npos ? absl::StrCat(user, "@", domain) : user;
}

std::string PoolSettings::SubmitterOf(QueueIndex queue, const std::string& user,
                                      bool is_nice) const {
  const std::string& group = group_of[queue];
  const std::string whole = is_nice ? absl::StrCat("nice-user.", user) : user;
  return group.empty() ? whole : absl::StrCat(group, ".", whole);
}

absl::Status ReadSettings(const Tables& tables, const Options& options, AdNames* names,
                          PoolSettings* settings) {
  return SettingsReading(tables, options, names, settings).Read();
}

}  // namespace muster::condor
