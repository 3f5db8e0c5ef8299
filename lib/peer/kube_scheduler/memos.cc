// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/kube_scheduler/memos.h"

#include <algorithm>

#include "lib/peer/kube_scheduler/packed_rows.h"
#include "lib/peer/kube_scheduler/world.h"

namespace muster::kube {
namespace {

void WritePairs(const Labels& pairs, WordWriter* memo) {
  memo->Number(static_cast<int64_t>(pairs.size()));
  for (const auto& [key, value] : pairs) {
    memo->Word(key);
    memo->Word(value);
  }
}

class MemoWriter : public WordWriter {
 public:
  void Pairs(const Labels& pairs) { WritePairs(pairs, this); }
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
};

class MemoReader {
 public:
  explicit MemoReader(std::string_view text) : text_(text) {}

  std::string Word() { return std::string(text_.Word()); }
  int64_t Number() { return text_.Number(); }
  // Returns how many items follow; a memo is never shorter than its items are many.
  size_t Count() {
    const int64_t number = Number();
    return number < 0 || static_cast<size_t>(number) > text_.rest().size()
               ? 0
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
  WordReader text_;
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
  return std::string(memo.text());
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

namespace {

std::string EndOfMemo(const Tables& tables, NodeIndex n) {
  const NodeSpec& spec = tables.nodes.spec[n];
  MemoWriter memo;
  memo.Number(static_cast<int64_t>(spec.taints.size()));
  for (const Taint& taint : spec.taints) {
    memo.Word(taint.key);
    memo.Word(taint.value);
    memo.Number(static_cast<int64_t>(taint.effect));
  }
  memo.Number(spec.unschedulable);
  const size_t dimensions = tables.dimension_count();
  int64_t amounts = 0;
  for (DimensionIndex d = 0; d < dimensions; ++d) amounts += AllocatableOf(tables, n, d) != 0;
  memo.Number(amounts);
  for (DimensionIndex d = 0; d < dimensions; ++d) {
    const int64_t amount = AllocatableOf(tables, n, d);
    if (amount == 0) continue;
    memo.Word(tables.dimensions.name(d));
    memo.Number(amount);
  }
  return std::string(memo.text());
}

}  // namespace

bool NodeMemos::EndsAsLast(NodeIndex n) const {
  if (last_ == kNone) return false;
  const NodeSpec &spec = tables_.nodes.spec[n], &last = tables_.nodes.spec[last_];
  return spec.taints.empty() && last.taints.empty() && spec.unschedulable == last.unschedulable &&
         std::ranges::equal(tables_.nodes.allocatable.row(n), tables_.nodes.allocatable.row(last_));
}

void NodeMemos::Append(NodeIndex n, WordWriter* memo) {
  if (!EndsAsLast(n)) end_ = EndOfMemo(tables_, n);
  last_ = n;
  WritePairs(tables_.nodes.spec[n].labels, memo);
  memo->Append(end_);
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
