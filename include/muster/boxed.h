// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A value that few rows have: as std::optional, but only a pointer wide while it is absent.
//
//   muster::Boxed<muster::TaskUsage> usage;                  // absent
//   usage = muster::TaskUsage{.amounts = {{"cpu", "300m"}}};
//   if (usage) std::cout << usage->measured;
//
// Promise. A box is absent, or has exactly one value. A copy copies the value, so two boxes never
// share one. Two boxes are equal if both are absent, or if both have equal values.
// Failure. None of its own: only an allocation can fail. REQUIRES of * and ->: has_value().
// Ownership. A box owns its value. References and pointers to it are valid until the box is
// assigned to, reset, moved from or destroyed.
// Threads. A box is a plain value: any number of threads may read it, one at a time may change it.
// Cost. A pointer while absent; one allocation for a value, and one for each copy of it. A move
// costs O(1) and allocates nothing.
#ifndef MUSTER_BOXED_H_
#define MUSTER_BOXED_H_

#include <memory>
#include <utility>

namespace muster {

// An optional value of type T. T must be copyable where boxes are copied, and have == where they
// are compared.
template <class T>
class Boxed {
 public:
  // The type of the value, as std::optional names it.
  using value_type = T;

  // Constructs an absent box. Allocates nothing.
  Boxed() = default;
  // Constructs a box with `value`. Implicit, so that a field can be set to a plain value.
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: implicit on purpose
  // Copies the value of `other`, if it has one.
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  // Takes the value of the other box, which is absent afterwards.
  Boxed(Boxed&&) noexcept = default;
  // Replaces the value by a copy of that of `other`, or removes it if `other` is absent.
  Boxed& operator=(const Boxed& other) {
    if (this != &other) value_ = other ? std::make_unique<T>(*other) : nullptr;
    return *this;
  }
  // The same, taking the value of the other box, which is absent afterwards.
  Boxed& operator=(Boxed&&) noexcept = default;
  // Destroys the value, if there is one.
  ~Boxed() = default;

  // Returns true if there is a value.
  bool has_value() const { return value_ != nullptr; }
  // The same, for conditions.
  explicit operator bool() const { return has_value(); }
  // Return the value, which belongs to the box. REQUIRES: has_value().
  T& operator*() { return *value_; }
  // The same, of a box that may not be changed.
  const T& operator*() const { return *value_; }
  // Return a pointer to the value, for access to its members. REQUIRES: has_value().
  T* operator->() { return value_.get(); }
  // The same, of a box that may not be changed.
  const T* operator->() const { return value_.get(); }

  // Replaces the value by a default one, and returns it.
  T& emplace() { return *(value_ = std::make_unique<T>()); }
  // Removes the value; does nothing if there is none.
  void reset() { value_.reset(); }

  // Returns true if both are absent, or if both have equal values.
  friend bool operator==(const Boxed& a, const Boxed& b) {
    return a.has_value() == b.has_value() && (!a || *a == *b);
  }

 private:
  // Null while the box is absent.
  std::unique_ptr<T> value_;
};

}  // namespace muster

#endif  // MUSTER_BOXED_H_
