// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/import/times.h"

#include <cmath>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

// Takes pieces of a text from its front.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool Take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool TakeOneOf(std::string_view letters) {
    if (done() || letters.find(rest_.front()) == letters.npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // `least` to `most` digits as a number, or -1.
  int Digits(size_t least, size_t most) {
    size_t size = 0;
    int number = 0;
    while (size < most && size < rest_.size() && absl::ascii_isdigit(rest_[size])) {
      number = 10 * number + (rest_[size++] - '0');
    }
    if (size < least) return -1;
    rest_.remove_prefix(size);
    return number;
  }
  size_t SkipDigits() {
    size_t size = 0;
    while (size < rest_.size() && absl::ascii_isdigit(rest_[size])) ++size;
    rest_.remove_prefix(size);
    return size;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Days from 1970-01-01 to a day of the Gregorian calendar, with years that begin in March so that a
// leap day is the last of its year.
int64_t DaysFromEpoch(int64_t year, int64_t month, int64_t day) {
  if (month <= 2) --year;
  const int64_t since_march = (month + 9) % 12;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - 400 * era;
  const int64_t day_of_year = (153 * since_march + 2) / 5 + day - 1;
  const int64_t day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return 146097 * era + day_of_era - 719468;
}

int DaysOfMonth(int year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

// Seconds that the offset from UTC takes off; nothing where the text is no offset.
std::optional<int64_t> Offset(Scanner* scanner) {
  if (scanner->done() || scanner->TakeOneOf("Zz")) return 0;
  const bool ahead = scanner->Take("+");
  if (!ahead && !scanner->Take("-")) return std::nullopt;
  const int hours = scanner->Digits(2, 2);
  if (!scanner->Take(":")) return std::nullopt;
  const int minutes = scanner->Digits(2, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return (ahead ? 60 : -60) * (60 * hours + minutes);
}

}  // namespace

std::optional<int64_t> ParseTime(std::string_view text) {
  Scanner scanner(text);
  const int year = scanner.Digits(4, 4);
  bool well_formed = scanner.Take("-");
  const int month = scanner.Digits(2, 2);
  well_formed = scanner.Take("-") && well_formed;
  const int day = scanner.Digits(2, 2);
  well_formed = scanner.TakeOneOf("Tt ") && well_formed;
  const int hour = scanner.Digits(2, 2);
  well_formed = scanner.Take(":") && well_formed;
  const int minute = scanner.Digits(2, 2);
  well_formed = scanner.Take(":") && well_formed;
  const int second = scanner.Digits(2, 2);
  if (!well_formed || year < 1 || month < 1 || month > 12 || day < 1 ||
      day > DaysOfMonth(year, month) || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
      second < 0 || second > 59) {
    return std::nullopt;
  }
  if (scanner.Take(".") && scanner.SkipDigits() == 0) return std::nullopt;
  const std::optional<int64_t> offset = Offset(&scanner);
  if (!offset.has_value() || !scanner.done()) return std::nullopt;
  return 86400 * DaysFromEpoch(year, month, day) + 3600 * hour + 60 * minute + second - *offset;
}

std::optional<int64_t> ParseDuration(std::string_view text) {
  struct DurationUnit {
    std::string_view name;
    double seconds;
  };
  // A unit stands before those that its name begins with.
  constexpr DurationUnit kUnits[] = {{"ns", 1e-9}, {"us", 1e-6}, {"\xC2\xB5s", 1e-6},
                                     {"ms", 1e-3}, {"h", 3600},  {"m", 60},
                                     {"s", 1}};
  constexpr double kMost = 9e18;  // below the largest int64
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;  // the only number without a unit
  double total = 0;
  for (Scanner scanner(text); !scanner.done();) {
    const std::string_view from = scanner.rest();
    size_t digits = scanner.SkipDigits();
    if (scanner.Take(".")) digits += scanner.SkipDigits();
    double number = 0;
    const std::string_view written = from.substr(0, from.size() - scanner.rest().size());
    if (digits == 0 || !absl::SimpleAtod(ToAbsl(written), &number)) return std::nullopt;
    const DurationUnit* unit = std::begin(kUnits);
    while (unit != std::end(kUnits) && !scanner.Take(unit->name)) ++unit;
    if (unit == std::end(kUnits)) return std::nullopt;
    total += number * unit->seconds;
  }
  if (text.empty() || total >= kMost) return std::nullopt;
  return static_cast<int64_t>(std::floor(negative ? -total : total));
}

std::optional<std::pair<int, int>> WindowMinutes(std::string_view text) {
  const absl::string_view stripped = absl::StripAsciiWhitespace(ToAbsl(text));
  Scanner scanner(std::string_view(stripped.data(), stripped.size()));
  const int from_hour = scanner.Digits(1, 2);
  if (!scanner.Take(":")) return std::nullopt;
  const int from_minute = scanner.Digits(2, 2);
  if (!scanner.Take("-")) return std::nullopt;
  const int to_hour = scanner.Digits(1, 2);
  if (!scanner.Take(":")) return std::nullopt;
  const int to_minute = scanner.Digits(2, 2);
  const bool in_day = from_hour >= 0 && to_hour >= 0 && from_minute >= 0 && to_minute >= 0 &&
                      from_hour <= 23 && to_hour <= 23 && from_minute <= 59 && to_minute <= 59;
  if (!in_day || !scanner.done()) return std::nullopt;
  return std::pair(60 * from_hour + from_minute, 60 * to_hour + to_minute);
}

}  // namespace muster
