// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/model/shape_key.h"

#include "lib/model/key.h"

namespace muster {
namespace {

// All but resources and devices.
void AddRest(const TaskShape& shape, Key& key) {
  key.Add(shape.name_space);
  key.AddSorted(shape.labels);
  key.AddSorted(shape.node_selector);
  key.Add(shape.required_node_affinity);
  key.Add(shape.preferred_node_affinity);
  key.Add(shape.required_affinity);
  key.Add(shape.required_anti_affinity);
  key.Add(shape.preferred_affinity);
  key.Add(shape.preferred_anti_affinity);
  key.Add(shape.tolerations);
  key.Add(shape.spread);
  key.Add(shape.host_ports);
  key.Add(int64_t{shape.revocable} + 2 * int64_t{shape.guaranteed_qos});
  key.Add(shape.alignment);
  if (!shape.pod) return;
  key.Add(shape.pod->overhead);
  key.Add(shape.pod->added_affinity);
  key.Add(int64_t{shape.pod->whole_request} + 2 * int64_t{shape.pod->default_spread});
}

void AddContainerKind(const ContainerSpec& container, Key& key) {
  key.Add(int64_t{container.init} * 2 + int64_t{container.sidecar});
  key.Add(container.image);
}

}  // namespace

std::string SpelledKey(const TaskShape& shape) {
  Key key;
  key.Add(shape.request);
  key.Add(shape.initial_request);
  key.Add(static_cast<int64_t>(shape.containers.size()));
  for (const ContainerSpec& container : shape.containers) {
    key.Add(container.request);
    AddContainerKind(container, key);
  }
  key.Add(static_cast<int64_t>(shape.devices.size()));
  for (const DeviceRequest& device : shape.devices) {
    key.AddRest(device);
    key.Add(device.memory);
  }
  AddRest(shape, key);
  return key.Take();
}

std::string MeaningKey(const TaskShape& shape, const ShapeAmounts& amounts) {
  Key key;
  key.AddSorted(amounts.request);
  key.AddSorted(amounts.initial_request);
  key.Add(static_cast<int64_t>(shape.containers.size()));
  for (size_t i = 0; i < shape.containers.size(); ++i) {
    key.AddSorted(amounts.containers[i]);
    AddContainerKind(shape.containers[i], key);
  }
  key.Add(static_cast<int64_t>(shape.devices.size()));
  for (size_t i = 0; i < shape.devices.size(); ++i) {
    key.AddRest(shape.devices[i]);
    key.Add(amounts.device_memory[i]);
  }
  AddRest(shape, key);
  return key.Take();
}

std::string ConstraintsKey(const TaskShape& shape, QueueIndex queue) {
  Key key;
  key.AddSorted(shape.node_selector);
  key.Add(shape.required_node_affinity);
  key.Add(shape.preferred_node_affinity);
  key.Add(shape.tolerations);
  key.Add(int64_t{shape.revocable});
  key.Add(int64_t{queue});
  return key.Take();
}

std::string KindKey(const TaskShape& shape, QueueIndex queue) {
  Key key;
  key.Add(static_cast<int64_t>(shape.containers.size()));
  for (const ContainerSpec& container : shape.containers) AddContainerKind(container, key);
  AddRest(shape, key);
  key.Add(int64_t{queue});
  return key.Take();
}

}  // namespace muster
