// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Rows of every kind from bytes of the fuzzer.
//
//   RowMaker make(&in);
//   NodeSpec node = make.Row<NodeSpec>();   // 4 cpu and a name, and up to three members more
//
// Members go by their lists (lib/scenario/members.h), so a member that is added later is drawn,
// too. Names are drawn from few, so that rows find each other. A row begins as one that is
// accepted; each member that is drawn may break it.
#ifndef MUSTER_TESTS_FUZZ_ROWS_H_
#define MUSTER_TESTS_FUZZ_ROWS_H_

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/model/words.h"
#include "lib/scenario/members.h"
#include "lib/scenario/scenario.h"
#include "tests/fuzz/input.h"

namespace muster::fuzz {

class RowMaker {
 public:
  explicit RowMaker(Input* in) : in_(*in) {}

  std::string Name() {
    static constexpr const char* kNames[] = {
        "a", "b", "c", "d", "default", "n0", "a-0", "a-a-0", "", "\xFF", "a/b", "cpu", "\xC3\xBC"};
    const size_t i = in_.Below(32);
    return i < std::size(kNames) ? kNames[i] : kNames[i % 4];
  }

  template <class S>
  S Row() {
    S row;
    row.name = Name();
    if constexpr (std::is_same_v<S, NodeSpec>) {
      row.capacity = {{"cpu", 4}, {"memory", "8Gi"}, {"pods", 9}};
    }
    if constexpr (requires { row.shape; }) row.shape.request = {{"cpu", 1}};
    if constexpr (std::is_same_v<S, JobSpec>) {
      row.groups = {{.name = "a",
                     .count = static_cast<int64_t>(in_.Below(4)),
                     .shape = {.request = {{"cpu", static_cast<int64_t>(1 + in_.Below(3))}}}}};
    }
    Fill(&row);
    return row;
  }

  void Fill(bool* out) { *out = in_.OneIn(2); }
  template <std::integral Integer>
  void Fill(Integer* out) {
    *out = static_cast<Integer>(in_.Number());
  }
  void Fill(double* out) { *out = static_cast<double>(in_.Number()) / 4; }
  template <HasWords Enum>
  void Fill(Enum* out) {
    *out = static_cast<Enum>(in_.Below(WordsOf(Enum()).words.size()));
  }
  void Fill(std::string* out) { *out = Name(); }
  void Fill(Quantity* out) {
    static constexpr const char* kTexts[] = {"0",
                                             "1",
                                             "2",
                                             "3",
                                             "4",
                                             "500m",
                                             "1Gi",
                                             "8Gi",
                                             "-1",
                                             "1e3",
                                             "0.1",
                                             "9007199254740992",
                                             "9223372036854775807",
                                             "",
                                             "x"};
    out->text = kTexts[in_.Below(std::size(kTexts))];
  }
  template <class T>
  void Fill(std::optional<T>* out) {
    if constexpr (std::is_same_v<T, Quantity>) {
      Fill(&out->emplace(0));
    } else {
      Fill(&out->emplace());
    }
  }
  template <class T>
  void Fill(Boxed<T>* out) {
    Fill(&out->emplace());
  }
  template <class T>
  void Fill(std::vector<T>* out) {
    out->clear();
    for (size_t left = in_.Below(4); left > 0; --left) Fill(&out->emplace_back());
  }
  template <class T>
  void Fill(Named<T>* out) {
    static constexpr const char* kKeys[] = {"cpu", "memory", "pods", "nvidia.com/gpu", "a", "b"};
    out->clear();
    for (size_t left = in_.Below(4); left > 0; --left) {
      const std::string key = kKeys[in_.Below(std::size(kKeys))];
      if constexpr (std::is_same_v<T, Quantity>) {
        out->emplace_back(key, Quantity(0));
      } else {
        out->emplace_back(key, T());
      }
      Fill(&out->back().second);
    }
  }
  template <HasMembers S>
  void Fill(S* out) {
    constexpr size_t kCount = std::tuple_size_v<decltype(Members(*out))>;
    for (size_t left = in_.Below(4); left > 0; --left) {
      size_t at = 0;
      const size_t picked = in_.Below(kCount);
      ForEachMember(*out, [&](auto member) {
        if (at++ == picked) Fill(&member.value);
      });
    }
    // A count stands for rows; large ones are the budget's to refuse.
    if constexpr (std::is_same_v<S, GroupSpec>) {
      if (out->count > 8) out->count %= 8;
    }
    if constexpr (std::is_same_v<S, ByCount>) {
      if (out->count > 1000) out->count %= 1000;
    }
  }

 private:
  Input& in_;
};

}  // namespace muster::fuzz

#endif  // MUSTER_TESTS_FUZZ_ROWS_H_
