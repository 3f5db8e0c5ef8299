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
// `=?=` or `is`, `=!=` or `isnt`, `<`, `<=`, `>`, `>=`, `+`, `-`, `*`, `/`, `%`, `?:`, parentheses;
// attributes, alone or behind MY. and TARGET.; the functions of kFunctions (ad_functions.cc), and
// lists such as {1, 2} as arguments of these. Names of attributes and functions, and texts under
// `==`, ignore case. An attribute without prefix is looked up in the own ad, then in the other. An
// expression that an attribute stands for is evaluated from the ad that has it. time() is attribute
// kTimeName, which no text can name.
//
// Failure. Parse returns InvalidArgument with the place and the rule, and names what is not in the
// subset. Evaluate never fails: operators return undefined or error. An attribute that is asked for
// while it is evaluated is undefined. The whole evaluation is an error, whatever its operators
// would make of one, after kMostSteps nodes or beyond kMostReferences attributes that stand for one
// another, as in the peer. So it is beyond kMostDepth nodes, and beyond kMostStepsOfLoops nodes
// once an attribute was asked for while it was evaluated; the peer has no such limits.
//
// Cost. Evaluate: O(nodes of all expressions that it reaches), and a search of O(log attributes)
// for each name: what an attribute evaluates to is remembered within one evaluation, and its nodes
// count again as often as it is named. In a loop of attributes nothing is remembered, because a
// value depends on the way to it: O(kMostStepsOfLoops). Within kQuickRun it allocates nothing and
// copies no text, unless it calls one of most functions (ad_quick.cc).
#ifndef MUSTER_PEER_HTCONDOR_CLASS_AD_H_
#define MUSTER_PEER_HTCONDOR_CLASS_AD_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/names.h"
#include "lib/peer/htcondor/value.h"

namespace muster::condor {

using AdName = uint32_t;

// The attribute that has the seconds since 1970.
inline constexpr std::string_view kTimeName = "time()";

// Numbers for names of attributes, whatever their case.
class AdNames {
 public:
  AdName Of(std::string_view name);
  // Returns whether some expression, or the caller, has named the attribute. `name` is in lower
  // case.
  bool Knows(std::string_view name) const { return names_.Find(name).has_value(); }

 private:
  NameTable names_;
};

class ClassAd;

// A set of names.
class AdNameSet {
 public:
  bool Has(AdName name) const { return name < has_.size() && has_[name] != 0; }
  // Returns whether it is new.
  bool Add(AdName name) {
    if (Has(name)) return false;
    if (name >= has_.size()) has_.resize(name + size_t{1});
    has_[name] = 1;
    return true;
  }

 private:
  std::vector<uint8_t> has_;  // by name
};

class AdExpression {
 public:
  static constexpr int64_t kMostSteps = 10'000'000, kMostStepsOfLoops = 100'000;
  static constexpr int kMostReferences = 400;
  static constexpr int kMostDepth = 2'000;

  static absl::StatusOr<AdExpression> Parse(std::string_view text, AdNames* names);

  // `target` may be null.
  AdValue Evaluate(const ClassAd& my, const ClassAd* target) const;
  // Returns the same but for the text.
  AdScalar EvaluateScalar(const ClassAd& my, const ClassAd* target) const;

  // Adds the names that the expression has. Returns whether any is new.
  bool AddNames(AdNameSet* names) const;
  // Appends a text that equal expressions, and no others, have.
  void AppendKey(std::string* key) const;

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
    uint32_t number = 0;            // a name, a function, or the place of a value
    uint32_t first = 0, count = 0;  // the places of its operands
  };

  // What an attribute evaluated to, and what that took: nodes, depth of nodes and of attributes.
  struct Known {
    const ClassAd* ad;
    AdName name;
    int64_t steps;
    int depth;
    size_t references;
    AdValue value;
  };

  // One evaluation with all that it evaluates on the way.
  struct Run {
    int64_t steps = 0;
    int depth = 0, deepest = 0;
    bool failed = false, in_loop = false;
    std::vector<const AdExpression*> active;  // those that attributes stand for
    size_t most_active = 0;
    std::vector<Known> known;
  };

  // What a quick evaluation may still do.
  struct QuickRun {
    int steps, references;
  };
  static constexpr QuickRun kQuickRun = {.steps = 1'000, .references = 8};
  // Returns false, and no view, where the evaluation has to remember or copy something.
  bool Quick(uint32_t node, const ClassAd& my, const ClassAd* target, QuickRun* run,
             AdView* view) const;
  bool QuickName(const Node& node, const ClassAd& my, const ClassAd* target, QuickRun* run,
                 AdView* view) const;
  bool QuickLogic(const Node& node, const ClassAd& my, const ClassAd* target, QuickRun* run,
                  AdView* view) const;
  bool QuickCall(const Node& node, const ClassAd& my, const ClassAd* target, QuickRun* run,
                 AdView* view) const;

  AdValue EvaluateFully(const ClassAd& my, const ClassAd* target) const;
  uint32_t operand(const Node& node, size_t i) const { return operands_[node.first + i]; }
  std::span<const uint32_t> operands(const Node& node) const {
    return {operands_.data() + node.first, node.count};
  }
  AdValue ValueOf(uint32_t node, const ClassAd& my, const ClassAd* target, Run* run) const;
  // As ValueOf, without a copy of what stands in a node or an ad; `kept` holds all else.
  const AdValue& Operand(uint32_t node, const ClassAd& my, const ClassAd* target, Run* run,
                         AdValue* kept) const;
  const AdValue* Plain(const Node& node, const ClassAd& my, const ClassAd* target) const;
  AdValue Compute(const Node& node, const ClassAd& my, const ClassAd* target, Run* run) const;
  static AdScalar Binary(Op op, const AdView& a, const AdView& b);
  static AdScalar Comparison(Op op, const AdView& a, const AdView& b);
  // A value as an operand of `||`, `&&`, `!` and `?:`.
  static AdScalar Truth(const AdScalar& value);
  // Returns whether the first operand of the operator is its value already.
  static bool Decides(Op op, const AdScalar& first);
  static AdScalar Joined(Op op, const AdScalar& first, const AdScalar& second);
  AdValue Logic(const Node& node, const ClassAd& my, const ClassAd* target, Run* run) const;
  AdValue Call(const Node& node, const ClassAd& my, const ClassAd* target, Run* run) const;

  std::vector<Node> nodes_;
  std::vector<uint32_t> operands_;  // places in nodes_
  std::vector<AdValue> values_;
  uint32_t root_ = 0;
};

class ClassAd {
 public:
  // Replaces the attribute.
  void Set(AdName name, AdValue value);
  void Set(AdName name, AdExpression expression);
  // Ads may share the expression, but not the two of one evaluation.
  void Set(AdName name, std::shared_ptr<const AdExpression> expression);
  void Remove(AdName name);
  bool has(AdName name) const { return Find(name) != nullptr; }
  // Returns the value of the attribute of this ad, evaluated against `target`; undefined: none.
  AdValue Get(AdName name, const ClassAd* target = nullptr) const;
  // Returns the same but for the text.
  AdScalar GetScalar(AdName name, const ClassAd* target = nullptr) const;
  // Returns the text that the value is; empty: it is none.
  std::string GetText(AdName name, const ClassAd* target = nullptr) const;

  // Adds the names that expressions of this ad have.
  void AddNames(AdNameSet* names) const;
  // Appends a text that ads which are equal in all attributes of `names`, and no others, have. The
  // names in their expressions join the set. Returns whether any is new.
  bool AppendKey(AdNameSet* names, std::string* key) const;
  // Appends a text that ads which share all attributes of `names`, and no others, have: equal
  // values, and expressions that are one object.
  void AppendSharedKey(const AdNameSet& names, std::string* key) const;

 private:
  friend class AdExpression;
  struct Entry {
    AdValue value;
    std::shared_ptr<const AdExpression> expression;  // null: the value
  };
  const Entry* Find(AdName name) const {
    return (filter_ & BitOf(name)) == 0 ? nullptr : Search(name);
  }
  const Entry* Search(AdName name) const;
  static uint64_t BitOf(AdName name) { return uint64_t{1} << (name & 63); }
  Entry& Make(AdName name);
  // As an attribute of an expression.
  AdValue Refer(AdName name, const ClassAd* target, AdExpression::Run* run) const;
  AdValue EvaluateOnce(AdName name, const AdExpression& expression, const ClassAd* target,
                       AdExpression::Run* run) const;

  // Where the name is, or would be.
  size_t PlaceOf(AdName name) const;

  uint64_t filter_ = 0;         // a bit for each name: most searches are for names that an ad lacks
  std::vector<AdName> names_;   // ascending
  std::vector<Entry> entries_;  // of each name
};

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_CLASS_AD_H_
