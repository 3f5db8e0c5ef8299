// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers are read whole, without a blank in front, and blind to the locale.
#include "tools/muster/flags.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/decimal.h"
#include "lib/base/strings.h"
#include "tools/muster/spec_candidates.h"

namespace muster {
namespace {

template <class Number>
std::function<absl::Status(const std::string&)> NumberReader(std::string_view what, Number* out) {
  return [what, out](const std::string& text) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = ReadDecimal(text.data(), end, *out);
    if (error == std::errc() && stop == end) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", ToAbsl(what), ", got ", Quote(text)));
  };
}

absl::Status NotEmpty(const std::string& text) {
  return text.empty() ? absl::InvalidArgumentError("must not be empty") : absl::OkStatus();
}

// The candidates for the value of a flag, by its placeholder. Empty: names of things, if any.
std::string ValuesOf(std::string_view placeholder, const std::string& value) {
  if (placeholder == "F") return "table\njson\ncsv\n";
  if (placeholder == "WHEN") return "auto\nalways\nnever\n";
  if (placeholder == "M") return "uniform\nopenb\nphilly\nhpc\n";
  if (placeholder == "FILE" || placeholder == "DIR") return ":files\n";
  if (placeholder == "P" || placeholder == "PROFILE") return SpecCandidates(value);
  return "";
}

// Where the last item of a value begins that lists several.
size_t LastItem(std::string_view placeholder, std::string_view value) {
  if (placeholder != "PROFILES" && placeholder != "NODES") return 0;
  return value.find_last_of(placeholder == "NODES" ? ',' : ' ') + 1;  // 0: there is one item
}

// Each line with `head` in front of it; what stands for the names of files stays.
std::string WithHead(std::string_view head, std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const size_t end = lines.find('\n') + 1;
    const std::string_view line = lines.substr(0, end);
    absl::StrAppend(&out, line == ":files\n" ? "" : ToAbsl(head), ToAbsl(line));
    lines.remove_prefix(end);
  }
  return out;
}

}  // namespace

void FlagSet::Switch(std::string name, bool* out, std::string help) {
  flags_.push_back({std::move(name), "", std::move(help), [out](const std::string&) {
                      *out = true;
                      return absl::OkStatus();
                    }});
}

void FlagSet::Value(std::string name, std::string placeholder, std::string* out, std::string help) {
  flags_.push_back(
      {std::move(name), std::move(placeholder), std::move(help), [out](const std::string& text) {
         if (absl::Status s = NotEmpty(text); !s.ok()) return s;
         *out = text;
         return absl::OkStatus();
       }});
}

void FlagSet::Values(std::string name, std::string placeholder, std::vector<std::string>* out,
                     std::string help) {
  flags_.push_back(
      {std::move(name), std::move(placeholder), std::move(help), [out](const std::string& text) {
         if (absl::Status s = NotEmpty(text); !s.ok()) return s;
         out->push_back(text);
         return absl::OkStatus();
       }});
}

void FlagSet::Value(std::string name, std::string placeholder, int64_t* out, std::string help) {
  flags_.push_back(
      {std::move(name), std::move(placeholder), std::move(help), NumberReader("an integer", out)});
}

void FlagSet::Value(std::string name, std::string placeholder, uint64_t* out, std::string help) {
  flags_.push_back({std::move(name), std::move(placeholder), std::move(help),
                    NumberReader("an integer that is not negative", out)});
}

void FlagSet::Value(std::string name, std::string placeholder, double* out, std::string help) {
  flags_.push_back(
      {std::move(name), std::move(placeholder), std::move(help), NumberReader("a number", out)});
}

void FlagSet::Value(std::string name, std::string placeholder, std::optional<int64_t>* out,
                    std::string help) {
  flags_.push_back(
      {std::move(name), std::move(placeholder), std::move(help), [out](const std::string& text) {
         return NumberReader("an integer", &out->emplace())(text);
       }});
}

void FlagSet::Value(std::string name, std::string placeholder, std::optional<uint64_t>* out,
                    std::string help) {
  flags_.push_back(
      {std::move(name), std::move(placeholder), std::move(help), [out](const std::string& text) {
         return NumberReader("an integer that is not negative", &out->emplace())(text);
       }});
}

const FlagSet::Flag* FlagSet::Find(std::string_view name) const {
  const auto flag =
      std::find_if(flags_.begin(), flags_.end(), [name](const Flag& f) { return f.name == name; });
  return flag == flags_.end() ? nullptr : &*flag;
}

absl::StatusOr<std::vector<std::string>> FlagSet::Parse(
    const std::vector<std::string>& arguments) const {
  std::vector<std::string> others;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") {
      others.insert(others.end(), arguments.begin() + static_cast<ptrdiff_t>(i) + 1,
                    arguments.end());
      break;
    }
    if (argument.size() < 2 || argument[0] != '-') {
      others.push_back(argument);
      continue;
    }
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const Flag* flag = Find(name);
    if (flag == nullptr) {
      std::vector<std::string_view> valid;
      for (const Flag& f : flags_) valid.push_back(f.name);
      const std::string_view nearest = NearestName(name, valid);
      return absl::InvalidArgumentError(absl::StrCat("unknown flag ", name,
                                                     nearest.empty() ? "" : ", did you mean ",
                                                     ToAbsl(nearest), nearest.empty() ? "" : "?"));
    }
    const bool is_switch = flag->placeholder.empty();
    std::string value;
    if (equals != std::string::npos) {
      if (is_switch) return absl::InvalidArgumentError(absl::StrCat(name, " takes no value"));
      value = argument.substr(equals + 1);
    } else if (!is_switch) {
      if (++i == arguments.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat(name, " needs a value, ", flag->placeholder));
      }
      value = arguments[i];
    }
    const absl::Status status = flag->set(value);
    if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat(name, ": ", status.message()));
  }
  return others;
}

std::vector<std::string> FlagSet::Others(std::span<const std::string> arguments) const {
  std::vector<std::string> others;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Flag* flag = Find(arguments[i]);
    if (flag != nullptr && !flag->placeholder.empty()) ++i;
    if (flag == nullptr && !arguments[i].starts_with("-")) others.push_back(arguments[i]);
  }
  return others;
}

std::string FlagSet::Candidates(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& places,
                                const NamesIn& names) const {
  const std::string word = arguments.empty() ? "" : arguments.back();
  const size_t given = arguments.empty() ? 0 : arguments.size() - 1;
  const std::vector<std::string> others = Others(std::span(arguments).first(given));
  const auto values = [&](const std::string& placeholder, const std::string& value) {
    const size_t begin = LastItem(placeholder, value);
    const std::string item = value.substr(begin);
    const std::string one = placeholder == "PROFILES" || placeholder == "NODES"
                                ? placeholder.substr(0, placeholder.size() - 1)
                                : placeholder;
    const std::string known = ValuesOf(one, item);
    return WithHead(value.substr(0, begin),
                    known.empty() && !others.empty() ? names(others[0], one, item) : known);
  };
  const Flag* before = given == 0 ? nullptr : Find(arguments[given - 1]);
  if (before != nullptr && !before->placeholder.empty()) return values(before->placeholder, word);
  std::string out;
  if (word.starts_with("-")) {
    const size_t equals = word.find('=');
    const Flag* flag = equals == word.npos ? nullptr : Find(word.substr(0, equals));
    if (flag != nullptr && !flag->placeholder.empty()) {
      return WithHead(word.substr(0, equals + 1),
                      values(flag->placeholder, word.substr(equals + 1)));
    }
    for (const Flag& one : flags_) absl::StrAppend(&out, one.name, "\t", one.help, "\n");
    return out;
  }
  if (places.empty()) return ":files\n";
  std::string place = places[std::min(others.size(), places.size() - 1)];
  const bool repeats = place.ends_with("...") || place.ends_with("...]");
  if (others.size() >= places.size() && !repeats) return "";
  std::erase_if(place, [](char c) { return c == '[' || c == ']' || c == '.'; });
  if (const std::string known = values(place, word); !known.empty()) return known;
  for (const auto one : absl::StrSplit(place, '|')) {
    if (!absl::ascii_isupper(static_cast<unsigned char>(one[0]))) absl::StrAppend(&out, one, "\n");
  }
  return out;
}

std::string FlagSet::Help() const {
  const auto head = [](const Flag& flag) {
    return flag.placeholder.empty() ? flag.name : absl::StrCat(flag.name, " ", flag.placeholder);
  };
  size_t width = 0;
  for (const Flag& flag : flags_) width = std::max(width, head(flag).size());
  std::string out;
  for (const Flag& flag : flags_) {
    const std::string text = head(flag);
    const std::string line =
        absl::StrCat("  ", text, std::string(width - text.size() + 2, ' '), flag.help);
    absl::StrAppend(&out, Wrap(line, width + 4), "\n");
  }
  return out;
}

std::string Wrap(std::string_view text, size_t indent) {
  constexpr size_t kColumns = 100;
  std::string out;
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    for (size_t before = 0; before + line.size() > kColumns; before = indent) {
      const size_t blank = line.rfind(' ', kColumns - before);
      if (blank == std::string_view::npos || blank + before <= indent) break;
      absl::StrAppend(&out, ToAbsl(line.substr(0, blank)), "\n", std::string(indent, ' '));
      line.remove_prefix(blank + 1);
    }
    absl::StrAppend(&out, ToAbsl(line));
    if (end == text.size()) return out;
    out.push_back('\n');
    text.remove_prefix(end + 1);
  }
}

}  // namespace muster
