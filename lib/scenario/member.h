// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A member of a struct with the key that it has in JSON.
//
//   std::tuple(RequiredKey("name", name), Key("weight", weight))
#ifndef MUSTER_SCENARIO_MEMBER_H_
#define MUSTER_SCENARIO_MEMBER_H_

#include <concepts>
#include <string_view>
#include <type_traits>

namespace muster {

template <class T>
struct Member {
  std::string_view key;
  T& value;
  bool required;
};

template <class T>
Member<T> Key(std::string_view key, T& value) {
  return {key, value, false};
}
template <class T>
Member<T> RequiredKey(std::string_view key, T& value) {
  return {key, value, true};
}

// S is T or const T.
template <class S, class T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

}  // namespace muster

#endif  // MUSTER_SCENARIO_MEMBER_H_
