// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// HashMap and HashSet: like absl::flat_hash_map and flat_hash_set, with two more promises. A growth
// that runs out of memory leaves them as they were, and iteration is in the order of insertion.
//
//   HashMap<std::string, int> ages;
//   ages["ann"] = 3;
//   if (const auto found = ages.find("ann"); found != ages.end()) Use(found->second);
//
// Entries lie in a vector, in order, and a HashIndex finds them. An insertion makes room in the
// index, then appends the entry, then adds its number to the index. The first two steps may throw,
// with no effect; the last cannot. Erasing moves the last entry into the gap, which is the only
// thing that changes the order.
//
// Insertions and erasures end references, pointers and iterators, as those of a vector. Texts are
// looked up by any kind of string or view. An entry's key must not be written to.
#ifndef MUSTER_BASE_HASH_MAP_H_
#define MUSTER_BASE_HASH_MAP_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "lib/base/hash_index.h"
#include "lib/base/strings.h"

namespace muster {
namespace hash_internal {

template <class K>
inline constexpr bool kIsText =
    std::is_convertible_v<const K&, std::string_view> || std::is_same_v<K, absl::string_view>;

inline absl::string_view TextView(absl::string_view key) { return key; }
template <class Q>
requires std::is_convertible_v<const Q&, std::string_view> absl::string_view TextView(
    const Q& key) {
  return ToAbsl(key);
}

// Returns what is hashed and compared of a K, or of a value that becomes one. Texts of all kinds
// have the same view.
template <class K, class Q>
decltype(auto) KeyView(const Q& key) {
  if constexpr (kIsText<K>) {
    return TextView(key);
  } else if constexpr (std::is_class_v<K> && std::is_convertible_v<K, uint32_t>) {
    return uint32_t{K(key)};
  } else if constexpr (std::is_same_v<K, Q>) {
    return static_cast<const K&>(key);
  } else {
    return K(key);
  }
}

template <class V>
uint32_t HashOf(const V& view) {
  return FoldHash(absl::Hash<V>()(view));
}

// Entries of a kind, each found by the key that KeyOf takes from it.
template <class K, class Entry, class KeyOf>
class Entries {
 public:
  using value_type = Entry;
  using const_iterator = typename std::vector<Entry>::const_iterator;
  using size_type = size_t;

  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  void clear() {
    entries_.clear();
    index_.Clear();
  }
  void reserve(size_t count) {
    index_.Reserve(count);
    entries_.reserve(count);
  }

  template <class Q>
  const_iterator find(const Q& key) const {
    return begin() + static_cast<std::ptrdiff_t>(Place(key));
  }
  template <class Q>
  bool contains(const Q& key) const {
    return Place(key) != size();
  }
  template <class Q>
  size_t count(const Q& key) const {
    return contains(key) ? 1 : 0;
  }

  void erase(const_iterator at) { EraseAt(static_cast<size_t>(at - begin())); }
  template <class Q>
  requires(!std::is_convertible_v<const Q&, const_iterator>) size_t erase(const Q& key) {
    const size_t at = Place(key);
    if (at == size()) return 0;
    EraseAt(at);
    return 1;
  }
  template <class F>
  void erase_if(F&& goes) {
    for (size_t i = size(); i-- > 0;) {
      if (goes(std::as_const(entries_[i]))) EraseAt(i);
    }
  }

 protected:
  // Where the entry is; size() where there is none.
  template <class Q>
  size_t Place(const Q& key) const {
    if (entries_.empty()) return 0;
    const auto& view = KeyView<K>(key);
    const uint32_t found = Search(HashOf(view), view);
    return found == HashIndex::kNothing ? size() : found;
  }

  // The place of the entry of `key`, and whether it is new: then `make` appended it.
  template <class Q, class F>
  std::pair<size_t, bool> FindOrMake(const Q& key, F&& make) {
    uint32_t hash;
    {
      const auto& view = KeyView<K>(key);
      hash = HashOf(view);
      const uint32_t found = Search(hash, view);
      if (found != HashIndex::kNothing) return {found, false};
    }
    index_.MakeRoom();
    make(entries_);
    const size_t at = entries_.size() - 1;
    index_.Add(hash, static_cast<uint32_t>(at));
    return {at, true};
  }

  std::vector<Entry> entries_;

 private:
  template <class V>
  uint32_t Search(uint32_t hash, const V& view) const {
    return index_.Find(hash, [&](uint32_t i) { return KeyView<K>(KeyOf()(entries_[i])) == view; });
  }

  uint32_t HashAt(size_t i) const {
    const auto& view = KeyView<K>(KeyOf()(entries_[i]));
    return HashOf(view);
  }

  void EraseAt(size_t at) {
    const size_t last = size() - 1;
    index_.Remove(HashAt(at), static_cast<uint32_t>(at));
    if (at != last) {
      index_.Renumber(HashAt(last), static_cast<uint32_t>(last), static_cast<uint32_t>(at));
      entries_[at] = std::move(entries_[last]);
    }
    entries_.pop_back();
  }

  HashIndex index_;
};

struct KeyOfPair {
  template <class Pair>
  const auto& operator()(const Pair& pair) const {
    return pair.first;
  }
};
struct KeyItself {
  template <class K>
  const K& operator()(const K& key) const {
    return key;
  }
};

}  // namespace hash_internal

template <class K, class V>
class HashMap : public hash_internal::Entries<K, std::pair<K, V>, hash_internal::KeyOfPair> {
  using Base = hash_internal::Entries<K, std::pair<K, V>, hash_internal::KeyOfPair>;

 public:
  using key_type = K;
  using mapped_type = V;
  using iterator = typename std::vector<std::pair<K, V>>::iterator;
  using typename Base::const_iterator;

  HashMap() = default;
  HashMap(std::initializer_list<std::pair<K, V>> entries) {
    for (const auto& [key, value] : entries) try_emplace(key, value);
  }

  using Base::begin;
  using Base::end;
  using Base::find;
  iterator begin() { return this->entries_.begin(); }
  iterator end() { return this->entries_.end(); }
  template <class Q>
  iterator find(const Q& key) {
    return begin() + static_cast<std::ptrdiff_t>(this->Place(key));
  }
  iterator find(const K& key) { return find<K>(key); }
  const_iterator find(const K& key) const { return Base::template find<K>(key); }

  template <class Q, class... Args>
  std::pair<iterator, bool> try_emplace(Q&& key, Args&&... args) {
    return Put(std::forward<Q>(key), std::forward<Args>(args)...);
  }
  template <class... Args>
  std::pair<iterator, bool> try_emplace(K&& key, Args&&... args) {
    return Put(std::move(key), std::forward<Args>(args)...);
  }
  template <class Q, class A>
  std::pair<iterator, bool> emplace(Q&& key, A&& value) {
    return try_emplace(std::forward<Q>(key), std::forward<A>(value));
  }
  std::pair<iterator, bool> insert(std::pair<K, V> entry) {
    return try_emplace(std::move(entry.first), std::move(entry.second));
  }
  template <class Q, class A>
  void insert_or_assign(Q&& key, A&& value) {
    const auto [at, is_new] = try_emplace(std::forward<Q>(key));
    at->second = std::forward<A>(value);
  }

  template <class Q>
  V& operator[](Q&& key) {
    return try_emplace(std::forward<Q>(key)).first->second;
  }
  V& operator[](K&& key) { return try_emplace(std::move(key)).first->second; }

  // REQUIRES: the key is there.
  template <class Q>
  const V& at(const Q& key) const {
    return this->entries_.at(this->Place(key)).second;
  }
  template <class Q>
  V& at(const Q& key) {
    return this->entries_.at(this->Place(key)).second;
  }

 private:
  template <class Q, class... Args>
  std::pair<iterator, bool> Put(Q&& key, Args&&... args) {
    const auto [at, is_new] = this->FindOrMake(key, [&](auto& entries) {
      entries.emplace_back(std::piecewise_construct, std::forward_as_tuple(std::forward<Q>(key)),
                           std::forward_as_tuple(std::forward<Args>(args)...));
    });
    return {begin() + static_cast<std::ptrdiff_t>(at), is_new};
  }
};

template <class K>
class HashSet : public hash_internal::Entries<K, K, hash_internal::KeyItself> {
 public:
  using typename hash_internal::Entries<K, K, hash_internal::KeyItself>::const_iterator;

  HashSet() = default;
  HashSet(std::initializer_list<K> keys) {
    for (const K& key : keys) insert(key);
  }
  template <class Q>
  std::pair<const_iterator, bool> insert(Q&& key) {
    const auto [at, is_new] =
        this->FindOrMake(key, [&](auto& entries) { entries.emplace_back(std::forward<Q>(key)); });
    return {this->begin() + static_cast<std::ptrdiff_t>(at), is_new};
  }
  template <class It>
  void insert(It first, It last) {
    for (; first != last; ++first) insert(*first);
  }
  template <class Q>
  std::pair<const_iterator, bool> emplace(Q&& key) {
    return insert(std::forward<Q>(key));
  }
};

}  // namespace muster

#endif  // MUSTER_BASE_HASH_MAP_H_
