// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/advice/smallest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/base/pieces.h"

namespace muster {
namespace {

// Where a search is: what it asks next follows from the answers so far.
class SmallestSearch {
 public:
  explicit SmallestSearch(int64_t most) : most_(most) {}

  bool ended() const { return failed_ || (found_ && enough_ - below_ <= 1); }
  // REQUIRES: it has not ended.
  int64_t next() const { return found_ ? below_ + (enough_ - below_) / 2 : enough_; }
  void Tell(bool helps) {
    if (helps) {
      enough_ = next();
      found_ = true;
    } else if (found_) {
      below_ = next();
    } else if (enough_ >= most_) {
      failed_ = true;
    } else {
      below_ = enough_;
      enough_ = std::min(most_, enough_ * 2);
    }
  }
  std::optional<int64_t> result() const {
    return failed_ ? std::nullopt : std::optional<int64_t>(enough_);
  }

 private:
  const int64_t most_;
  int64_t below_ = 0, enough_ = 1;
  bool found_ = false, failed_ = false;
};

// Returns up to `most` numbers that the search may ask for and that are not known, in the order in
// which the search may ask for them.
std::vector<int64_t> Ahead(const SmallestSearch& search, size_t most,
                           const HashMap<int64_t, uint8_t>& known) {
  std::vector<int64_t> numbers;
  std::vector<SmallestSearch> states = {search};
  for (size_t i = 0; i < states.size() && numbers.size() < most; ++i) {
    if (states[i].ended()) continue;
    const int64_t number = states[i].next();
    const auto answer = known.find(number);
    const bool is_known = answer != known.end();
    if (!is_known && std::ranges::find(numbers, number) == numbers.end()) {
      numbers.push_back(number);
    }
    for (const bool helps : {false, true}) {
      if (is_known && (answer->second != 0) != helps) continue;
      SmallestSearch then = states[i];
      then.Tell(helps);
      states.push_back(then);
    }
  }
  return numbers;
}

}  // namespace

std::optional<int64_t> Smallest(int64_t most, const std::function<bool(int64_t)>& helps,
                                Executor* executor) {
  SmallestSearch search(most);
  constexpr int64_t kMostAhead = 16;  // 15 answer four questions in a row; five take 31
  const auto ahead = static_cast<size_t>(std::min(WidthOf(executor), kMostAhead));
  if (ahead == 1) {
    while (!search.ended()) search.Tell(helps(search.next()));
    return search.result();
  }
  HashMap<int64_t, uint8_t> known;
  while (!search.ended()) {
    const auto found = known.find(search.next());
    if (found != known.end()) {
      search.Tell(found->second != 0);
      continue;
    }
    const std::vector<int64_t> numbers = Ahead(search, ahead, known);
    std::vector<uint8_t> answers(numbers.size());
    RunPieces(executor, numbers.size(), [&](size_t i) { answers[i] = helps(numbers[i]) ? 1 : 0; });
    for (size_t i = 0; i < numbers.size(); ++i) known[numbers[i]] = answers[i];
  }
  return search.result();
}

}  // namespace muster
