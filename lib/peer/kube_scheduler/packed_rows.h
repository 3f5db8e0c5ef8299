// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A text for each of many names, in few rows of a slot of the memory.
//
//   PackedRows rows;
//   rows.Load(memory.Recall("kube-pods"));
//   rows.Set("pod-1", text);
//   std::string_view text = rows.Find("pod-1").value_or("");
//   if (rows.changed()) rows.Store(&memory.Remember("kube-pods"));
//
// Names go into buckets by a hash that is the same on every machine, and a bucket is a row: a list
// of words, each with its length in front, name and text in turn. Row "size" has the numbers of
// buckets and of names. A row that cannot be read gives what was read of it.
//
// Cost. Load: O(buckets): one for about 32 names. Find, Set, Erase: O(kPerBucket) once the bucket
// was read. Add: O(1). Store: what changed.
#ifndef MUSTER_PEER_KUBE_SCHEDULER_PACKED_ROWS_H_
#define MUSTER_PEER_KUBE_SCHEDULER_PACKED_ROWS_H_

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/attributes.h"
#include "muster/memory.h"

namespace muster::kube {

// Writes words, each with its length in front, for WordReader. What is always inline writes a few
// characters each, and a first plan writes hundreds of thousands.
class WordWriter {
 public:
  void Word(std::string_view word) {
    Begin(word.size(), word.size());
    Append(word);
  }
  // Writes the digits as a word.
  void Number(int64_t number) {
    constexpr int64_t kOneDigit = 10, kNineDigits = 1'000'000'000;
    if (number >= 0 && number < kNineDigits) {
      // Its length is one digit, which stands in front.
      char* const at = Room(kMostDigits);
      char* const end = number < kOneDigit ? at + 3 : std::to_chars(at + 2, at + 11, number).ptr;
      if (number < kOneDigit) at[2] = static_cast<char>('0' + number);
      at[0] = static_cast<char>('0' + (end - at - 2));
      at[1] = ':';
      size_ += static_cast<size_t>(end - at);
      return;
    }
    char digits[kMostDigits];
    const char* const end = std::to_chars(digits, digits + kMostDigits, number).ptr;
    Word({digits, static_cast<size_t>(end - digits)});
  }
  // Writes what stands in front of a word of `size` characters; the word is to follow.
  void Begin(size_t size) { Begin(size, 0); }
  // Appends what another has written.
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Append(std::string_view words) {
    if (!words.empty()) std::memcpy(Room(words.size()), words.data(), words.size());
    size_ += words.size();
  }
  void Clear() { size_ = 0; }
  // Valid until the next call.
  std::string_view text() const { return std::string_view(text_).substr(0, size_); }

 private:
  static constexpr size_t kMostDigits = 20;  // with a sign
  // Leaves room for `more` characters behind it.
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Begin(size_t size, size_t more) {
    char* at = Room(kMostDigits + 1 + more);
    char* const begin = at;
    if (size < 10) {
      *at++ = static_cast<char>('0' + size);
    } else if (size < 100) {
      *at++ = static_cast<char>('0' + size / 10);
      *at++ = static_cast<char>('0' + size % 10);
    } else {
      at = std::to_chars(at, at + kMostDigits, size).ptr;
    }
    *at++ = ':';
    size_ += static_cast<size_t>(at - begin);
  }
  // Returns where the next `size` characters go.
  char* Room(size_t size) {
    if (text_.size() - size_ < size) text_.resize(2 * text_.size() + size);
    return text_.data() + size_;
  }

  std::string text_ = std::string(256, '\0');  // written up to size_
  size_t size_ = 0;
};

// Takes words off a text that WordWriter wrote. A text that ends early gives empty words.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : text_(text) {}
  bool AtEnd() const { return text_.empty(); }
  // What was not taken yet.
  std::string_view rest() const { return text_; }
  std::string_view Word() {
    size_t size = 0;
    const char* const end = text_.data() + text_.size();
    const auto [at, error] = std::from_chars(text_.data(), end, size);
    if (error != std::errc() || at == end || *at != ':') {
      text_ = {};
      return {};
    }
    text_.remove_prefix(static_cast<size_t>(at - text_.data()) + 1);
    const std::string_view word = text_.substr(0, size);
    text_.remove_prefix(word.size());
    return word;
  }
  int64_t Number() {
    const std::string_view word = Word();
    int64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    return number;
  }

 private:
  std::string_view text_;
};

class PackedRows {
 public:
  static constexpr size_t kPerBucket = 32;  // names, on average, when their number is set

  void Load(const MemorySlot& slot);
  // Makes the slot what this has. changed() is then false.
  void Store(MemorySlot* slot);
  bool changed() const { return changed_; }

  size_t size() const { return names_; }
  // Returns the text, valid until this changes.
  std::optional<std::string_view> Find(std::string_view name) const;
  void Set(std::string_view name, std::string_view text);
  void Erase(std::string_view name);

  // Takes the buckets that so many names need, with so many characters a name and text. O(size()).
  void Reserve(size_t names, size_t characters = 64);
  // As Set, of a name that is not there.
  void Add(std::string_view name, std::string_view text);

  // Calls visit(name, text) for all, in an order that depends on the names and the changes alone.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    for (size_t b = 0; b < buckets_.size(); ++b) {
      WordReader reader(Read(b));
      while (!reader.AtEnd()) {
        const std::string_view name = reader.Word();
        visit(name, reader.Word());
      }
    }
  }

 private:
  struct Bucket {
    bool read = false;     // `text` is known; else the slot has it
    bool changed = false;  // the slot has another text
    std::string text = {};
  };
  // Where a name stands in the text of its bucket.
  struct Place {
    size_t begin, end;
    std::string_view text;
  };
  size_t BucketOf(std::string_view name) const;
  std::string_view Read(size_t bucket) const;
  std::string& Own(size_t bucket);  // to be changed
  std::optional<Place> PlaceOf(size_t bucket, std::string_view name) const;
  // Takes another number of buckets where there are too many names in each, or too few.
  void Rebalance();
  void CountNames();

  MemorySlot slot_;
  WordWriter record_;  // a name and its text, or what stands in front of it
  size_t names_ = 0;
  bool changed_ = false;
  std::vector<Bucket> buckets_ = std::vector<Bucket>(1);  // a power of two of them
};

}  // namespace muster::kube

#endif  // MUSTER_PEER_KUBE_SCHEDULER_PACKED_ROWS_H_
