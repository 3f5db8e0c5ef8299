// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Writes values into a byte string that is equal exactly when the values are. Every text is
// preceded by its length and every list by its size, so no two values can run into each other.
#ifndef MUSTER_MODEL_KEY_H_
#define MUSTER_MODEL_KEY_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/model/checker.h"
#include "muster/spec.h"

namespace muster {

class Key {
 public:
  std::string Take() { return std::move(bytes_); }

  void Add(int64_t number) {
    char raw[sizeof number];
    std::memcpy(raw, &number, sizeof number);
    bytes_.append(raw, sizeof raw);
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void Add(Enum value) { Add(static_cast<int64_t>(value)); }
  void Add(std::string_view text) {
    Add(static_cast<int64_t>(text.size()));
    bytes_.append(text);
  }
  void Add(const std::string& text) { Add(std::string_view(text)); }
  void Add(const Quantity& quantity) { Add(quantity.text); }
  void Add(const Amount& amount) {
    Add(amount.name);
    Add(amount.value);
  }
  void Add(const Requirement& r) {
    Add(r.key);
    Add(r.op);
    Add(r.values);
  }
  void Add(const NodeTerm& term) {
    Add(term.match_expressions);
    Add(term.match_fields);
  }
  void Add(const PreferredNodeTerm& term) {
    Add(int64_t{term.weight});
    Add(term.term);
  }
  void Add(const Selector& selector) {
    AddSorted(selector.match_labels);
    Add(selector.match_expressions);
  }
  void Add(const AffinityTerm& term) {
    Add(term.topology_key);
    Add(term.selector);
    Add(term.namespaces);
    Add(term.namespace_selector);
  }
  void Add(const PreferredAffinityTerm& term) {
    Add(int64_t{term.weight});
    Add(term.term);
  }
  void Add(const Toleration& toleration) {
    Add(toleration.key);
    Add(toleration.op);
    Add(toleration.value);
    Add(toleration.effect);
  }
  void Add(const Taint& taint) {
    Add(taint.key);
    Add(taint.value);
    Add(taint.effect);
  }
  void Add(const SpreadConstraint& spread) {
    Add(spread.topology_key);
    Add(int64_t{spread.max_skew});
    Add(int64_t{spread.required});
    Add(spread.selector);
    Add(int64_t{spread.min_domains.value_or(0)});
    Add(int64_t{spread.honor_node_affinity});
    Add(int64_t{spread.honor_taints});
  }
  void Add(const HostPort& port) {
    Add(port.ip);
    Add(port.protocol);
    Add(int64_t{port.port});
  }
  void Add(const DeviceHold& hold) {
    Add(hold.device);
    Add(hold.milli);
    Add(hold.memory);
  }
  // All but the memory, which is a quantity.
  void AddRest(const DeviceRequest& request) {
    Add(request.kind);
    Add(request.count);
    Add(request.milli);
    Add(request.models);
    Add(int64_t{request.exclusive});
    Add(request.same);
  }
  template <class A, class B>
  void Add(const std::pair<A, B>& pair) {
    Add(pair.first);
    Add(pair.second);
  }
  template <class T>
  void Add(const std::vector<T>& list) {
    Add(static_cast<int64_t>(list.size()));
    for (const T& entry : list) Add(entry);
  }
  template <class T>
  void Add(const std::optional<T>& value) {
    Add(int64_t{value.has_value()});
    if (value) Add(*value);
  }

  // Labels and amounts mean the same in any order.
  void AddSorted(const Labels& labels) {
    if (std::ranges::is_sorted(labels)) return Add(labels);
    Labels sorted = labels;
    std::ranges::sort(sorted);
    Add(sorted);
  }
  void AddSorted(const Amounts& amounts) {
    Amounts sorted = amounts;
    std::ranges::sort(sorted, {}, &Amount::name);
    Add(sorted);
  }

 private:
  std::string bytes_;
};

}  // namespace muster

#endif  // MUSTER_MODEL_KEY_H_
