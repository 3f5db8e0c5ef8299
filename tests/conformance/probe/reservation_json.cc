// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tests/conformance/probe/reservation_json.h"

#include "lib/model/words.h"

namespace muster::testing {
namespace {

using nlohmann::json;

RequirementOp OpOf(const std::string& word) {
  return ParseWord<RequirementOp>(word).value_or(RequirementOp::kUnset);
}

TaintEffect EffectOf(const std::string& word) {
  return ParseWord<TaintEffect>(word).value_or(TaintEffect::kUnset);
}

std::vector<Requirement> NeedsOf(const json& object, const char* key) {
  std::vector<Requirement> needs;
  if (!object.contains(key)) return needs;
  for (const json& need : object[key]) {
    needs.push_back({need[0], OpOf(need[1]), need[2].get<std::vector<std::string>>()});
  }
  return needs;
}

ObjectReference ReferenceOf(const json& object) {
  return {.uid = object.value("uid", ""),
          .name = object.value("name", ""),
          .name_space = object.value("namespace", ""),
          .version = object.value("version", "")};
}

ControllerReference ControllerOf(const json& object) {
  ControllerReference reference{.object = ReferenceOf(object), .kind = object.value("kind", "")};
  if (object.contains("controls")) reference.controls = object["controls"].get<bool>();
  return reference;
}

OwnerRule OwnerOf(const json& object) {
  OwnerRule owner;
  if (object.contains("object")) owner.object = ReferenceOf(object["object"]);
  if (object.contains("controller")) owner.controller = ControllerOf(object["controller"]);
  if (object.contains("selector")) {
    owner.selector = Selector{.match_labels = ReservationLabelsOf(object["selector"], "labels"),
                              .match_expressions = NeedsOf(object["selector"], "needs")};
  }
  return owner;
}

}  // namespace

size_t ReservedNames::Number(const std::string& name) {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return i;
  }
  names_.push_back(name);
  return names_.size() - 1;
}

Sparse ReservedNames::Amounts(const json& object, const char* key) {
  Sparse amounts;
  if (!object.contains(key)) return amounts;
  for (const auto& [name, amount] : object[key].items()) {
    amounts.Set(Number(name), amount.get<int64_t>());
  }
  return amounts;
}

uint64_t ReservedNames::Set(const json& object, const char* key) {
  uint64_t set = 0;
  if (!object.contains(key)) return set;
  for (const json& name : object[key]) set |= uint64_t{1} << Number(name.get<std::string>());
  return set;
}

json ReservedNames::List(uint64_t set) const {
  json list = json::array();
  ForEachResource(set, [&](size_t r) { list.push_back(names_[r]); });
  return list;
}

json ReservedNames::Written(const Sparse& amounts) const {
  json object = json::object();
  ForEachResource(amounts.keys(), [&](size_t r) { object[names_[r]] = amounts.at(r); });
  return object;
}

Reserved::Policy ReservedPolicyOf(const std::string& name) {
  if (name == "Restricted") return Reserved::Policy::kRestricted;
  return name == "Aligned" ? Reserved::Policy::kAligned : Reserved::Policy::kDefault;
}

json LacksJson(const Lacks& lacks, const ReservedNames& names) {
  return {{"resources", names.List(lacks.resources)}, {"tasks", lacks.tasks}};
}

Labels ReservationLabelsOf(const json& object, const char* key) {
  Labels labels;
  if (!object.contains(key)) return labels;
  for (const auto& [name, value] : object[key].items()) labels.push_back({name, value});
  return labels;
}

TaskShape ReservationShapeOf(const json& object) {
  TaskShape shape;
  shape.node_selector = ReservationLabelsOf(object, "selector");
  if (object.contains("terms")) {
    shape.required_node_affinity.emplace();
    for (const json& term : object["terms"]) {
      shape.required_node_affinity->push_back(
          {.match_expressions = NeedsOf(term, "labels"), .match_fields = NeedsOf(term, "fields")});
    }
  }
  for (const json& one : object.value("tolerations", json::array())) {
    shape.tolerations.push_back(
        {.key = one[0],
         .op = one[1] == "Exists" ? TolerationOp::kExists : TolerationOp::kEqual,
         .value = one[2],
         .effect = EffectOf(one[3])});
  }
  return shape;
}

ReservationBook::Record RecordOf(const json& object, ReservedNames& names) {
  ReservationBook::Record record;
  record.uid = object.value("uid", "");
  record.node = object.value("node", "");
  record.offered.name = object.value("name", "");
  record.offered.labels = ReservationLabelsOf(object, "labels");
  for (const json& owner : object.value("owners", json::array())) {
    record.offered.owners.push_back(OwnerOf(owner));
  }
  for (const json& taint : object.value("taints", json::array())) {
    record.offered.taints.push_back({taint[0], taint[1], EffectOf(taint[2])});
  }
  record.offered.total = names.Amounts(object, "total");
  record.offered.owners_can_be_read = object.value("owners_can_be_read", true);
  record.is_leaving = object.value("leaving", false);
  record.offered.is_unschedulable = object.value("unschedulable", false) || record.is_leaving;
  record.policy = ReservedPolicyOf(object.value("policy", ""));
  record.names = names.Set(object, "names");
  record.kept_back = names.Amounts(object, "kept_back");
  if (object.contains("most_tasks")) record.most_tasks = object["most_tasks"].get<int64_t>();
  record.is_available = object.value("available", false);
  record.allocate_once = object.value("once", true);
  record.order = object.value("order", int64_t{0});
  return record;
}

ReservationAsker AskerOf(const json& object, ReservedNames& names) {
  ReservationAsker asker;
  asker.object = ReferenceOf(object["object"]);
  asker.labels = ReservationLabelsOf(object, "labels");
  for (const json& one : object.value("controllers", json::array())) {
    asker.controllers.push_back(ControllerOf(one));
  }
  asker.ignores = object.value("ignores", false);
  asker.is_readable = object.value("readable", true);
  if (object.contains("wish")) {
    asker.wish = ReservationWish{.name = object["wish"].value("name", ""),
                                 .shape = ReservationShapeOf(object["wish"]["shape"])};
  }
  for (const json& name : object.value("exact", json::array())) {
    asker.exact.push_back(names.Number(name));
  }
  asker.request = names.Amounts(object, "request");
  return asker;
}

std::vector<ReservationBook::Held> HeldOf(const json& list, ReservedNames& names) {
  std::vector<ReservationBook::Held> held;
  for (const json& one : list) held.push_back({one["uid"], names.Amounts(one, "request")});
  return held;
}

}  // namespace muster::testing
