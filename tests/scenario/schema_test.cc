// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// docs/scenario.schema.json lists what the parser takes: every key, its type and its default, and
// no other.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "lib/model/words.h"
#include "lib/scenario/members.h"
#include "lib/scenario/scenario.h"

namespace muster {
namespace {

using nlohmann::json;

json Ref(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }

// How the schema writes each type of member.
json TypeOf(const std::string&) { return {{"type", "string"}}; }
json TypeOf(bool) { return {{"type", "boolean"}}; }
json TypeOf(int32_t) {
  return {{"type", "integer"},
          {"minimum", std::numeric_limits<int32_t>::min()},
          {"maximum", std::numeric_limits<int32_t>::max()}};
}
json TypeOf(int64_t) { return {{"type", "integer"}}; }
json TypeOf(uint64_t) {
  return {{"type", "integer"}, {"minimum", 0}, {"maximum", std::numeric_limits<uint64_t>::max()}};
}
json TypeOf(double) { return {{"type", "number"}}; }
json TypeOf(const Quantity&) { return Ref("Quantity"); }
json TypeOf(const Resources&) { return Ref("Resources"); }
json TypeOf(TaskStatus) { return Ref("TaskStatus"); }
json TypeOf(JobPhase) { return Ref("JobPhase"); }
json TypeOf(QueueState) { return Ref("QueueState"); }
json TypeOf(ClusterEventKind) { return Ref("EventKind"); }
json TypeOf(const EventAspects&) { return Ref("EventAspects"); }
json TypeOf(const MemoryCell&) { return Ref("MemoryCell"); }
json TypeOf(const TaskShape&) { return Ref("ShapeOrName"); }
template <HasWords Enum>
json TypeOf(Enum) {
  json words = json::array();
  for (std::string_view word : WordsOf(Enum()).words) words.push_back(std::string(word));
  return {{"enum", words}};
}

template <class T>
json TypeOf(const std::optional<T>&);
template <class T>
json TypeOf(const Boxed<T>&);
template <class T>
json TypeOf(const std::vector<T>&);
template <class T>
json TypeOf(const Named<T>&);

// The name of a struct's entry under "$defs".
template <class S>
const char* NameOf();
#define MUSTER_NAME(S)      \
  template <>               \
  const char* NameOf<S>() { \
    return #S;              \
  }
MUSTER_NAME(Taint)
MUSTER_NAME(Toleration)
MUSTER_NAME(Requirement)
MUSTER_NAME(Selector)
MUSTER_NAME(NodeTerm)
MUSTER_NAME(PreferredNodeTerm)
MUSTER_NAME(AffinityTerm)
MUSTER_NAME(PreferredAffinityTerm)
MUSTER_NAME(SpreadConstraint)
MUSTER_NAME(HostPort)
MUSTER_NAME(ContainerSpec)
MUSTER_NAME(PodTraits)
MUSTER_NAME(TaskShape)
MUSTER_NAME(TaskSpec)
MUSTER_NAME(GroupSpec)
MUSTER_NAME(TopologyWish)
MUSTER_NAME(SubGroupSpec)
MUSTER_NAME(SubGroupPolicy)
MUSTER_NAME(GroupTopology)
MUSTER_NAME(JobSpec)
MUSTER_NAME(ZoneSpec)
MUSTER_NAME(DeviceSpec)
MUSTER_NAME(DeviceRequest)
MUSTER_NAME(DeviceHold)
MUSTER_NAME(ImageSpec)
MUSTER_NAME(NodeUsage)
MUSTER_NAME(NodeSpec)
MUSTER_NAME(DomainSpec)
MUSTER_NAME(PathStep)
MUSTER_NAME(NodeGroupWish)
MUSTER_NAME(NodeGroupLimit)
MUSTER_NAME(QueueSpec)
MUSTER_NAME(DisruptionBudgetSpec)
MUSTER_NAME(QuotaSpec)
MUSTER_NAME(QueueBindingSpec)
MUSTER_NAME(NamespaceSpec)
MUSTER_NAME(ScenarioOptions)
MUSTER_NAME(TurnRow)
MUSTER_NAME(MemoryDocument)
MUSTER_NAME(SlotRow)
MUSTER_NAME(EventRow)
MUSTER_NAME(LeftOut)
MUSTER_NAME(ExpectedShare)
MUSTER_NAME(Expectation)
MUSTER_NAME(FlavorTopology)
MUSTER_NAME(FlavorSpec)
MUSTER_NAME(FlavorQuota)
MUSTER_NAME(ResourceGroup)
MUSTER_NAME(FlavorRules)
MUSTER_NAME(PreemptionRules)
MUSTER_NAME(AdmissionCheck)
MUSTER_NAME(PartitionShare)
MUSTER_NAME(SpendingRules)
MUSTER_NAME(QueueRules)
MUSTER_NAME(PartitionSpec)
MUSTER_NAME(UsageWindow)
MUSTER_NAME(UsageDetail)
MUSTER_NAME(TaskUsage)
MUSTER_NAME(UsageEntry)
MUSTER_NAME(UsageHistory)
MUSTER_NAME(ReservationOwner)
MUSTER_NAME(ReservationSpec)
MUSTER_NAME(Lifetime)
MUSTER_NAME(PodGroupTraits)
MUSTER_NAME(ByCount)
MUSTER_NAME(AssignedPlace)
MUSTER_NAME(GroupAdmission)
MUSTER_NAME(JobAdmission)
MUSTER_NAME(JobOwner)
MUSTER_NAME(TopologyLevels)
MUSTER_NAME(SubGroupPlace)
MUSTER_NAME(ElasticSize)
MUSTER_NAME(GangRules)
MUSTER_NAME(UserLimit)
MUSTER_NAME(UserRules)
#undef MUSTER_NAME

template <HasMembers S>
json TypeOf(const S&) {
  return Ref(NameOf<S>());
}

template <class T>
T Sample() {
  if constexpr (std::is_same_v<T, Quantity>) {
    return Quantity(0);
  } else {
    return T();
  }
}

template <class T>
json TypeOf(const std::optional<T>&) {
  return TypeOf(Sample<T>());
}
template <class T>
json TypeOf(const Boxed<T>&) {
  return TypeOf(Sample<T>());
}
template <class T>
json TypeOf(const std::vector<T>&) {
  return {{"type", "array"}, {"items", TypeOf(Sample<T>())}};
}
template <class T>
json TypeOf(const Named<T>&) {
  return {{"type", "object"}, {"additionalProperties", TypeOf(Sample<T>())}};
}

// What an absent key means, where that is not "nothing".
template <class T>
json DefaultOf(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.empty() ? json() : json(value);
  } else if constexpr (HasWords<T>) {
    return Word(value).empty() ? json() : json(std::string(Word(value)));
  } else {
    return {};
  }
}

class SchemaTest : public ::testing::Test {
 protected:
  SchemaTest() : schema_(json::parse(std::ifstream("docs/scenario.schema.json"), nullptr, false)) {}

  template <class S>
  void Check() {
    const std::string name = NameOf<S>();
    ASSERT_TRUE(schema_["$defs"].contains(name)) << name;
    checked_.insert(name);
    const json& def = schema_["$defs"][name];
    EXPECT_EQ(def["type"], "object") << name;
    EXPECT_EQ(def["additionalProperties"], false) << name;
    std::set<std::string> keys, required;
    const S unset{};
    ForEachMember(unset, [&](auto member) {
      const std::string key(member.key);
      keys.insert(key);
      if (member.required) required.insert(key);
      ASSERT_TRUE(def["properties"].contains(key)) << name << "." << key;
      json property = def["properties"][key];
      json fallback = property.value("default", json());
      property.erase("default");
      property.erase("description");
      if (property == Ref("Labels")) property = schema_["$defs"]["Labels"];
      EXPECT_EQ(property, TypeOf(member.value)) << name << "." << key;
      if (member.required) return;
      EXPECT_EQ(fallback, DefaultOf(member.value)) << name << "." << key;
    });
    if (name == "NodeSpec") keys.insert("count");
    std::set<std::string> in_schema;
    for (const auto& [key, value] : def["properties"].items()) in_schema.insert(key);
    EXPECT_EQ(in_schema, keys) << name;
    EXPECT_EQ(def.value("required", std::set<std::string>()), required) << name;
  }

  json schema_;
  std::set<std::string> checked_ = {"Quantity",   "Resources", "Labels",       "ShapeOrName",
                                    "MemoryCell", "EventKind", "EventAspects", "TaskStatus",
                                    "JobPhase",   "QueueState"};
};

TEST_F(SchemaTest, SaysEveryKeyOfEveryStruct) {
  Check<Taint>();
  Check<Toleration>();
  Check<Requirement>();
  Check<Selector>();
  Check<NodeTerm>();
  Check<PreferredNodeTerm>();
  Check<AffinityTerm>();
  Check<PreferredAffinityTerm>();
  Check<SpreadConstraint>();
  Check<HostPort>();
  Check<ContainerSpec>();
  Check<PodTraits>();
  Check<TaskShape>();
  Check<TaskSpec>();
  Check<GroupSpec>();
  Check<TopologyWish>();
  Check<GroupTopology>();
  Check<SubGroupSpec>();
  Check<SubGroupPolicy>();
  Check<JobSpec>();
  Check<ZoneSpec>();
  Check<DeviceSpec>();
  Check<DeviceRequest>();
  Check<DeviceHold>();
  Check<ImageSpec>();
  Check<NodeUsage>();
  Check<NodeSpec>();
  Check<DomainSpec>();
  Check<PathStep>();
  Check<NodeGroupWish>();
  Check<NodeGroupLimit>();
  Check<QueueSpec>();
  Check<DisruptionBudgetSpec>();
  Check<QuotaSpec>();
  Check<QueueBindingSpec>();
  Check<NamespaceSpec>();
  Check<ScenarioOptions>();
  Check<TurnRow>();
  Check<MemoryDocument>();
  Check<SlotRow>();
  Check<EventRow>();
  Check<LeftOut>();
  Check<ExpectedShare>();
  Check<Expectation>();
  Check<FlavorTopology>();
  Check<FlavorSpec>();
  Check<FlavorQuota>();
  Check<ResourceGroup>();
  Check<FlavorRules>();
  Check<PreemptionRules>();
  Check<AdmissionCheck>();
  Check<PartitionShare>();
  Check<SpendingRules>();
  Check<QueueRules>();
  Check<PartitionSpec>();
  Check<UsageWindow>();
  Check<UsageDetail>();
  Check<TaskUsage>();
  Check<UsageEntry>();
  Check<UsageHistory>();
  Check<ReservationOwner>();
  Check<ReservationSpec>();
  Check<Lifetime>();
  Check<PodGroupTraits>();
  Check<ByCount>();
  Check<AssignedPlace>();
  Check<GroupAdmission>();
  Check<JobAdmission>();
  Check<JobOwner>();
  Check<TopologyLevels>();
  Check<SubGroupPlace>();
  Check<ElasticSize>();
  Check<GangRules>();
  Check<UserLimit>();
  Check<UserRules>();
  std::set<std::string> defined;
  for (const auto& [name, def] : schema_["$defs"].items()) defined.insert(name);
  EXPECT_EQ(defined, checked_);
}

TEST_F(SchemaTest, SaysEveryWordOfTheEnums) {
  std::vector<std::string> statuses, phases, states;
  for (int i = 0; i < kTaskStatusCount; ++i)
    statuses.emplace_back(TaskStatusName(static_cast<TaskStatus>(i)));
  for (int i = 0; i < 5; ++i) phases.emplace_back(JobPhaseName(static_cast<JobPhase>(i)));
  for (int i = 0; i < 2; ++i) states.emplace_back(QueueStateName(static_cast<QueueState>(i)));
  EXPECT_EQ(schema_["$defs"]["TaskStatus"]["enum"], statuses);
  EXPECT_EQ(schema_["$defs"]["JobPhase"]["enum"], phases);
  EXPECT_EQ(schema_["$defs"]["QueueState"]["enum"], states);
  std::vector<std::string> kinds, aspects;
  for (int k = 0; k < kClusterEventKindCount; ++k) {
    kinds.emplace_back(ClusterEventKindName(static_cast<ClusterEventKind>(k)));
  }
  for (int bit = 0; bit < kEventAspectCount; ++bit) aspects.emplace_back(EventAspectName(bit));
  EXPECT_EQ(schema_["$defs"]["EventKind"]["enum"], kinds);
  EXPECT_EQ(schema_["$defs"]["EventAspects"]["items"]["enum"], aspects);
}

// The parser itself lists the keys that a document may have.
TEST_F(SchemaTest, SaysEveryKeyOfTheDocument) {
  const std::string message(ParseScenario(R"({"?": 1})").status().message());
  const std::string head = "expected one of ";
  std::set<std::string> keys, in_schema;
  std::string word;
  for (const char c : message.substr(message.find(head) + head.size()) + ",") {
    if (c == ',')
      keys.insert(std::exchange(word, ""));
    else if (c != ' ')
      word.push_back(c);
  }
  for (const auto& [key, value] : schema_["properties"].items()) in_schema.insert(key);
  EXPECT_EQ(in_schema, keys);
  EXPECT_EQ(schema_["additionalProperties"], false);
  EXPECT_EQ(schema_["required"], std::set<std::string>{"muster"});
}

}  // namespace
}  // namespace muster
