// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/memos.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "absl/container/inlined_vector.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {
namespace {

class MemoWriter {
 public:
  MemoWriter() { text_.reserve(224); }
  void Word(std::string_view word) {
    Digits(static_cast<int64_t>(word.size()));
    text_.push_back(':');
    text_.append(word);
  }
  void Number(int64_t number) {
    char digits[24];
    const char* const end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
    Word(std::string_view(digits, static_cast<size_t>(end - digits)));
  }
  void Pairs(const Labels& pairs) {
    Number(static_cast<int64_t>(pairs.size()));
    for (const auto& [key, value] : pairs) {
      Word(key);
      Word(value);
    }
  }
  void Words(const std::vector<std::string>& words) {
    Number(static_cast<int64_t>(words.size()));
    for (const std::string& word : words) Word(word);
  }
  void Add(const std::optional<Selector>& selector) {
    Number(selector.has_value());
    if (!selector) return;
    Pairs(selector->match_labels);
    Number(static_cast<int64_t>(selector->match_expressions.size()));
    for (const Requirement& r : selector->match_expressions) {
      Word(r.key);
      Number(static_cast<int64_t>(r.op));
      Words(r.values);
    }
  }
  std::string Take() { return std::move(text_); }

 private:
  void Digits(int64_t number) {
    char digits[24];
    text_.append(digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr);
  }

  std::string text_;
};

class MemoReader {
 public:
  explicit MemoReader(std::string_view text) : text_(text) {}

  std::string Word() {
    const size_t colon = text_.find(':');
    size_t size = 0;
    if (colon == text_.npos ||
        std::from_chars(text_.data(), text_.data() + colon, size).ec != std::errc()) {
      text_ = {};
      return {};
    }
    const std::string word(text_.substr(colon + 1, size));
    text_.remove_prefix(std::min(text_.size(), colon + 1 + size));
    return word;
  }
  int64_t Number() {
    const std::string word = Word();
    int64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    return number;
  }
  // Returns how many items follow; a memo is never shorter than its items are many.
  size_t Count() {
    const int64_t number = Number();
    return number < 0 || static_cast<size_t>(number) > text_.size() ? 0
                                                                    : static_cast<size_t>(number);
  }
  Labels Pairs() {
    Labels pairs(Count());
    for (auto& [key, value] : pairs) {
      key = Word();
      value = Word();
    }
    return pairs;
  }
  std::vector<std::string> Words() {
    std::vector<std::string> words(Count());
    for (std::string& word : words) word = Word();
    return words;
  }
  std::optional<Selector> ReadSelector() {
    if (Number() == 0) return std::nullopt;
    Selector selector;
    selector.match_labels = Pairs();
    selector.match_expressions.resize(Count());
    for (Requirement& r : selector.match_expressions) {
      r.key = Word();
      r.op = static_cast<RequirementOp>(std::clamp<int64_t>(Number(), 0, 6));
      r.values = Words();
    }
    return selector;
  }

 private:
  std::string_view text_;
};

}  // namespace

std::string MemoOf(const TaskShape& shape) {
  MemoWriter memo;
  memo.Word(shape.name_space);
  memo.Pairs(shape.labels);
  memo.Number(static_cast<int64_t>(shape.tolerations.size()));
  memo.Number(static_cast<int64_t>(shape.required_anti_affinity.size()));
  for (const AffinityTerm& term : shape.required_anti_affinity) {
    memo.Word(term.topology_key);
    memo.Add(term.selector);
    memo.Words(term.namespaces);
    memo.Add(term.namespace_selector);
  }
  memo.Number(static_cast<int64_t>(shape.host_ports.size()));
  for (const HostPort& port : shape.host_ports) {
    memo.Word(port.ip);
    memo.Number(static_cast<int64_t>(port.protocol));
    memo.Number(port.port);
  }
  return memo.Take();
}

TaskShape PodFromMemo(std::string_view text) {
  MemoReader memo(text);
  TaskShape shape;
  shape.name_space = memo.Word();
  shape.labels = memo.Pairs();
  shape.tolerations.resize(memo.Count());
  shape.required_anti_affinity.resize(memo.Count());
  for (AffinityTerm& term : shape.required_anti_affinity) {
    term.topology_key = memo.Word();
    term.selector = memo.ReadSelector();
    term.namespaces = memo.Words();
    term.namespace_selector = memo.ReadSelector();
  }
  shape.host_ports.resize(memo.Count());
  for (HostPort& port : shape.host_ports) {
    port.ip = memo.Word();
    port.protocol = static_cast<Protocol>(std::clamp<int64_t>(memo.Number(), 0, 2));
    port.port = static_cast<int32_t>(std::clamp<int64_t>(memo.Number(), 0, 65535));
  }
  return shape;
}

std::string MemoOf(const Tables& tables, NodeIndex n) {
  const NodeSpec& spec = tables.nodes.spec[n];
  MemoWriter memo;
  memo.Pairs(spec.labels);
  memo.Number(static_cast<int64_t>(spec.taints.size()));
  for (const Taint& taint : spec.taints) {
    memo.Word(taint.key);
    memo.Word(taint.value);
    memo.Number(static_cast<int64_t>(taint.effect));
  }
  memo.Number(spec.unschedulable);
  const size_t dimensions = tables.dimension_count();
  absl::InlinedVector<std::pair<std::string_view, int64_t>, 8> amounts;
  for (DimensionIndex d = 0; d < dimensions; ++d) {
    const int64_t amount = AllocatableOf(tables, n, d);
    if (amount != 0) amounts.emplace_back(tables.dimensions.name(d), amount);
  }
  memo.Number(static_cast<int64_t>(amounts.size()));
  for (const auto& [name, amount] : amounts) {
    memo.Word(name);
    memo.Number(amount);
  }
  return memo.Take();
}

NodeBefore NodeFromMemo(std::string_view text) {
  MemoReader memo(text);
  NodeBefore node;
  node.spec.labels = memo.Pairs();
  node.spec.taints.resize(memo.Count());
  for (Taint& taint : node.spec.taints) {
    taint.key = memo.Word();
    taint.value = memo.Word();
    taint.effect = static_cast<TaintEffect>(std::clamp<int64_t>(memo.Number(), 0, 3));
  }
  node.spec.unschedulable = memo.Number() != 0;
  node.allocatable.resize(memo.Count());
  for (auto& [name, amount] : node.allocatable) {
    name = memo.Word();
    amount = memo.Number();
  }
  return node;
}

}  // namespace muster::kube
