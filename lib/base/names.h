// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Names to dense numbers and back.
//
//   NameTable nodes;
//   uint32_t a = nodes.Intern("node-a");  // 0
//   uint32_t b = nodes.Intern("node-b");  // 1
//   nodes.Intern("node-a");               // 0 again
//   nodes.Find("node-b");                 // 1, as an optional
//   nodes.name(b);                        // "node-b"
//   nodes.Erase("node-a");                // 0 is dead now
//   nodes.Intern("node-a");               // 2
//
// An id is the number of names that came before, whatever the hash function does: hashing finds
// names and orders nothing. Ids are not reused before Clear, and a dead id keeps its text, so that
// a message about a removed row can still name it.
//
// A cluster has a million names, so they are packed: text lies in chunks, each name preceded by its
// length; an id is a 32-bit address in steps of four bytes; the hash set holds nothing but ids.
// That is the length of the name plus about 13 bytes each, with all slack, where a map of strings
// takes 60 and more.
#ifndef MUSTER_BASE_NAMES_H_
#define MUSTER_BASE_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace muster {

class NameTable {
 public:
  // What Intern returns when no more names can be held: beyond 2^32 - 2 ids or (at least) 8 GiB of
  // text.
  static constexpr uint32_t kFull = std::numeric_limits<uint32_t>::max();

  // A table that was moved from may only be assigned to or destroyed.
  NameTable();
  NameTable(const NameTable& other);
  NameTable& operator=(const NameTable& other);
  NameTable(NameTable&&) noexcept = default;
  NameTable& operator=(NameTable&&) noexcept = default;
  ~NameTable();

  // The id of `name`, a new one if it has none. Any bytes are a name, the empty name too.
  uint32_t Intern(std::string_view name);

  std::optional<uint32_t> Find(std::string_view name) const;

  // The text of an id that Intern returned, dead or alive. Valid until Clear, assignment or
  // destruction; a move keeps it valid. REQUIRES: id < size().
  std::string_view name(uint32_t id) const { return store_->Get(id); }

  // Makes the id of `name` dead and returns it; nothing if there was none.
  std::optional<uint32_t> Erase(std::string_view name);

  uint32_t size() const {
    return static_cast<uint32_t>(store_->addresses.size());
  }                                                                          // ids, dead ones too
  uint32_t live_size() const { return static_cast<uint32_t>(ids_.size()); }  // names Find can find

  // Forgets all names; the next id is 0.
  void Clear();

  // Makes room for `names` names, so that interning them does not rehash.
  void Reserve(size_t names);

  // Bytes held, slack included.
  size_t MemoryUsage() const;

 private:
  // Behind a pointer, because the hash set's functors point at it and the table can be moved.
  struct Store {
    std::string_view Get(uint32_t id) const;
    uint32_t Add(std::string_view name);  // the new id, or kFull

    std::vector<uint32_t> addresses;  // by id: chunk in the upper half, offset / kStep in the lower
    std::vector<std::unique_ptr<char[]>> chunks;
    size_t used = 0;      // bytes of the last chunk
    size_t capacity = 0;  // of the last chunk
    size_t total = 0;     // of all chunks
  };

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const;
    size_t operator()(uint32_t id) const { return (*this)(store->Get(id)); }
    const Store* store;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(uint32_t a, uint32_t b) const { return a == b; }
    bool operator()(uint32_t a, std::string_view b) const { return store->Get(a) == b; }
    const Store* store;
  };

  std::unique_ptr<Store> store_;
  absl::flat_hash_set<uint32_t, Hash, Equal> ids_;
};

}  // namespace muster

#endif  // MUSTER_BASE_NAMES_H_
