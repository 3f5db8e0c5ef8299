// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/ray/node_view.h"

#include <algorithm>
#include <functional>

namespace muster {
namespace {

// The most that bundles count. A node that does not limit its number of tasks has as many places.
constexpr int64_t kMost = int64_t{1} << 53;
constexpr int64_t kDevice = 1000;  // of a resource that is kept in thousandths
constexpr std::string_view kObjectStore = "object_store_memory";

}  // namespace

RayView::RayView(ActionContext& context, const std::string& accelerator) : context_(context) {
  const Tables& tables = context.tables;
  for (NodeIndex n = 0; n < tables.nodes.alive.size(); ++n) {
    if (tables.nodes.alive[n]) alive_.push_back(n);
  }
  const size_t dimensions = tables.dimension_count();
  for (DimensionIndex d(kPods + 1); d < dimensions; ++d) {
    if (tables.dimensions.name(d) == accelerator) {
      order_.insert(order_.begin(), d);
      accelerator_ = 0;
      if (IsMilliDimension(accelerator)) by_device_ = d;
    } else if (tables.dimensions.name(d) == kObjectStore) {
      store_ = d;
    } else {
      order_.push_back(d);
    }
  }
  if (store_ != kNone) order_.push_back(store_);
  order_.push_back(kMemory);
  order_.push_back(kCpu);
  if (std::any_of(alive_.begin(), alive_.end(),
                  [&](NodeIndex n) { return tables.nodes.allocatable.row(n)[kPods] != kAbsent; })) {
    order_.push_back(kPods);
  }
  nodes_.resize(alive_.size());
  for (NodeIndex n : alive_) Renew(n);
}

std::optional<size_t> RayView::place(NodeIndex node) const {
  const auto it = std::lower_bound(alive_.begin(), alive_.end(), node);
  if (it == alive_.end() || *it != node) return std::nullopt;
  return it - alive_.begin();
}

MachineChoice::Options RayView::Busy() const {
  MachineChoice::Options options{.accelerator = accelerator_};
  for (size_t r = 0; r < order_.size(); ++r) {
    if (order_[r] == kCpu || order_[r] == kMemory || order_[r] == store_)
      options.counted.push_back(r);
  }
  return options;
}

void RayView::Renew(NodeIndex node) {
  BundleNode& mine = nodes_[*place(node)];
  if (by_device_ != kNone) mine.devices = DevicesOf(node);
  const auto total = context_.tables.nodes.allocatable.row(node);
  const auto idle = context_.ledger.node(node, kIdle);
  mine.total.clear();
  mine.available.clear();
  for (DimensionIndex d : order_) {
    const int64_t all = d == kPods && total[d] == kAbsent ? kMost : OrZero(total[d]);
    const int64_t free = std::min(idle[d], context_.ledger.future_idle(node, d));
    mine.total.push_back(all);
    mine.available.push_back(std::clamp<int64_t>(free, 0, all));
  }
}

DeviceParts RayView::DevicesOf(NodeIndex node) const {
  const int64_t total = OrZero(context_.tables.nodes.allocatable.row(node)[by_device_]);
  DeviceParts devices(total / kDevice, kDevice);
  std::vector<int64_t> held;
  for (const TaskIndex task : context_.ledger.tasks_on(node)) {
    const int64_t amount = OrZero(context_.ledger.request(task)[by_device_]);
    if (amount > 0) held.push_back(amount);
  }
  std::ranges::sort(held, std::ranges::greater());
  for (const int64_t amount : held) devices.TakeWhatIsThere(amount);
  return devices;
}

int64_t RayView::CountWithoutDevice(ClassIndex c) {
  const int64_t request =
      by_device_ == kNone ? 0 : OrZero(context_.tables.classes.initial_request.row(c)[by_device_]);
  if (request == 0) return 0;
  const std::vector<bool>& allowed = Allows(c);
  int64_t count = 0;
  for (size_t i = 0; i < alive_.size(); ++i) {
    if (allowed[i] && !nodes_[i].devices.Holds(request) && StillFits(c, alive_[i])) ++count;
  }
  return count;
}

BundleAmounts RayView::Request(ClassIndex c) const {
  BundleAmounts amounts;
  const auto request = context_.tables.classes.initial_request.row(c);
  for (DimensionIndex d : order_) amounts.push_back(OrZero(request[d]));
  return amounts;
}

const std::vector<bool>& RayView::Allows(ClassIndex c) {
  NodeSearch& search = context_.search;
  if (search.FitDependsOnOthers(c) || search.Picks(c)) allows_.erase(c);
  const auto [it, added] = allows_.try_emplace(c);
  if (added) {
    for (NodeIndex n : alive_) {
      it->second.push_back(search.CanPickNow(c, n) && search.FitsNode(c, n));
    }
  }
  return it->second;
}

bool RayView::StillFits(ClassIndex c, NodeIndex node) const {
  NodeSearch& search = context_.search;
  return search.FitsIdle(c, node) && search.FitsFutureIdle(c, node) && search.FitsNode(c, node);
}

}  // namespace muster
