// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A value that few rows have: as std::optional, but only a pointer wide while it is absent.
//
//   muster::Boxed<muster::TaskUsage> usage;                  // absent
//   usage = muster::TaskUsage{.amounts = {{"cpu", "300m"}}};
//   if (usage) std::cout << usage->measured;
//
// A copy copies the value, so two boxes never share one. Equal: both absent, or both with equal
// values (T must have ==). REQUIRES of * and ->: has_value(). Cost: one allocation for a value.
#ifndef MUSTER_BOXED_H_
#define MUSTER_BOXED_H_

#include <memory>
#include <utility>

namespace muster {

template <class T>
class Boxed {
 public:
  using value_type = T;

  Boxed() = default;
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: implicit on purpose
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) {
    if (this != &other) value_ = other ? std::make_unique<T>(*other) : nullptr;
    return *this;
  }
  Boxed& operator=(Boxed&&) noexcept = default;
  ~Boxed() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

  // Replaces the value by a default one.
  T& emplace() { return *(value_ = std::make_unique<T>()); }
  void reset() { value_.reset(); }

  friend bool operator==(const Boxed& a, const Boxed& b) {
    return a.has_value() == b.has_value() && (!a || *a == *b);
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace muster

#endif  // MUSTER_BOXED_H_
