// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the copies that tools/mutation/sites.py writes are made of. A place to mutate becomes a call
// with the number of its first mutant:
//
//   if (free < request)  ->  if (::muster_mutation::Less(17, free, request))
//
// With muster_mutant == 17 that is free <= request, with 18 free >= request, else what it was. So
// one executable holds all mutants of a room, and the environment selects one at start. No operand
// is evaluated twice, and none that was not evaluated before. The copies are included with this
// header before anything else; it is no part of the library.
#ifndef TOOLS_MUTATION_MUTANT_H_
#define TOOLS_MUTATION_MUTANT_H_

#include <algorithm>
#include <initializer_list>
#include <type_traits>

// The number of the mutant to run; 0: none. Set from the environment variable MUSTER_MUTANT.
extern int muster_mutant;
// Nonzero for each mutant that was reached; written to the file MUSTER_REACHED at the end.
extern unsigned char muster_reached[];

namespace muster_mutation {

inline bool Is(int id) {
  muster_reached[id] = 1;
  return muster_mutant == id;
}

// Conditions. Not() twice around the operands of && makes || of it, and the other way round.
template <typename T>
bool Not(int id, const T& value) {
  return static_cast<bool>(value) != Is(id);
}

// Statements: returns false if the statement is deleted.
inline bool Keep(int id) { return !Is(id); }

#define MUSTER_MUTATE_COMPARE(Name, op, other, opposite)    \
  template <typename A, typename B>                         \
  bool Name(int id, const A& a, const B& b) {               \
    if (Is(id)) return static_cast<bool>(a other b);        \
    if (Is(id + 1)) return static_cast<bool>(a opposite b); \
    return static_cast<bool>(a op b);                       \
  }
MUSTER_MUTATE_COMPARE(Less, <, <=, >=)
MUSTER_MUTATE_COMPARE(LessEqual, <=, <, >)
MUSTER_MUTATE_COMPARE(Greater, >, >=, <=)
MUSTER_MUTATE_COMPARE(GreaterEqual, >=, >, <)
#undef MUSTER_MUTATE_COMPARE

template <typename A, typename B>
bool Equal(int id, const A& a, const B& b) {
  return static_cast<bool>(a == b) != Is(id);
}
template <typename A, typename B>
bool NotEqual(int id, const A& a, const B& b) {
  return static_cast<bool>(a != b) != Is(id);
}

#define MUSTER_MUTATE_ARITHMETIC(Name, op, other)      \
  template <typename A, typename B>                    \
  auto Name(int id, const A& a, const B& b) {          \
    using Result = decltype(a op b);                   \
    if (Is(id)) return static_cast<Result>(a other b); \
    return static_cast<Result>(a op b);                \
  }
MUSTER_MUTATE_ARITHMETIC(Plus, +, -)
MUSTER_MUTATE_ARITHMETIC(Minus, -, +)
MUSTER_MUTATE_ARITHMETIC(Times, *, +)
MUSTER_MUTATE_ARITHMETIC(Over, /, *)
MUSTER_MUTATE_ARITHMETIC(Modulo, %, +)
#undef MUSTER_MUTATE_ARITHMETIC

// Constants: one more, one less.
template <typename T>
T Step(int id, T value) {
  if (Is(id)) return static_cast<T>(value + 1);
  if (Is(id + 1)) return static_cast<T>(value - 1);
  return value;
}

// What is added or subtracted: its negative.
template <typename T>
T Negate(int id, T value) {
  return Is(id) ? static_cast<T>(-value) : value;
}

template <int id>
struct Min {
  template <typename T>
  static const T& Of(const T& a, const T& b) {
    return Is(id) ? std::max(a, b) : std::min(a, b);
  }
  template <typename T>
  static T Of(std::initializer_list<T> values) {
    return Is(id) ? std::max(values) : std::min(values);
  }
};
template <int id>
struct Max {
  template <typename T>
  static const T& Of(const T& a, const T& b) {
    return Is(id) ? std::min(a, b) : std::max(a, b);
  }
  template <typename T>
  static T Of(std::initializer_list<T> values) {
    return Is(id) ? std::min(values) : std::max(values);
  }
};

}  // namespace muster_mutation

#endif  // TOOLS_MUTATION_MUTANT_H_
