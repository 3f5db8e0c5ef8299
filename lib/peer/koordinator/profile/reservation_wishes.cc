// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/profile/reservation_wishes.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/hash_map.h"
#include "lib/base/strings.h"
#include "lib/kube/selectors.h"
#include "lib/model/words.h"

namespace muster::koordinator {
namespace {

constexpr std::string_view kName = "koordinator/reservation-name",
                           kAffinity = "koordinator/reservation-affinity",
                           kTolerations = "koordinator/reservation-tolerations",
                           kExact = "koordinator/reservation-exact",
                           kUnreadable = "koordinator/reservation-unreadable",
                           kIgnored = "scheduling.koordinator.sh/reservation-ignored";
constexpr absl::string_view kNoKey = " ,;()<>=!*";

bool IsKey(absl::string_view text) {
  return !text.empty() && text.find_first_of(kNoKey) == text.npos;
}

// Splits at commas outside of parentheses.
std::vector<absl::string_view> SplitTerm(absl::string_view term) {
  std::vector<absl::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= term.size(); ++i) {
    if (i < term.size() && term[i] == '(') ++depth;
    if (i < term.size() && term[i] == ')') --depth;
    if (i < term.size() && (term[i] != ',' || depth > 0)) continue;
    parts.push_back(absl::StripAsciiWhitespace(term.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

// Each returns false for text that has not the form.
bool ReadSet(absl::string_view key, RequirementOp op, absl::string_view list, Requirement* out) {
  if (list.size() < 3 || list.back() != ')') return false;
  *out = {std::string(key), op, {}};
  for (const absl::string_view value : absl::StrSplit(list.substr(0, list.size() - 1), ',')) {
    out->values.emplace_back(value);
  }
  return IsKey(key);
}

bool ReadRequirement(absl::string_view text, Requirement* out) {
  for (const auto& [word, op] : {std::pair(absl::string_view(" notin ("), RequirementOp::kNotIn),
                                 std::pair(absl::string_view(" in ("), RequirementOp::kIn)}) {
    const size_t at = text.find(word);
    if (at != text.npos) return ReadSet(text.substr(0, at), op, text.substr(at + word.size()), out);
  }
  if (const size_t at = text.find_first_of("<>"); at != text.npos) {
    int64_t number = 0;
    *out = {std::string(text.substr(0, at)),
            text[at] == '>' ? RequirementOp::kGt : RequirementOp::kLt,
            {std::string(text.substr(at + 1))}};
    return IsKey(text.substr(0, at)) && absl::SimpleAtoi(out->values[0], &number);
  }
  const bool is_absent = !text.empty() && text[0] == '!';
  const absl::string_view key = is_absent ? text.substr(1) : text;
  *out = {std::string(key), is_absent ? RequirementOp::kDoesNotExist : RequirementOp::kExists, {}};
  return IsKey(key);
}

bool ReadTerms(const std::string& text, std::optional<std::vector<NodeTerm>>* terms) {
  if (text == "*") return true;
  terms->emplace();
  for (const absl::string_view part : absl::StrSplit(text, ';')) {
    NodeTerm& term = (*terms)->emplace_back();
    if (absl::StripAsciiWhitespace(part).empty()) continue;
    for (const absl::string_view item : SplitTerm(part)) {
      if (!ReadRequirement(item, &term.match_expressions.emplace_back())) return false;
    }
  }
  return true;
}

bool ReadTolerations(const std::string& text, std::vector<Toleration>* out) {
  for (absl::string_view item : absl::StrSplit(text, ',')) {
    Toleration& toleration = out->emplace_back();
    toleration.op = TolerationOp::kExists;
    if (item == "*") continue;
    if (const size_t colon = item.find(':'); colon != item.npos) {
      const absl::string_view word = item.substr(colon + 1);
      const auto effect = ParseWord<TaintEffect>(std::string_view(word.data(), word.size()));
      if (!effect || *effect == TaintEffect::kUnset) return false;
      toleration.effect = *effect;
      item = item.substr(0, colon);
    }
    if (const size_t equal = item.find('='); equal != item.npos) {
      toleration.op = TolerationOp::kEqual;
      toleration.value = std::string(item.substr(equal + 1));
      item = item.substr(0, equal);
    }
    toleration.key = std::string(item);
    if (!IsKey(item)) return false;
  }
  return true;
}

absl::Status Wrong(std::string_view label, const std::string& text, absl::string_view form) {
  return absl::InvalidArgumentError(
      absl::StrCat("label ", ToAbsl(label), ": ", Quote(text), " is not ", form));
}

}  // namespace

absl::StatusOr<ReservationClaim> ReadReservationClaim(const TaskShape& shape) {
  ReservationClaim claim;
  const std::string* ignored = FindLabel(shape.labels, kIgnored);
  claim.ignores = ignored != nullptr && *ignored == "true";
  claim.is_readable = FindLabel(shape.labels, kUnreadable) == nullptr;
  if (const std::string* text = FindLabel(shape.labels, kExact)) {
    claim.exact = absl::StrSplit(*text, ',');
    for (const std::string& name : claim.exact) {
      if (name.empty()) return Wrong(kExact, *text, "RESOURCE,...");
    }
  }
  ReservationWish wish;
  const std::string* name = FindLabel(shape.labels, kName);
  if (name != nullptr) wish.name = *name;
  const std::string* affinity = FindLabel(shape.labels, kAffinity);
  if (affinity != nullptr && !ReadTerms(*affinity, &wish.shape.required_node_affinity)) {
    return Wrong(kAffinity, *affinity, "\"*\", or KEY in (VALUE,...), KEY, !KEY, KEY>NUMBER, ...");
  }
  const std::string* tolerations = FindLabel(shape.labels, kTolerations);
  if (tolerations != nullptr && !ReadTolerations(*tolerations, &wish.shape.tolerations)) {
    return Wrong(kTolerations, *tolerations, "KEY=VALUE:EFFECT,... or \"*\"");
  }
  const bool has_wish = name != nullptr || affinity != nullptr || tolerations != nullptr;
  if (has_wish) claim.wish = std::move(wish);
  return claim;
}

absl::Status CheckReservationClaims(const Tables& tables) {
  HashSet<ClassIndex> seen;
  for (TaskIndex t = 0; t < tables.tasks.alive.size(); ++t) {
    if (!tables.tasks.alive[t] || !seen.insert(tables.tasks.task_class[t]).second) continue;
    const auto claim = ReadReservationClaim(tables.classes.shape[tables.tasks.task_class[t]]);
    if (claim.ok()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("task ", Quote(tables.tasks.names.name(t)), ", ", claim.status().message()));
  }
  return absl::OkStatus();
}

}  // namespace muster::koordinator
