// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/reference/peer/koordinator/elastic_quota.h"

#include <algorithm>

namespace muster::reference {
namespace {

int64_t AmountOf(const QuotaAmounts& amounts, const std::string& resource) {
  const auto it = amounts.find(resource);
  return it == amounts.end() ? 0 : it->second;
}

class Settling {
 public:
  explicit Settling(const QuotaWorld& world) : world_(world) {}

  std::map<std::string, QuotaState> Run() {
    for (const auto& group : world_.groups) {
      for (const auto& task : world_.tasks) {
        if (task.group != group.name) continue;
        for (const auto& [resource, amount] : task.request) {
          if (!group.max.contains(resource)) continue;
          Asked(group.name, resource, amount);
          if (task.assigned) Used(group.name, resource, amount);
        }
      }
    }
    for (const auto& group : world_.groups) {
      if (group.parent.empty()) Request(group);
    }
    Down("", world_.total);
    return state_;
  }

 private:
  const QuotaWorld::Group* Find(const std::string& name) const {
    for (const auto& group : world_.groups) {
      if (group.name == name) return &group;
    }
    return nullptr;
  }
  std::vector<const QuotaWorld::Group*> ChildrenOf(const std::string& name) const {
    std::vector<const QuotaWorld::Group*> children;
    for (const auto& group : world_.groups) {
      if (group.parent == name) children.push_back(&group);
    }
    return children;
  }
  void Asked(const std::string& name, const std::string& resource, int64_t amount) {
    own_[name][resource] += amount;
  }
  void Used(const std::string& name, const std::string& resource, int64_t amount) {
    for (const QuotaWorld::Group* up = Find(name); up != nullptr; up = Find(up->parent)) {
      state_[up->name].used[resource] += amount;
    }
  }
  // The group's request, and below it all of them. Returns what its parent sees.
  QuotaAmounts Request(const QuotaWorld::Group& group) {
    QuotaAmounts request = own_[group.name];
    for (const QuotaWorld::Group* child : ChildrenOf(group.name)) {
      for (const auto& [resource, amount] : Request(*child)) request[resource] += amount;
    }
    if (!group.lends) {
      for (const auto& [resource, amount] : group.min) {
        request[resource] = std::max(request[resource], amount);
      }
    }
    state_[group.name].request = request;
    for (auto& [resource, amount] : request) {
      if (group.max.contains(resource)) amount = std::min(amount, AmountOf(group.max, resource));
    }
    seen_[group.name] = request;
    return request;
  }
  // `total` says which resources are handed out; each child has those of its level.
  void Down(const std::string& parent, const QuotaAmounts& total) {
    const auto groups = ChildrenOf(parent);
    QuotaAmounts sums;
    for (const auto* group : groups) {
      for (const auto& [resource, amount] : group->min) sums[resource] += amount;
    }
    std::vector<std::string> resources;
    for (const auto& group : parent.empty() ? world_.groups : std::vector{*Find(parent)}) {
      for (const auto& [resource, amount] : group.max) resources.push_back(resource);
    }
    std::sort(resources.begin(), resources.end());
    resources.erase(std::unique(resources.begin(), resources.end()), resources.end());
    for (const std::string& resource : resources) {
      std::vector<QuotaChild> children;
      for (const auto* group : groups) {
        int64_t min = AmountOf(group->min, resource);
        const int64_t sum = AmountOf(sums, resource);
        if (world_.scale_min && total.contains(resource) && AmountOf(total, resource) < sum) {
          const int64_t left = AmountOf(total, resource);
          min = left <= 0
                    ? 0
                    : static_cast<int64_t>(static_cast<double>(left) * static_cast<double>(min) /
                                           static_cast<double>(sum));
        }
        children.push_back({group->name, AmountOf(seen_[group->name], resource),
                            AmountOf(group->weight, resource), min, group->lends});
      }
      const std::vector<int64_t> runtimes = HandOut(AmountOf(total, resource), children);
      for (size_t i = 0; i < groups.size(); ++i) {
        state_[groups[i]->name].runtime[resource] = runtimes[i];
      }
    }
    for (const auto* group : groups) Down(group->name, state_[group->name].runtime);
  }

  const QuotaWorld& world_;
  std::map<std::string, QuotaAmounts> own_, seen_;
  std::map<std::string, QuotaState> state_;
};

}  // namespace

std::map<std::string, QuotaState> SettledQuota(const QuotaWorld& world) {
  return Settling(world).Run();
}

std::vector<int64_t> HandOut(int64_t total, const std::vector<QuotaChild>& children) {
  std::vector<int64_t> runtime(children.size(), 0);
  int64_t left = total;
  for (size_t i = 0; i < children.size(); ++i) {
    const QuotaChild& child = children[i];
    runtime[i] = child.request > child.min || !child.lends ? child.min : child.request;
    left -= runtime[i];
  }
  for (;;) {
    std::vector<size_t> wanting;
    __int128 weights = 0;
    for (size_t i = 0; i < children.size(); ++i) {
      if (children[i].request <= children[i].min || runtime[i] >= children[i].request) continue;
      wanting.push_back(i);
      weights += children[i].weight;
    }
    if (left <= 0 || weights <= 0) return runtime;
    __int128 given = 0;
    for (size_t i : wanting) {
      const __int128 part = static_cast<__int128>(children[i].weight) * left / weights;
      runtime[i] += static_cast<int64_t>(part);
      given += part;
    }
    // One more unit for the largest remainders, by name where they are equal.
    std::stable_sort(wanting.begin(), wanting.end(), [&](size_t a, size_t b) {
      const __int128 ra = static_cast<__int128>(children[a].weight) * left % weights;
      const __int128 rb = static_cast<__int128>(children[b].weight) * left % weights;
      return ra != rb ? ra > rb : children[a].name < children[b].name;
    });
    for (size_t i : wanting) {
      if (given == left) break;
      if (children[i].weight <= 0) continue;
      ++runtime[i];
      ++given;
    }
    left = 0;
    for (size_t i : wanting) {
      if (runtime[i] <= children[i].request) continue;
      left += runtime[i] - children[i].request;
      runtime[i] = children[i].request;
    }
  }
}

}  // namespace muster::reference
