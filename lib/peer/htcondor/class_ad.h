// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// ClassAds: attributes with values and expressions, evaluated against another ad.
//
//   AdNames names;
//   ClassAd slot, job;
//   slot.Set(names.Of("Memory"), AdValue::Of(int64_t{4096}));
//   absl::StatusOr<AdExpression> rank = AdExpression::Parse("TARGET.Memory * 2.0", &names);
//   AdValue value = rank->Evaluate(job, &slot);
//
// A subset of the language: truth values, integers, reals and texts; `||`, `&&`, `!`, `==`, `!=`,
// `=?=`, `=!=`, `<`, `<=`, `>`, `>=`, `+`, `-`, `*`, `/`, `%`, `?:`, parentheses; attributes, alone
// or behind MY. and TARGET.; and the functions of kFunctions. Names of attributes and functions,
// and texts under `==`, ignore case. An attribute without prefix is looked up in the own ad, then
// in the other. An expression that an attribute stands for is evaluated from the ad that has it.
//
// Failure. Parse returns InvalidArgument with the place and the rule, and names what is not in the
// subset. Evaluate never fails: operators return undefined or error. Depth is bounded, so that
// attributes which stand for each other end in error.
//
// Cost. Evaluate: O(nodes of the expression), and a search of O(log attributes) for each name.
#ifndef MUSTER_PEER_HTCONDOR_CLASS_AD_H_
#define MUSTER_PEER_HTCONDOR_CLASS_AD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/names.h"
#include "lib/peer/htcondor/value.h"

namespace muster::condor {

using AdName = uint32_t;

// Numbers for names of attributes, whatever their case.
class AdNames {
 public:
  AdName Of(std::string_view name);

 private:
  NameTable names_;
};

class ClassAd;

class AdExpression {
 public:
  static absl::StatusOr<AdExpression> Parse(std::string_view text, AdNames* names);

  // `target` may be null.
  AdValue Evaluate(const ClassAd& my, const ClassAd* target) const {
    return ValueOf(root_, my, target, 0);
  }

 private:
  friend class ClassAd;
  friend class AdParser;
  enum class Op : uint8_t {
    kValue,
    kName,
    kMyName,
    kTargetName,
    kList,
    kCall,
    kOr,
    kAnd,
    kNot,
    kNegate,
    kEqual,
    kUnequal,
    kIs,
    kIsNot,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kPlus,
    kMinus,
    kTimes,
    kDivide,
    kRemainder,
    kChoose,
  };
  struct Node {
    Op op = Op::kValue;
    uint32_t number = 0;             // a name, or a function
    std::vector<uint32_t> operands;  // in nodes_
    AdValue value;
  };

  AdValue ValueOf(uint32_t node, const ClassAd& my, const ClassAd* target, int depth) const;
  static AdValue Comparison(Op op, const AdValue& a, const AdValue& b);
  AdValue Logic(const Node& node, const ClassAd& my, const ClassAd* target, int depth) const;
  AdValue Call(const Node& node, const ClassAd& my, const ClassAd* target, int depth) const;

  std::vector<Node> nodes_;
  uint32_t root_ = 0;
};

class ClassAd {
 public:
  // Replaces the attribute.
  void Set(AdName name, AdValue value);
  void Set(AdName name, AdExpression expression);
  void Remove(AdName name);
  bool has(AdName name) const { return Find(name) != nullptr; }
  // Returns the value of the attribute of this ad, evaluated against `target`; undefined: none.
  AdValue Get(AdName name, const ClassAd* target = nullptr) const { return Get(name, target, 0); }

 private:
  friend class AdExpression;
  struct Entry {
    AdName name;
    AdValue value;
    std::shared_ptr<const AdExpression> expression;  // null: the value
  };
  const Entry* Find(AdName name) const;
  Entry& Make(AdName name);
  AdValue Get(AdName name, const ClassAd* target, int depth) const;

  std::vector<Entry> entries_;  // by name
};

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_CLASS_AD_H_
