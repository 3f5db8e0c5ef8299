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

void SetCheckKinds(const CheckKinds& kinds, World* world, Queue queue) {
  QueueRow& row = world->queues[queue];
  row.check_kinds.clear();
  row.delays.clear();
  for (const AdmissionCheck& check : row.checks) {
    const auto known = std::ranges::find(kinds, check.name, &CheckKinds::value_type::first);
    const QueueCheck::Kind kind = known == kinds.end() ? QueueCheck::Kind::kOther : known->second;
    row.check_kinds.push_back(kind);
    if (kind == QueueCheck::Kind::kMultiKueue) {
      row.delays.emplace_back(kNothing, true);
    } else if (kind == QueueCheck::Kind::kProvisioning) {
      if (check.flavors.empty()) row.delays.emplace_back(kNothing, false);
      for (const std::string& name : check.flavors) {
        row.delays.emplace_back(world->Flavor(name), false);
      }
    }
  }
}

std::vector<QueueCheck> ChecksOf(const World& world, const QueueRow& queue) {
  std::vector<QueueCheck> checks;
  for (size_t i = 0; i < queue.checks.size(); ++i) {
    const AdmissionCheck& check = queue.checks[i];
    QueueCheck& made = checks.emplace_back();
    made.name = check.name;
    if (i < queue.check_kinds.size()) made.kind = queue.check_kinds[i];
    made.all_flavors =
        check.flavors.empty() || std::ranges::all_of(queue.groups, [&](const FlavorGroup& group) {
          return std::ranges::all_of(group.flavors, [&](FlavorIndex f) {
            return std::ranges::find(check.flavors, world.flavors[f].name) != check.flavors.end();
          });
        });
  }
  return checks;
}

bool AwaitsPlaces(const World& world, const WorkloadRow& row, bool now) {
  if (!world.config.gates.topology) return false;
  const auto lacks = [&](const Granted& granted, FlavorIndex f) {
    if (f == kNothing || !world.flavors[f].spec.topology || granted.places) return false;
    bool delayed = false;
    for (const auto& [concerned, always] : world.queues[row.queue].delays) {
      if (concerned != kNothing && concerned != f) continue;
      if (always && now) return false;
      delayed = true;
    }
    return delayed;
  };
  return std::ranges::any_of(row.granted, [&](const Granted& granted) {
    return granted.count > 0 && std::ranges::any_of(granted.flavors, [&](const auto& choice) {
             return lacks(granted, choice.second);
           });
  });
}

bool IsOpen(const World& world, const WorkloadRow& row) {
  return !OpenChecks(world, row).empty() || AwaitsPlaces(world, row, /*now=*/false);
}

}  // namespace muster::kueue
