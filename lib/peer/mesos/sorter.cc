// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/mesos/sorter.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/base/math.h"
#include "lib/base/strings.h"

namespace muster::mesos {

Load LoadOf(const Bundle& bundle) {
  Load load;
  for (const Item& item : bundle) {
    if (!item.scalar()) continue;
    if (item.shared) {
      load.shared.push_back(item);
    } else {
      load.own[item.column] += item.amount;
    }
  }
  return load;
}

void Tally::Add(uint32_t agent, const Load& load) {
  sum_ += load.own;
  for (const Item& item : load.shared) {
    Users& users = users_[Place{agent, item.kind}];
    if (users.count++ > 0) continue;
    users.column = item.column;
    users.amount = item.amount;
    sum_[item.column] += item.amount;
  }
}

void Tally::Remove(uint32_t agent, const Load& load) {
  sum_.Reduce(load.own);
  for (const Item& item : load.shared) Leave({agent, item.kind}, 1);
}

void Tally::Remove(const Tally& less) {
  Amounts own = less.sum_;
  for (const auto& [place, users] : less.users_) own[users.column] -= users.amount;
  sum_.Reduce(own);
  for (const auto& [place, users] : less.users_) Leave(place, users.count);
}

void Tally::Leave(const Place& place, uint32_t users) {
  const auto found = users_.find(place);
  if (found == users_.end()) return;
  Users& left = found->second;
  left.count -= std::min(left.count, users);
  if (left.count > 0) return;
  sum_[left.column] -= left.amount;
  users_.erase(place);
}

enum class NodeKind : uint8_t { kActive, kInactive, kParent };

struct Sorter::Node {
  double share = 0;
  uint64_t count = 0;
  std::string path;
  NodeKind kind = NodeKind::kInactive;
  bool ordered = false;
  uint32_t client = kNone;
  uint32_t children = 0;
  uint64_t walk = 0;  // that visited it last
  uint32_t slot = 0;  // in nodes_
  Node* parent = nullptr;
  std::optional<double> weight;
  Order::const_iterator place;  // in the parent's order, if `ordered`
  Order order;                  // the children but inactive leaves
  Tally held;
  // Of a random walk:
  double active_weight = 0;  // the sum of the children with an active leaf
  bool active = false;
};

bool Sorter::Before::operator()(const Node* a, const Node* b) const {
  if (a->share != b->share) return a->share < b->share;
  if (a->count != b->count) return a->count < b->count;
  return a->path < b->path;
}

Sorter::Sorter(SortBy by, const Totals* totals, Rng* random)
    : by_(by), totals_(totals), random_(random) {
  nodes_.push_back(std::make_unique<Node>());
  nodes_[0]->kind = NodeKind::kParent;
}
Sorter::~Sorter() = default;
Sorter::Sorter(Sorter&&) noexcept = default;

// --- the tree

Sorter::Node* Sorter::NewNode(Node* parent, std::string_view name) {
  auto node = std::make_unique<Node>();
  node->path =
      parent->parent == nullptr ? std::string(name) : absl::StrCat(parent->path, "/", ToAbsl(name));
  node->parent = parent;
  node->slot = static_cast<uint32_t>(nodes_.size());
  ++parent->children;
  by_path_[node->path] = node.get();
  nodes_.push_back(std::move(node));
  return nodes_.back().get();
}

void Sorter::Free(Node* node) {
  if (node->ordered) node->parent->order.erase(node->place);
  --node->parent->children;
  by_path_.erase(node->path);
  const uint32_t slot = node->slot;
  std::swap(nodes_[slot], nodes_.back());
  nodes_[slot]->slot = slot;
  nodes_.pop_back();
}

void Sorter::Add(std::string_view path, uint32_t client) {
  Node* node = nodes_[0].get();
  for (size_t begin = 0; begin <= path.size();) {
    if (node->client != kNone && node->kind != NodeKind::kParent) {
      // A leaf gets children: what it was becomes its ".".
      Node* self = NewNode(node, ".");
      self->kind = node->kind;
      self->client = node->client;
      self->held = node->held;
      self->count = node->count;
      leaves_[self->client] = self;
      node->kind = NodeKind::kParent;
      node->client = kNone;
    }
    const size_t end = std::min(path.find('/', begin), path.size());
    const auto found = by_path_.find(path.substr(0, end));
    node = found != by_path_.end() ? found->second : NewNode(node, path.substr(begin, end - begin));
    if (end < path.size()) node->kind = node->client == kNone ? NodeKind::kParent : node->kind;
    begin = end + 1;
  }
  if (node->kind == NodeKind::kParent) node = NewNode(node, ".");
  node->client = client;
  leaves_[client] = node;
  dirty_ = true;
}

void Sorter::Remove(uint32_t client) {
  Node* node = leaves_.at(client);
  const Tally held = node->held;
  leaves_.erase(client);
  while (node->parent != nullptr) {
    Node* parent = node->parent;
    parent->held.Remove(held);
    if (node->children == 0) {
      Free(node);
    } else if (node->children == 1) {
      const auto found = by_path_.find(absl::StrCat(node->path, "/."));
      if (found != by_path_.end()) {
        Node* self = found->second;
        node->kind = self->kind;
        node->client = self->client;
        leaves_[node->client] = node;
        Free(self);
      }
    }
    node = parent;
  }
  dirty_ = true;
}

void Sorter::SetActive(uint32_t client, bool active) {
  Node& leaf = *leaves_.at(client);
  if (active == (leaf.kind == NodeKind::kActive)) return;
  leaf.kind = active ? NodeKind::kActive : NodeKind::kInactive;
  if (active || by_ == SortBy::kRandom) {
    dirty_ = true;
  } else if (leaf.ordered) {
    leaf.parent->order.erase(leaf.place);
    leaf.ordered = false;
  }
}

void Sorter::SetWeight(std::string_view path, double weight) {
  weights_[std::string(path)] = weight;
  dirty_ = true;
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return;
  Node* node = found->second;
  // The peer looks among the clients, so a node that is only a parent keeps its weight.
  const bool is_client =
      node->kind != NodeKind::kParent || by_path_.contains(absl::StrCat(node->path, "/."));
  if (is_client) node->weight = weight;
}

// --- what clients hold

const Amounts& Sorter::AllocatedTo(uint32_t client) const { return leaves_.at(client)->held.sum(); }

const Amounts& Sorter::AllocatedInAll() const { return nodes_[0]->held.sum(); }

void Sorter::Allocated(uint32_t client, uint32_t agent, const Load& load) {
  const bool sorted = by_ == SortBy::kDrf && !dirty_ && version_ == totals_->version;
  for (Node* node = leaves_.at(client); node != nullptr; node = node->parent) {
    node->held.Add(agent, load);
    if (sorted && node->ordered) {
      Move(*node);
    } else {
      ++node->count;
    }
  }
}

void Sorter::Unallocated(uint32_t client, uint32_t agent, const Load& load) {
  for (Node* node = leaves_.at(client); node != nullptr; node = node->parent) {
    node->held.Remove(agent, load);
  }
  if (by_ == SortBy::kDrf) dirty_ = true;
}

double Sorter::ShareOf(const Node& node) const {
  double share = 0;
  const Amounts& held = node.held.sum();
  for (size_t i = 0; i < kMostNames; ++i) {
    const int64_t total = totals_->amounts[i];
    if (total <= 0 || held[i] == 0 || (totals_->left_out >> i & 1) != 0) continue;
    share = std::max(share, ValueOf(held[i]) / ValueOf(total));
  }
  return share / *node.weight;
}

// Moves the node to where its new share and count belong.
void Sorter::Move(Node& node) {
  Order& order = node.parent->order;
  auto handle = order.extract(node.place);
  ++node.count;
  node.share = ShareOf(node);
  node.place = order.insert(std::move(handle)).position;
}

void Sorter::SortAll() {
  std::vector<Node*> sorted;
  for (const auto& node : nodes_) {
    node->order.clear();
    node->ordered = false;
    if (node->parent == nullptr || node->kind == NodeKind::kInactive) continue;
    if (!node->weight) {
      const auto found = weights_.find(node->path);
      node->weight = found == weights_.end() ? 1.0 : found->second;
    }
    node->share = ShareOf(*node);
    sorted.push_back(node.get());
  }
  std::ranges::sort(sorted, Before());
  for (Node* node : sorted) {
    Order& order = node->parent->order;
    node->place = order.insert(order.end(), node);
    node->ordered = true;
  }
}

// --- random order

void Sorter::WeighAll() {
  for (const auto& node : nodes_) {
    node->active = false;
    node->active_weight = 0;
  }
  std::vector<Node*> active;
  for (const auto& node : nodes_) {
    if (node->kind != NodeKind::kActive) continue;
    active.push_back(node.get());
    for (Node* up = node.get(); up->parent != nullptr && !up->active; up = up->parent) {
      up->active = true;
      if (!up->weight) {
        const auto found = weights_.find(up->path);
        up->weight = found == weights_.end() ? 1.0 : found->second;
      }
      up->parent->active_weight += *up->weight;
    }
  }
  std::ranges::sort(active, {}, [](const Node* node) -> const std::string& { return node->path; });
  weighed_.clear();
  std::vector<const Node*> path;
  for (const Node* leaf : active) {
    path.clear();
    for (const Node* up = leaf; up->parent != nullptr; up = up->parent) path.push_back(up);
    double weight = 1;
    for (size_t i = path.size(); i-- > 0;) {
      weight = weight * *path[i]->weight / path[i]->parent->active_weight;
    }
    weighed_.push_back({leaf->client, weight});
  }
}

void Sorter::Shuffle() {
  std::vector<std::pair<double, size_t>> keys;
  for (size_t i = 0; i < weighed_.size(); ++i) {
    keys.push_back({-Pow(random_->Unit(), 1.0 / weighed_[i].second), i});
  }
  std::ranges::sort(keys);
  shuffled_.clear();
  for (const auto& [key, i] : keys) shuffled_.push_back(weighed_[i].first);
}

// --- walks

void Sorter::Start() {
  if (by_ == SortBy::kRandom) {
    if (dirty_) WeighAll();
    dirty_ = false;
    next_ = 0;
    return Shuffle();
  }
  if (dirty_ || version_ != totals_->version) SortAll();
  dirty_ = false;
  version_ = totals_->version;
  ++walk_;
  stack_.clear();
  stack_.push_back({nodes_[0].get(), nodes_[0]->order.begin()});
}

// What moves during a walk was visited by it, or lies on the path of what was. So each saved place
// stays where it is, and a node that is met again is passed over.
uint32_t Sorter::Next() {
  if (by_ == SortBy::kRandom) return next_ < shuffled_.size() ? shuffled_[next_++] : kNone;
  while (!stack_.empty()) {
    Place& place = stack_.back();
    if (place.next == place.parent->order.end()) {
      stack_.pop_back();
      continue;
    }
    Node* node = *place.next++;
    if (node->walk == walk_) continue;
    node->walk = walk_;
    if (node->kind == NodeKind::kActive) return node->client;
    stack_.push_back({node, node->order.begin()});
  }
  return kNone;
}

}  // namespace muster::mesos
