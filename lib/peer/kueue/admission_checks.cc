// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kueue/admission_checks.h"

#include <algorithm>
#include <set>

namespace muster::kueue {

std::vector<std::string> RequiredChecks(const std::vector<CheckFlavors>& checks,
                                        const std::vector<std::string>& queue_flavors,
                                        const std::vector<std::string>* admitted_flavors) {
  std::set<std::string> required;
  for (const auto& [name, listed] : checks) {
    const std::vector<std::string>& flavors = listed.empty() ? queue_flavors : listed;
    const auto covers = [&](const std::string& flavor) {
      return std::find(flavors.begin(), flavors.end(), flavor) != flavors.end();
    };
    if (admitted_flavors == nullptr
            ? std::all_of(queue_flavors.begin(), queue_flavors.end(), covers)
            : std::any_of(admitted_flavors->begin(), admitted_flavors->end(), covers)) {
      required.insert(name);
    }
  }
  return {required.begin(), required.end()};
}

std::vector<std::string> OpenChecks(const World& world, const WorkloadRow& row) {
  std::set<std::string> open;
  std::set<std::string> passed;
  for (const auto& [name, is_ready] : row.checks) (is_ready ? passed : open).insert(name);
  const QueueRow& queue = world.queues[row.queue];
  if (!queue.checks.empty()) {
    std::vector<CheckFlavors> checks;
    std::vector<std::string> offered, granted;
    for (const AdmissionCheck& check : queue.checks) {
      checks.emplace_back(check.name, check.flavors);
    }
    for (const FlavorGroup& group : queue.groups) {
      for (const FlavorIndex f : group.flavors) offered.push_back(world.flavors[f].name);
    }
    for (const Granted& some : row.granted) {
      for (const auto& [resource, f] : some.flavors) {
        if (f != kNothing) granted.push_back(world.flavors[f].name);
      }
    }
    for (std::string& name : RequiredChecks(checks, offered, &granted)) {
      if (!passed.contains(name)) open.insert(std::move(name));
    }
  }
  return {open.begin(), open.end()};
}

}  // namespace muster::kueue
