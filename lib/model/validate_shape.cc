// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The rules of a task's shape: requests, selectors, affinities, tolerations, spread, ports.
#include <charconv>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/check_word.h"
#include "lib/model/tables.h"
#include "lib/model/validate.h"
#include "lib/model/words.h"
#include "muster/quantity.h"

namespace muster {
namespace {

bool IsInteger(std::string_view text) {
  int64_t value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

enum class Over { kLabels, kNodeLabels, kNodeFields };

void CheckRequirement(const Requirement& requirement, Over over, const char* where,
                      Checker& check) {
  const auto& [key, op, values] = requirement;
  check.Name(where, key);
  for (const std::string& value : values) {
    if (!IsValidUtf8(value)) check.Fail(where, key, "a value is not UTF-8");
  }
  CheckWord(where, key, op, check);
  const std::string_view word = Word(op);
  switch (over) {
    case Over::kLabels:
      check.OneOf(where, key, "operator", word, {"In", "NotIn", "Exists", "DoesNotExist"});
      break;
    case Over::kNodeLabels:
      check.OneOf(where, key, "operator", word,
                  {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"});
      break;
    case Over::kNodeFields:
      check.OneOf(where, key, "field", key, {"metadata.name"});
      check.OneOf(where, key, "operator", word, {"In", "NotIn"});
      break;
  }
  const auto fail = [&, &key = key](const char* rule) {
    check.Fail(where, key, absl::StrCat("operator ", ToAbsl(word), rule));
  };
  if (op == RequirementOp::kIn || op == RequirementOp::kNotIn) {
    if (values.empty()) fail(" needs at least one value");
  } else if (op == RequirementOp::kGt || op == RequirementOp::kLt) {
    if (values.size() != 1 || !IsInteger(values[0])) fail(" needs exactly one value, an integer");
  } else if (!values.empty()) {
    fail(" takes no values");
  }
}

void CheckNodeTerm(const NodeTerm& term, const char* where, Checker& check) {
  for (const Requirement& r : term.match_expressions)
    CheckRequirement(r, Over::kNodeLabels, where, check);
  for (const Requirement& r : term.match_fields)
    CheckRequirement(r, Over::kNodeFields, where, check);
}

void CheckAffinityTerm(const AffinityTerm& term, const char* where, Checker& check) {
  check.Name(where, term.topology_key);
  if (term.selector) CheckSelector(*term.selector, where, check);
  for (const std::string& name : term.namespaces) check.Name("namespace", name);
  if (term.namespace_selector) CheckSelector(*term.namespace_selector, where, check);
}

void CheckPreferenceWeight(int32_t weight, const char* where, std::string_view what,
                           Checker& check) {
  if (weight < 1 || weight > 100) {
    check.Fail(where, what, absl::StrCat("weight is ", weight, "; must be 1 to 100"));
  }
}

void CheckSpread(const SpreadConstraint& spread, Checker& check) {
  const char* where = "spread constraint";
  check.Name(where, spread.topology_key);
  if (spread.max_skew < 1) {
    check.Fail(where, spread.topology_key,
               absl::StrCat("max_skew is ", spread.max_skew, "; must be 1 or more"));
  }
  if (spread.min_domains && *spread.min_domains < 1) {
    check.Fail(where, spread.topology_key,
               absl::StrCat("min_domains is ", *spread.min_domains, "; must be 1 or more"));
  }
  if (spread.selector) CheckSelector(*spread.selector, where, check);
}

void CheckPort(const HostPort& port, Checker& check) {
  const std::string number = absl::StrCat(port.port);
  if (port.port < 1 || port.port > 65535) check.Fail("host port", number, "must be 1 to 65535");
  check.Text("host port", port.ip);
  CheckWord("host port", number, port.protocol, check);
}

// Every task requests one of `pods`, even where it is unset.
void CheckPods(const Amounts& amounts, Checker& check) {
  for (const Amount& amount : amounts) {
    if (amount.name == "pods" && amount.value != 1) {
      check.Fail("request", amount.name, "a task requests exactly one, which may be left out");
    }
  }
}

// What a task holds is never more than what it needs to start: nodes are searched by the latter,
// and charged with the former.
void CheckStart(const ShapeAmounts& amounts, Checker& check) {
  for (const Amount& held : amounts.request) {
    int64_t start = held.name == "pods" ? held.value : 0;
    for (const Amount& initial : amounts.initial_request) {
      if (initial.name == held.name) start = initial.value;
    }
    if (start >= held.value) continue;
    const Unit unit = IsMilliDimension(held.name) ? Unit::kMilli : Unit::kWhole;
    check.Fail("initial request", held.name,
               absl::StrCat("is ", FormatQuantity(start, unit), ", below the request, ",
                            FormatQuantity(held.value, unit),
                            "; must be the request or more, also where nothing more is to start"));
  }
}

void CheckDeviceRequest(const DeviceRequest& request, Checker& check) {
  const char* where = "device request";
  check.Name(where, request.kind);
  if (request.count < 1) {
    check.Fail(where, request.kind,
               absl::StrCat("count is ", request.count, "; must be 1 or more"));
  }
  if (request.milli < 1 || request.milli > 1000) {
    check.Fail(where, request.kind,
               absl::StrCat("milli is ", request.milli, "; must be 1 to 1000"));
  }
  for (const std::string& model : request.models) check.Name("device model", model);
  CheckWord(where, request.kind, request.same, check);
}

}  // namespace

int64_t CheckDeviceMemory(const char* where, std::string_view what, const Quantity& memory,
                          Checker& check) {
  constexpr int64_t kMost = int64_t{1} << 53;
  const absl::StatusOr<int64_t> bytes = ParseQuantity(memory.text, Unit::kWhole);
  if (!bytes.ok()) {
    check.Fail(where, what, absl::StrCat("memory: ", bytes.status().message()));
  } else if (*bytes < 0 || *bytes > kMost) {
    check.Fail(where, what,
               absl::StrCat("memory is ", memory.text, "; must be 0 to 9007199254740992"));
  } else {
    return *bytes;
  }
  return 0;
}

void CheckToleration(const Toleration& toleration, Checker& check) {
  const char* where = "toleration";
  check.Text(where, toleration.key);
  check.Text(where, toleration.value);
  CheckWord(where, toleration.key, toleration.op, check);
  CheckWord(where, toleration.key, toleration.effect, check);
  if (toleration.key.empty() && toleration.op == TolerationOp::kEqual) {
    check.Fail(where, toleration.key, "an empty key needs operator Exists");
  }
}

void CheckSelector(const Selector& selector, const char* where, Checker& check) {
  check.Labels(where, selector.match_labels);
  for (const Requirement& r : selector.match_expressions)
    CheckRequirement(r, Over::kLabels, where, check);
}

ShapeAmounts CheckShape(const TaskShape& shape, Checker& check) {
  ShapeAmounts amounts;
  amounts.request = check.Resources("request", shape.request);
  CheckPods(amounts.request, check);
  if (shape.initial_request) {
    amounts.initial_request = check.Resources("initial request", *shape.initial_request);
    CheckPods(amounts.initial_request, check);
    CheckStart(amounts, check);
  } else {
    amounts.initial_request = amounts.request;
  }
  for (const ContainerSpec& container : shape.containers) {
    amounts.containers.push_back(check.Resources("container request", container.request));
    check.Text("image", container.image);
  }
  if (shape.pod) check.Resources("overhead", shape.pod->overhead);
  if (shape.pod && shape.pod->added_affinity) {
    for (const NodeTerm& term : *shape.pod->added_affinity) {
      CheckNodeTerm(term, "added affinity", check);
    }
  }

  CheckWord(shape.alignment, check);
  check.Name("namespace", shape.name_space);
  check.Labels("label", shape.labels);
  check.Labels("node selector", shape.node_selector);
  if (shape.required_node_affinity) {
    for (const NodeTerm& term : *shape.required_node_affinity)
      CheckNodeTerm(term, "node affinity", check);
  }
  for (const PreferredNodeTerm& term : shape.preferred_node_affinity) {
    CheckPreferenceWeight(term.weight, "preferred node affinity", "", check);
    CheckNodeTerm(term.term, "preferred node affinity", check);
  }
  for (const AffinityTerm& term : shape.required_affinity)
    CheckAffinityTerm(term, "affinity", check);
  for (const AffinityTerm& term : shape.required_anti_affinity)
    CheckAffinityTerm(term, "anti-affinity", check);
  for (const PreferredAffinityTerm& term : shape.preferred_affinity) {
    CheckPreferenceWeight(term.weight, "preferred affinity", term.term.topology_key, check);
    CheckAffinityTerm(term.term, "preferred affinity", check);
  }
  for (const PreferredAffinityTerm& term : shape.preferred_anti_affinity) {
    CheckPreferenceWeight(term.weight, "preferred anti-affinity", term.term.topology_key, check);
    CheckAffinityTerm(term.term, "preferred anti-affinity", check);
  }
  for (const Toleration& toleration : shape.tolerations) CheckToleration(toleration, check);
  for (const SpreadConstraint& spread : shape.spread) CheckSpread(spread, check);
  for (const HostPort& port : shape.host_ports) CheckPort(port, check);
  Checker::Distinct kinds(check, "device request");
  for (const DeviceRequest& request : shape.devices) {
    CheckDeviceRequest(request, check);
    kinds.Add(request.kind);
    amounts.device_memory.push_back(
        CheckDeviceMemory("device request", request.kind, request.memory, check));
  }
  return amounts;
}

}  // namespace muster
