// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Reads the text of a ClassAd expression. What AdExpression::Parse is made of.
//
//   AdParser parser(text, &names);
//   absl::StatusOr<AdExpression> expression = parser.Read();
//
// Failure. InvalidArgument with the number of the byte and the rule; so for whatever is not in the
// subset that class_ad.h lists, for texts beyond kMostBytes, and for nesting beyond kMostNesting.
#ifndef MUSTER_PEER_HTCONDOR_AD_PARSER_H_
#define MUSTER_PEER_HTCONDOR_AD_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/htcondor/class_ad.h"

namespace muster::condor {

class AdParser {
 public:
  AdParser(std::string_view text, AdNames* names) : text_(text), names_(*names) {}
  absl::StatusOr<AdExpression> Read();

 private:
  using Op = AdExpression::Op;
  static constexpr size_t kMostBytes = 1 << 16;
  static constexpr int kMostNesting = 100;

  // Each returns the number of the node that it made, and 0 after a failure.
  uint32_t ReadChoice();
  uint32_t ReadBinary(int level);
  uint32_t ReadUnary();
  uint32_t ReadOperand();
  uint32_t ReadNumber();
  uint32_t ReadText();
  uint32_t ReadWord();
  uint32_t ReadCall(std::string_view name);
  // Reads items up to the closing character.
  std::vector<uint32_t> ReadItems(char close);
  uint32_t Make(Op op, const std::vector<uint32_t>& operands = {}, uint32_t number = 0,
                AdValue value = {});

  void SkipSpace();
  // Takes the token if it comes next.
  bool Take(std::string_view token);
  bool TakeOperator(std::string_view token);
  std::string_view TakeName();
  uint32_t Fail(std::string_view rule);

  std::string_view text_;
  AdNames& names_;
  size_t at_ = 0;
  int nesting_ = 0;
  AdExpression made_;
  std::string error_;
};

}  // namespace muster::condor

#endif  // MUSTER_PEER_HTCONDOR_AD_PARSER_H_
