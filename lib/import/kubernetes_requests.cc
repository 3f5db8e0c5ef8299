// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What pods request.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/import/kubernetes.h"

namespace muster {
namespace {

// A domain, a slash and a name: example.com/device.
bool IsExtended(std::string_view name) {
  const size_t slash = name.find('/');
  if (slash == name.npos || slash == 0 || slash + 1 == name.size()) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool plain = absl::ascii_isalnum(c) || c == '.' || c == '-';
    if (!plain && i != slash && !(c == '_' && i > slash)) return false;
  }
  return true;
}

// The amounts that the kubelet reports of a container during a change of its resources.
struct ActualAmounts {
  std::string container;
  AmountMap requests, allocated;
};

std::vector<ActualAmounts> ReadActual(const ApiObject& pod) {
  std::vector<ActualAmounts> actual;
  for (std::string_view key : {"containerStatuses", "initContainerStatuses"}) {
    for (const Field& status : pod.status().Items(key)) {
      const Field resources = status["resources"];
      if (!resources.given() || resources.kind() != JsonKind::kObject) continue;
      actual.push_back({status["name"].ScalarText(), ReadAmounts(resources["requests"]),
                        ReadAmounts(status["allocatedResources"])});
    }
  }
  return actual;
}

bool ResizeIsInfeasible(const ApiObject& pod) {
  for (const Field& condition : pod.status().Items("conditions")) {
    if (condition["type"].Is("PodResizePending") && condition["reason"].Is("Infeasible")) {
      return true;
    }
  }
  return false;
}

std::vector<ContainerAmounts> ReadContainers(const ApiObject& pod, const PodRules& rules) {
  std::vector<ActualAmounts> actual;
  bool infeasible = false;
  if (rules.modern) {
    actual = ReadActual(pod);
    infeasible = ResizeIsInfeasible(pod);
  }
  std::vector<ContainerAmounts> out;
  for (const bool init : {false, true}) {
    for (const Field& container : pod.spec().Items(init ? "initContainers" : "containers")) {
      const Field resources = container.Section("resources");
      AmountMap requests = ReadAmounts(resources["requests"]);
      // The API server makes requests of limits where a container has limits alone. A manifest has
      // not passed through it.
      if (rules.limits_are_requests || !resources["requests"].truthy()) {
        for (const auto& [limited, amount] : ReadAmounts(resources["limits"])) {
          if (FindAmount(requests, limited) == nullptr) SetAmount(limited, amount, &requests);
        }
      }
      const std::string name = container["name"].ScalarText();
      // Of two reports of one name the last counts.
      for (size_t i = actual.size(); i-- > 0;) {
        if (actual[i].container != name) continue;
        requests = infeasible ? Largest(actual[i].requests, actual[i].allocated)
                              : Largest(Largest(requests, actual[i].requests), actual[i].allocated);
        break;
      }
      out.push_back({container, std::move(requests), init});
    }
  }
  return out;
}

}  // namespace

bool IsDimension(std::string_view name, bool ephemeral_storage) {
  if (name == "cpu" || name == "memory" || name == "pods") return true;
  if (name == "ephemeral-storage") return ephemeral_storage;
  if (name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")) return true;
  if (name.find("kubernetes.io/") != name.npos) return true;
  return IsExtended(name) && !name.starts_with("requests.");
}

AmountMap Dimensions(const AmountMap& amounts, const ApiObject& object, std::string_view path,
                     bool ephemeral_storage) {
  AmountMap out;
  for (const auto& [name, amount] : amounts) {
    if (IsDimension(name, ephemeral_storage)) {
      out.emplace_back(name, amount);
    } else {
      object.log()->Ignored(
          object.place(), path,
          absl::StrCat(Quote(name), " is no resource that the scheduler reckons with"));
    }
  }
  return out;
}

bool IsSidecar(const Field& container) { return container["restartPolicy"].Is("Always"); }

PodAmounts ReadRequests(const ApiObject& pod, const PodRules& rules) {
  PodAmounts out;
  out.containers = ReadContainers(pod, rules);
  AmountMap start, running;
  for (const ContainerAmounts& c : out.containers) {
    if (!c.init) {
      out.held = Sum(out.held, c.requests);
      continue;
    }
    const AmountMap phase = Sum(running, c.requests);
    if (rules.modern && IsSidecar(c.container)) {
      out.held = Sum(out.held, c.requests);
      running = phase;
    }
    start = Largest(start, phase);
  }
  out.needed = Largest(out.held, start);
  if (!rules.separate_init) out.held = out.needed;
  if (!rules.modern) return out;
  for (const auto& [name, amount] : ReadAmounts(pod.spec().Section("resources")["requests"])) {
    if (name != "cpu" && name != "memory" && !name.starts_with("hugepages-")) continue;
    SetAmount(name, amount, &out.held);
    SetAmount(name, amount, &out.needed);
  }
  const AmountMap overhead = ReadAmounts(pod.spec()["overhead"]);
  out.held = Sum(out.held, overhead);
  out.needed = Sum(out.needed, overhead);
  return out;
}

bool IsGuaranteed(const ApiObject& pod) {
  const std::string said = pod.status().Text("qosClass");
  if (!said.empty()) return said == "Guaranteed";
  AmountMap requested, limited;
  for (std::string_view key : {"containers", "initContainers"}) {
    for (const Field& container : pod.spec().Items(key)) {
      const Field resources = container.Section("resources");
      const Field limits = resources.Section("limits"), requests = resources.Section("requests");
      for (std::string_view name : {"cpu", "memory"}) {
        // A limit without a request is a request, too.
        const Field limit = limits[name];
        const Field request = requests[name].exists() ? requests[name] : limit;
        const ExactAmount most = limit.exists() ? ReadAmount(limit) : ExactAmount(0);
        if (most == 0) return false;
        requested = Sum(requested, {{std::string(name), ReadAmount(request)}});
        limited = Sum(limited, {{std::string(name), most}});
      }
    }
  }
  return !limited.empty() && SameAmounts(requested, limited);
}

}  // namespace muster
