// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/mesos/settings.h"

#include <charconv>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "muster/quantity.h"

namespace muster::mesos {
namespace {

std::vector<std::string_view> Parts(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Takes `open`...`close` off the front of the text; nothing where it does not stand there.
std::optional<std::string_view> TakeBracket(std::string_view* text, char open, char close) {
  if (text->empty() || text->front() != open) return std::nullopt;
  const size_t end = text->find(close);
  if (end == text->npos) return std::nullopt;
  const std::string_view inside = text->substr(1, end - 1);
  text->remove_prefix(end + 1);
  return inside;
}

bool ReadAmount(std::string_view text, double* amount) {
  const absl::StatusOr<int64_t> thousandths = ParseQuantity(text, Unit::kMilli);
  if (!thousandths.ok() || *thousandths < 0 || ValueOf(*thousandths) > kMostAmount) return false;
  *amount = ValueOf(*thousandths);
  return true;
}

bool ReadRange(std::string_view text, std::pair<int64_t, int64_t>* range) {
  const size_t bar = text.find('-');
  if (bar == text.npos) return false;
  const auto read = [](std::string_view digits, int64_t* number) {
    const char* const end = digits.data() + digits.size();
    const auto [read_to, error] = std::from_chars(digits.data(), end, *number);
    return error == std::errc() && read_to == end && *number >= 0 && *number <= kMostNumber;
  };
  return read(text.substr(0, bar), &range->first) && read(text.substr(bar + 1), &range->second) &&
         range->first <= range->second;
}

std::string ReadResource(std::string_view text, Resource* resource) {
  const std::string place = Quote(text);
  const size_t name_end = text.find_first_of("([{<:");
  if (name_end == text.npos || name_end == 0) {
    return absl::StrCat("must have the form NAME:AMOUNT, not ", place);
  }
  resource->kind.name = std::string(text.substr(0, name_end));
  text.remove_prefix(name_end);
  if (const auto queues = TakeBracket(&text, '(', ')')) {
    for (const std::string_view queue : Parts(*queues, ',')) {
      resource->kind.reservations.emplace_back(queue);
    }
  }
  if (const auto disk = TakeBracket(&text, '[', ']')) resource->kind.disk = std::string(*disk);
  for (auto mark = TakeBracket(&text, '{', '}'); mark; mark = TakeBracket(&text, '{', '}')) {
    if (*mark != "REV") return absl::StrCat("must have no mark but {REV}, not ", place);
    resource->kind.revocable = true;
  }
  for (auto mark = TakeBracket(&text, '<', '>'); mark; mark = TakeBracket(&text, '<', '>')) {
    if (*mark != "SHARED" && *mark != "WHOLE") {
      return absl::StrCat("must have no mark but <SHARED> and <WHOLE>, not ", place);
    }
    (*mark == "SHARED" ? resource->kind.shared : resource->kind.indivisible) = true;
  }
  if (text.empty() || text.front() != ':') {
    return absl::StrCat("must have a \":\" before the amount of ", place);
  }
  text.remove_prefix(1);
  if (const auto ranges = TakeBracket(&text, '[', ']')) {
    resource->kind.ranges = true;
    for (const std::string_view range : Parts(*ranges, ',')) {
      if (!text.empty() || !ReadRange(range, &resource->ranges.emplace_back())) {
        return absl::StrCat("must have ranges [FIRST-LAST,...] within 0..1000000000, not ", place);
      }
    }
    return "";
  }
  if (ReadAmount(text, &resource->amount)) return "";
  return absl::StrCat("must have amounts in 0..1e10, not ", place);
}

std::string ReadConstraint(std::string_view text, Constraint* constraint) {
  if (text.empty()) return "must have no empty constraint";
  const bool negated = text.front() == '!';
  if (negated) text.remove_prefix(1);
  std::string_view name = text.substr(0, text.find('='));
  const bool tests_text = name.size() < text.size();
  if (tests_text) constraint->text = std::string(text.substr(name.size() + 1));
  const bool differs = tests_text && !name.empty() && name.back() == '!';
  if (differs) name.remove_suffix(1);
  if (name.empty() || (negated && tests_text)) {
    return absl::StrCat("must have the form NAME, !NAME, NAME=TEXT or NAME!=TEXT, not ",
                        Quote(text));
  }
  constraint->match = differs      ? Match::kTextNotEquals
                      : tests_text ? Match::kTextEquals
                      : negated    ? Match::kNotExists
                                   : Match::kExists;
  if (name.front() != '@') {
    constraint->attribute = std::string(name);
    return "";
  }
  if (name == "@hostname") constraint->selector = Selector::kHostname;
  if (name == "@region") constraint->selector = Selector::kRegion;
  if (name == "@zone") constraint->selector = Selector::kZone;
  if (constraint->selector != Selector::kAttribute) return "";
  return absl::StrCat("must name @hostname, @region or @zone, not ", Quote(name));
}

}  // namespace

std::string ParseResources(std::string_view text, std::vector<Resource>* resources) {
  for (const std::string_view part : Parts(text, ';')) {
    std::string broken = ReadResource(part, &resources->emplace_back());
    if (!broken.empty()) return broken;
  }
  return "";
}

std::string ParseSets(std::string_view text, std::vector<NamedAmounts>* sets) {
  if (text.empty()) return "";
  for (const std::string_view part : Parts(text, '|')) {
    std::vector<Resource> resources;
    std::string broken = ParseResources(part, &resources);
    if (!broken.empty()) return broken;
    NamedAmounts& set = sets->emplace_back();
    for (const Resource& resource : resources) {
      if (resource.kind.ranges) return "must have amounts, not ranges";
      set[resource.kind.name] += resource.amount;
    }
  }
  return "";
}

std::string ParseNames(std::string_view text, std::set<std::string>* names) {
  if (text.empty()) return "";
  for (const std::string_view name : Parts(text, '|')) {
    if (name.empty()) return "must have no empty name";
    names->emplace(name);
  }
  return "";
}

std::string ParseConstraints(std::string_view text, std::vector<ConstraintGroup>* groups) {
  for (const std::string_view part : Parts(text, '|')) {
    ConstraintGroup& group = groups->emplace_back();
    for (const std::string_view constraint : Parts(part, ';')) {
      std::string broken = ReadConstraint(constraint, &group.emplace_back());
      if (!broken.empty()) return broken;
    }
  }
  return "";
}

std::string ParseCapabilities(std::string_view text, Capabilities* capabilities) {
  const std::pair<std::string_view, bool*> known[] = {
      {"GPU_RESOURCES", &capabilities->gpus},
      {"REGION_AWARE", &capabilities->regions},
      {"SHARED_RESOURCES", &capabilities->shared},
      {"REVOCABLE_RESOURCES", &capabilities->revocable},
      {"RESERVATION_REFINEMENT", &capabilities->refined_reservations},
  };
  for (const std::string_view word : Parts(text, ';')) {
    bool found = false;
    for (const auto& [name, flag] : known) {
      if (name != word) continue;
      *flag = found = true;
    }
    if (!found) {
      return absl::StrCat("must list, with \";\" between them, some of GPU_RESOURCES, ",
                          "REGION_AWARE, SHARED_RESOURCES, REVOCABLE_RESOURCES and ",
                          "RESERVATION_REFINEMENT, not ", Quote(word));
    }
  }
  return "";
}

}  // namespace muster::mesos
