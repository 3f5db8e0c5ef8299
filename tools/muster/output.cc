// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/output.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/strings.h"
#include "tools/muster/command.h"

namespace muster {
namespace {

using Document = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kFormats = {"table", "json", "csv"};
constexpr std::array<std::string_view, 3> kColors = {"auto", "always", "never"};

Format output_format = Format::kTable;
bool format_is_given = false, colors_output = false, colors_errors = false;

absl::Status NotAWord(std::string_view flag, const std::string& given,
                      const std::array<std::string_view, 3>& words) {
  std::string known;
  for (const std::string_view word : words) {
    absl::StrAppend(&known, known.empty() ? "" : ", ", ToAbsl(word));
  }
  return absl::InvalidArgumentError(absl::StrCat(ToAbsl(flag), ": expected one of ", known,
                                                 ", got ", Quote(given),
                                                 SuggestName(given, words)));
}

bool IsTerminal(int stream) {
  const char* none = std::getenv("NO_COLOR");  // https://no-color.org
  const char* terminal = std::getenv("TERM");
  return isatty(stream) != 0 && (none == nullptr || *none == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

// --- CSV

using Cells = std::vector<std::pair<std::string, std::string>>;  // column, text

std::string TextOf(const Document& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, Document::error_handler_t::replace);
}

bool IsList(const Document& value) {
  return value.is_array() && std::any_of(value.begin(), value.end(),
                                         [](const Document& v) { return v.is_structured(); });
}

// A column for each leaf, named by its path; lists of plain values are one cell.
void Flatten(const std::string& name, const Document& value, Cells* out) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) {
      Flatten(name.empty() ? key : absl::StrCat(name, ".", key), inner, out);
    }
  } else if (value.is_array() && !IsList(value)) {
    std::vector<std::string> parts;
    for (const Document& part : value) parts.push_back(TextOf(part));
    out->emplace_back(name, absl::StrJoin(parts, ";"));
  } else if (!value.is_array()) {
    out->emplace_back(name.empty() ? "value" : name, TextOf(value));
  }
}

// As Flatten, with the elements of lists, too: by their `name` where they have one.
void FlattenAll(const std::string& name, const Document& value, Cells* out) {
  if (!IsList(value) && !value.is_object()) return Flatten(name, value, out);
  size_t i = 0;
  for (const auto& [key, inner] : value.items()) {
    std::string step = key;
    if (value.is_array()) step = inner.contains("name") ? TextOf(inner["name"]) : std::to_string(i);
    ++i;
    FlattenAll(name.empty() ? step : absl::StrCat(name, ".", step), inner, out);
  }
}

// `outer` are the columns of the elements around.
void AddRows(const Document& document, const std::vector<std::string>& path, size_t step,
             const Cells& outer, std::vector<Cells>* rows) {
  const auto list = document.find(path[step]);
  if (list == document.end() || !list->is_array()) return;
  for (const Document& element : *list) {
    Cells row = outer;
    if (step + 1 < path.size()) {
      for (const auto& [key, value] : element.items()) {
        if (value.is_primitive()) row.emplace_back(key, TextOf(value));
      }
      AddRows(element, path, step + 1, row, rows);
    } else {
      Flatten("", element, &row);
      rows->push_back(std::move(row));
    }
  }
}

// RFC 4180, with a line feed at the end of lines.
void AppendCell(std::string_view text, std::string* out) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out->append(text);
    return;
  }
  out->push_back('"');
  for (const char c : text) {
    if (c == '"') out->push_back('"');
    out->push_back(c);
  }
  out->push_back('"');
}

void AppendLine(const std::vector<std::string_view>& cells, std::string* out) {
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendCell(cells[i], out);
  }
  out->push_back('\n');
}

// `columns`: those that come first, and are there without rows, too.
std::string Csv(std::vector<std::string_view> columns, const std::vector<Cells>& rows) {
  for (const Cells& row : rows) {
    for (const auto& [name, text] : row) {
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    }
  }
  std::string out;
  if (!columns.empty()) AppendLine(columns, &out);
  for (const Cells& row : rows) {
    std::vector<std::string_view> cells(columns.size());
    for (const auto& [name, text] : row) {
      cells[static_cast<size_t>(std::find(columns.begin(), columns.end(), name) -
                                columns.begin())] = text;
    }
    AppendLine(cells, &out);
  }
  return out;
}

// --- colors

constexpr std::string_view kRed = "31", kGreen = "32", kYellow = "33", kCyan = "36", kBold = "1";
// The first word of a line, or else the word behind its first colon.
constexpr std::pair<std::string_view, std::string_view> kWords[] = {
    {"ok", kGreen},       {"FAILED", kRed},    {"bind", kGreen},    {"evict", kRed},
    {"nominate", kCyan},  {"admit", kCyan},    {"move", kCyan},     {"reserve", kCyan},
    {"pending", kYellow}, {"starts", kGreen},  {"stops", kRed},     {"moves", kCyan},
    {"running", kGreen},  {"remedies", kBold}, {"profiles", kBold}, {"policies", kBold},
};

// Anywhere in other lines; the first one counts.
constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
    {"goes", kCyan},    {"ends", kRed},       {"wait", kYellow},  {"waits", kYellow},
    {"later", kYellow}, {"undone", kYellow},  {"helps", kYellow}, {"place", kGreen},
    {"places", kGreen}, {"waiting", kYellow},
};

std::string_view ColorOf(std::string_view word,
                         std::span<const std::pair<std::string_view, std::string_view>> words) {
  for (const auto& [known, color] : words) {
    if (known == word) return color;
  }
  return {};
}

bool IsTitle(std::string_view line) {
  bool letters = false;
  for (const char c : line) {
    if (absl::ascii_islower(static_cast<unsigned char>(c))) return false;
    if (absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
    letters |= absl::ascii_isupper(static_cast<unsigned char>(c));
  }
  return letters && line.find("  ") != std::string_view::npos;
}

std::string Painted(std::string_view text, std::string_view color) {
  return absl::StrCat("\x1b[", ToAbsl(color), "m", ToAbsl(text), "\x1b[0m");
}

// Returns the letters from there on.
std::string_view WordAt(std::string_view line, size_t begin) {
  size_t end = begin;
  while (end < line.size() && absl::ascii_isalpha(static_cast<unsigned char>(line[end]))) ++end;
  return line.substr(begin, end - begin);
}

// The line with its first verb in color. The first word is a name or number, and no verb.
std::string ColoredVerb(std::string_view line) {
  const size_t first = std::min(line.find_first_not_of(' '), line.size());
  for (size_t begin = line.find(' ', first); begin < line.size();) {
    const size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view word = WordAt(line, begin);
    // A part of a name, as in "wait-0", is no verb.
    const std::string_view tail = line.substr(begin + word.size(), end - begin - word.size());
    const bool whole = tail.empty() || tail == "," || tail == ";" || tail == ":";
    if (const std::string_view color = ColorOf(word, kVerbs); whole && !color.empty()) {
      return absl::StrCat(ToAbsl(line.substr(0, begin)), Painted(word, color),
                          ToAbsl(line.substr(begin + word.size())));
    }
    begin = end + 1;
  }
  return std::string(line);
}

// What stands in front of a colon is bold where the line is not indented.
std::string ColoredLine(std::string_view line) {
  if (IsTitle(line)) return Painted(line, kBold);
  const size_t first = std::min(line.find_first_not_of(' '), line.size());
  const size_t colon = line.find(": ");
  for (const size_t begin : {first, colon == line.npos ? line.size() : colon + 2}) {
    const std::string_view word = WordAt(line, begin);
    const std::string_view color = ColorOf(word, kWords);
    if (color.empty()) continue;
    return absl::StrCat(ToAbsl(line.substr(0, begin)), Painted(word, color),
                        ToAbsl(line.substr(begin + word.size())));
  }
  const bool is_head = line.ends_with(':');
  if (first > 0 || (colon == line.npos && !is_head)) return ColoredVerb(line);
  const size_t head = colon == line.npos ? line.size() - 1 : colon;
  return absl::StrCat(Painted(line.substr(0, head), kBold), ColoredVerb(line.substr(head)));
}

}  // namespace

void OutputFlags::Declare(FlagSet* flags) {
  flags->Value("--format", "F", &format, "table, json or csv (table)");
  flags->Switch("--json", &json, "as --format json");
  flags->Value("--color", "WHEN", &color, "auto, always or never: auto on a terminal (auto)");
}

absl::Status OutputFlags::Settle() {
  format_is_given = json || !format.empty();
  if (format.empty()) format = kFormats[0];
  const auto known_format = std::find(kFormats.begin(), kFormats.end(), format);
  if (known_format == kFormats.end()) return NotAWord("--format", format, kFormats);
  const auto known_color = std::find(kColors.begin(), kColors.end(), color);
  if (known_color == kColors.end()) return NotAWord("--color", color, kColors);
  output_format = json ? Format::kJson : static_cast<Format>(known_format - kFormats.begin());
  colors_output = color == "always" || (color == "auto" && IsTerminal(STDOUT_FILENO));
  colors_errors = color == "always" || (color == "auto" && IsTerminal(STDERR_FILENO));
  return absl::OkStatus();
}

Format OutputFormat() { return output_format; }
bool FormatIsGiven() { return format_is_given; }
bool ColorsErrors() { return colors_errors; }

std::string Colored(std::string_view text) {
  if (!colors_output) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    absl::StrAppend(&out, ColoredLine(text.substr(0, end)), end < text.size() ? "\n" : "");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string CsvOf(const std::string& json, std::initializer_list<std::string_view> lists) {
  const Document document = Document::parse(json, nullptr, /*allow_exceptions=*/false);
  std::vector<Cells> rows;
  std::vector<std::string_view> columns;
  const auto add_column = [&columns](std::string_view name) {
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  };
  for (const std::string_view given : lists) {
    const size_t equals = std::min(given.find('='), given.size());
    const std::string_view list = given.substr(0, equals);
    if (lists.size() > 1) add_column("table");
    for (std::string_view rest = given.substr(equals); !rest.empty();) {
      rest.remove_prefix(1);  // = or a comma
      const size_t end = std::min(rest.find(','), rest.size());
      add_column(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    if (list == "*") {
      Cells values;
      FlattenAll("", document, &values);
      for (auto& [name, text] : values) rows.push_back({{"metric", name}, {"value", text}});
      continue;
    }
    const std::vector<std::string> path = absl::StrSplit(ToAbsl(list), '.');
    const Cells outer = lists.size() > 1 ? Cells{{"table", path.back()}} : Cells();
    AddRows(document, path, 0, outer, &rows);
  }
  return Csv(std::move(columns), rows);
}

int Show(const std::function<std::string()>& table, const std::function<std::string()>& json,
         std::initializer_list<std::string_view> lists) {
  switch (output_format) {
    case Format::kTable:
      return Print(Colored(table()));
    case Format::kJson:
      return Print(json());
    case Format::kCsv:
      return Print(CsvOf(json(), lists));
  }
  return kBadInput;
}

}  // namespace muster
