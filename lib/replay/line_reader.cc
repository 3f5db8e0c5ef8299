// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Inflation, lines and numbers.
#include "lib/replay/line_reader.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

constexpr size_t kChunk = size_t{1} << 18;
constexpr size_t kLongestLine = size_t{1} << 20;
constexpr double kMostUnits = 9007199254740992.0;  // 2^53

bool IsGzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

absl::Status BadNumber(std::string_view field, absl::string_view rule) {
  return absl::InvalidArgumentError(absl::StrCat(Quote(field), " ", rule));
}

}  // namespace

struct LineReader::Inflater {
  explicit Inflater(std::string_view bytes) : input(bytes) {}
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // 15 bits of window, and 16 for the gzip format alone.
  bool Open() { return inflateInit2(&stream, 15 + 16) == Z_OK; }
  // zlib counts input in 32 bits.
  void Feed() {
    const size_t size = std::min(input.size(), size_t{1} << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream.avail_in = static_cast<uInt>(size);
    input.remove_prefix(size);
  }

  std::string_view input;  // not fed yet
  z_stream stream = {};
  bool between_members = false;
};

LineReader::LineReader(const TraceFile& file, Budget* budget)
    : file_(file.name), rest_(file.bytes), budget_(budget) {
  if (IsGzip(file.bytes)) {
    rest_ = {};
    inflater_ = std::make_unique<Inflater>(file.bytes);
    if (!inflater_->Open()) status_ = absl::ResourceExhaustedError("zlib has no memory");
  } else {
    Charge(file.bytes.size());
  }
}

LineReader::~LineReader() = default;

bool LineReader::Charge(size_t bytes) {
  const std::string rule = budget_->AddBytes(static_cast<int64_t>(bytes));
  if (rule.empty()) return true;
  status_ = absl::ResourceExhaustedError(absl::StrCat(file_, ":", number_ + 1, ": ", rule));
  return false;
}

bool LineReader::Refill() {
  if (inflater_ == nullptr || !status_.ok()) return false;
  const size_t kept = rest_.size();
  std::string next;
  next.reserve(kept + kChunk);
  next.append(rest_);
  next.resize(kept + kChunk);
  z_stream& stream = inflater_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(next.data() + kept);
  stream.avail_out = kChunk;
  bool ended = false;
  while (stream.avail_out > 0) {
    if (stream.avail_in == 0) inflater_->Feed();
    if (stream.avail_in == 0) {
      ended = true;
      if (!inflater_->between_members) {
        damage_ = "cut off";
      }
      break;
    }
    if (inflater_->between_members) {
      inflateReset(&stream);
      inflater_->between_members = false;
    }
    const int code = inflate(&stream, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      inflater_->between_members = true;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      damage_ = "damaged";
      ended = true;
      break;
    }
  }
  next.resize(kept + kChunk - stream.avail_out);
  const bool grew = next.size() > kept;
  if (!Charge(next.size() - kept)) return false;
  buffer_ = std::move(next);
  rest_ = buffer_;
  if (ended) inflater_.reset();
  return grew;
}

bool LineReader::Next(std::string_view* line) {
  size_t end = rest_.find('\n');
  while (end == std::string_view::npos && rest_.size() <= kLongestLine) {
    const size_t seen = rest_.size();
    if (!Refill()) break;
    end = rest_.find('\n', seen);
  }
  if (end == std::string_view::npos && !damage_.empty()) {
    // What came before the damage was good, but this line may be torn.
    status_ = absl::DataLossError(
        absl::StrCat(file_, ": the gzip data is ", damage_, " after line ", number_));
  }
  if (!status_.ok() || (end == std::string_view::npos && rest_.empty())) return false;
  *line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++number_;
  if (line->size() > kLongestLine) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat(file_, ":", number_, ": the line is longer than a megabyte"));
    return false;
  }
  if (!line->empty() && line->back() == '\r') line->remove_suffix(1);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (number_ == 1 && line->starts_with(kByteOrderMark)) line->remove_prefix(kByteOrderMark.size());
  return true;
}

absl::StatusOr<int64_t> ParseInteger(std::string_view field) {
  int64_t value = 0;
  const char* end = field.data() + field.size();
  const auto [stopped, error] = std::from_chars(field.data(), end, value);
  if (error == std::errc::result_out_of_range) return BadNumber(field, "is beyond 64 bits");
  if (error != std::errc() || stopped != end) return BadNumber(field, "is no integer");
  return value;
}

absl::StatusOr<int64_t> ParseScaled(std::string_view field, int64_t scale) {
  double value = 0;
  const char* end = field.data() + field.size();
  const auto [stopped, error] = std::from_chars(field.data(), end, value);
  if ((error != std::errc() && error != std::errc::result_out_of_range) || stopped != end) {
    return BadNumber(field, "is no number");
  }
  if (std::isnan(value)) return BadNumber(field, "is not a number");
  const double units = std::ceil(value * static_cast<double>(scale));
  if (error == std::errc::result_out_of_range || !(units >= -kMostUnits && units <= kMostUnits)) {
    return BadNumber(field, "is too large");
  }
  return static_cast<int64_t>(units);
}

}  // namespace muster
