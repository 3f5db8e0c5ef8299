// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/class_ads.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

using condor::AdExpression;
using condor::AdValue;

bool IsWordPart(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

// Returns where the text that begins at the quote ends.
size_t EndOfText(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// Texts beyond this are no expressions, so what would come behind does not matter.
constexpr size_t kMostBytes = 1 << 16;

// Replaces each attribute by replace(its name in lower case, the word).
template <class Replace>
std::string ReplaceNames(std::string_view text, Replace replace) {
  std::string made;
  for (size_t at = 0, end = 0; at < text.size() && made.size() <= kMostBytes; at = end) {
    if (text[at] == '"') {
      end = EndOfText(text, at);
      made.append(text.substr(at, end - at));
    } else if (!IsWordPart(text[at])) {
      end = at + 1;
      made.push_back(text[at]);
    } else {
      while (end < text.size() && IsWordPart(text[end])) ++end;
      const std::string_view word = text.substr(at, end - at);
      std::string name = absl::AsciiStrToLower(ToAbsl(word));
      if (name.starts_with("my.")) name.erase(0, 3);
      made += replace(name, word);
    }
  }
  return made;
}

// Whether the requirements are those that each slot has by default: START, and room.
bool IsPlain(std::string_view requirements) {
  std::string text;
  for (const char c : requirements) {
    if (c != '(' && c != ')' && !absl::ascii_isspace(static_cast<unsigned char>(c))) {
      text.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
    }
  }
  return text == "start" || text == "start&&withinresourcelimits";
}

}  // namespace

std::string ExpressionText(const Field& field) {
  if (field.kind() == JsonKind::kBool) return field.truthy() ? "true" : "false";
  const std::string text = field.ScalarText();
  if (field.kind() != JsonKind::kString) return text;
  constexpr std::string_view kOpen = "/Expr(", kClose = ")/";
  if (text.starts_with(kOpen) && text.ends_with(kClose)) {
    return text.substr(kOpen.size(), text.size() - kOpen.size() - kClose.size());
  }
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted + "\"";
}

std::string StartRule(const Field& ad) {
  const Field start = ad["Start"], requirements = ad["Requirements"];
  const std::string own = start.given() ? ExpressionText(start) : "";
  if (!requirements.given()) return own;
  const std::string text = ExpressionText(requirements);
  if (start.given() && IsPlain(text)) return own;
  return ReplaceNames(text, [&](std::string_view name, std::string_view word) {
    if (name == "withinresourcelimits") return std::string("true");
    if (name == "start" && start.given()) return absl::StrCat("(", own, ")");
    return std::string(word);
  });
}

absl::Status AdReader::Note(std::string_view text) {
  const absl::StatusOr<AdExpression> parsed = AdExpression::Parse(text, &names_);
  if (parsed.ok()) parsed->AddNames(&named_);
  return parsed.status();
}

void AdReader::Close(const Dump& dump) {
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& ad : dump.all()) {
      for (const Field& field : ad->root().Children()) {
        if (field.kind() != JsonKind::kString || !IsNamed(field.key())) continue;
        const absl::StatusOr<AdExpression> parsed =
            AdExpression::Parse(ExpressionText(field), &names_);
        if (parsed.ok()) grew |= parsed->AddNames(&named_);
      }
    }
  }
}

absl::StatusOr<AdValue> AdReader::ValueOf(const ApiObject& ad, const Field& field) {
  const absl::StatusOr<AdExpression> parsed = AdExpression::Parse(ExpressionText(field), &names_);
  if (!parsed.ok()) return parsed.status();
  condor::AdNameSet needed;
  parsed->AddNames(&needed);
  condor::ClassAd own;
  own.Set(names_.Of(condor::kTimeName), AdValue::Of(now_));
  for (const Field& other : ad.root().Children()) {
    if (!needed.Has(names_.Of(other.key()))) continue;
    absl::StatusOr<AdExpression> value = AdExpression::Parse(ExpressionText(other), &names_);
    if (value.ok()) own.Set(names_.Of(other.key()), *std::move(value));
  }
  return parsed->Evaluate(own, nullptr);
}

}  // namespace muster
