// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/binding/question.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace muster::binding {

// Without a default, so that the compiler names a point that is missing here.
AnswerForm FormOf(Point point) {
  switch (point) {
    case Point::kJobOrder:
    case Point::kQueueOrder:
    case Point::kTaskOrder:
    case Point::kVictimQueueOrder:
    case Point::kSubGroupOrder:
    case Point::kScore:
    case Point::kDomainScore:
      return {Form::kKey, 0};
    case Point::kFit:
    case Point::kAllocatable:
    case Point::kPreemptive:
    case Point::kValid:
    case Point::kReady:
    case Point::kStarving:
    case Point::kSubGroupReady:
      return {Form::kFlag, 1};
    case Point::kOverused:
    case Point::kPreemptable:
    case Point::kReclaimable:
    case Point::kEvictable:
    case Point::kVictims:
      return {Form::kFlag, 0};
    case Point::kAdmit:
    case Point::kPipelined:
    case Point::kSubGroupPipelined:
      return {Form::kVote, 0};
    case Point::kDomainSearch:
      return {Form::kRank, -1};
  }
  return {Form::kKey, 0};
}

std::string FaultOf(Form form, double answer) {
  if (std::isnan(answer)) return " is not a number";
  if (std::isinf(answer)) return " is infinite";
  switch (form) {
    case Form::kKey:
      return "";
    case Form::kFlag:
      if (answer == 0 || answer == 1) return "";
      return absl::StrCat(" is ", answer, "; must be 0 or 1");
    case Form::kVote:
      if (answer == -1 || answer == 0 || answer == 1) return "";
      return absl::StrCat(" is ", answer, "; must be -1, 0 or 1");
    case Form::kRank:
      if (answer >= -1 && answer == std::floor(answer)) return "";
      return absl::StrCat(" is ", answer, "; must be -1 or a rank of 0 or more");
  }
  return "";
}

}  // namespace muster::binding
