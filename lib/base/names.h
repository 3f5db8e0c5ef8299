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
// id and its length; an id is a 32-bit address in steps of four bytes; the hash index holds nothing
// but hashes and addresses. That is the length of the name plus some 25 bytes each, with all slack,
// where a map of strings takes 60 and more. Finding a name touches two places of memory, its slot
// and its text.
//
// Memory that runs out (std::bad_alloc) leaves a table as it was.
#ifndef MUSTER_BASE_NAMES_H_
#define MUSTER_BASE_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/base/hash_index.h"

namespace muster {

class NameTable {
 public:
  // Intern returns this when no more names can be held: beyond 2^32 - 2 ids or (at least) 8 GiB of
  // text.
  static constexpr uint32_t kFull = std::numeric_limits<uint32_t>::max();

  NameTable() = default;
  NameTable(const NameTable& other);
  NameTable& operator=(const NameTable& other);
  NameTable(NameTable&& other) noexcept;
  NameTable& operator=(NameTable&& other) noexcept;

  // The id of `name`, a new one if it has none. Any bytes are a name, the empty name too.
  uint32_t Intern(std::string_view name);

  std::optional<uint32_t> Find(std::string_view name) const;

  // Brings what Find(name) or Intern(name) will look at on its way into the cache. Worth while
  // where other work, or other names, come in between.
  void Prefetch(std::string_view name) const;

  // The text of an id that Intern returned, dead or alive. Valid until Clear, assignment or
  // destruction; a move keeps it valid. REQUIRES: id < size().
  std::string_view name(uint32_t id) const { return TextAt(addresses_[id]); }

  // Makes the id of `name` dead and returns it; nothing if there was none.
  std::optional<uint32_t> Erase(std::string_view name);

  uint32_t size() const { return static_cast<uint32_t>(addresses_.size()); }   // dead ones too
  uint32_t live_size() const { return static_cast<uint32_t>(index_.size()); }  // that Find can find

  // Forgets the ids from `size` on, as if they had never been given out. REQUIRES: they are alive.
  void Truncate(uint32_t size);

  // Forgets all names; the next id is 0.
  void Clear();

  // Makes room for `names` names, so that interning them does not rehash.
  void Reserve(size_t names);

  // Bytes held, slack included.
  size_t MemoryUsage() const;

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    size_t capacity = 0;
  };

  const char* RecordAt(uint32_t address) const;
  uint32_t IdAt(uint32_t address) const;
  std::string_view TextAt(uint32_t address) const;
  uint32_t AddressOf(uint32_t hash, std::string_view name) const;

  std::vector<uint32_t> addresses_;  // by id: chunk in the upper half, offset / kStep in the lower
  std::vector<Chunk> chunks_;
  size_t used_ = 0;   // bytes of the last chunk
  size_t total_ = 0;  // of all chunks
  HashIndex index_;   // of living names: addresses
};

// A table with ids that are indices of one type.
template <class Id>
class IndexNames : public NameTable {
 public:
  Id Intern(std::string_view name) { return Id(NameTable::Intern(name)); }
  std::optional<Id> Find(std::string_view name) const {
    return std::optional<Id>(NameTable::Find(name));
  }
  std::string_view name(Id id) const { return NameTable::name(id); }
  std::optional<Id> Erase(std::string_view name) {
    return std::optional<Id>(NameTable::Erase(name));
  }
};

}  // namespace muster

#endif  // MUSTER_BASE_NAMES_H_
