// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// What the zones of nodes have left, as policy zones is to see it.
//
//   books.Open(tables, ledger, 8);
//   if (!books.any()) return;
//   books.Follow();                                  // what was placed and taken back since
//   const uint32_t number = books.NumberOf(node);    // kNone: a node without zones
//   books.book(number).now.Check(books.AskOf(task_class).task);
//
// Idea. A node reports what its zones have `available`, or nothing, and then they have their
// capacity. What tasks that the report cannot know request is taken from every zone that lists the
// resource, because it is unknown which one they will get: those placed in this cycle, bound or
// binding; those that began to run at `zones_measured` or later, or at an unknown time, where that
// time is told; where nothing is reported, all tasks that are there. Tasks that are there when the
// cycle opens keep what they take until it ends, evicted or not.
// Cost. Nodes that changed are read again by the change log. Tasks are counted once a cycle that
// asks, then the ledger's view journal is followed.
#ifndef MUSTER_POLICY_ZONE_BOOKS_H_
#define MUSTER_POLICY_ZONE_BOOKS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/numeric/int128.h"
#include "lib/fit/zoned_node.h"
#include "lib/ledger/ledger.h"
#include "lib/model/tables.h"

namespace muster {

class ZoneBooks {
 public:
  // A task class as zones see it.
  struct Ask {
    ZonedTask task;
    // Of each part: its place in the shape. Empty: the shape lists none.
    std::vector<size_t> containers;
  };
  struct Book {
    bool is_alive = false;
    bool is_aligned = false;  // it runs a task only where one zone has all
    bool by_pod = false;
    uint64_t stamp = 0;  // of `now`: another one for other amounts
    ZonedNode now;

    // What `now` is made of, for ZoneBooks alone.
    bool is_reported = false, is_stale = false;
    std::optional<int64_t> measured;
    ZonedNode reported;
    std::vector<absl::int128> taken;  // by tasks that the report does not know, of each resource
  };

  // How nodes are read. Zones are numbered by their place in the node's list.
  struct Reading {
    // Returns the most zones of a node that has a number of its own. Null: no node has.
    std::optional<int64_t> (*most_zones)(const NodeSpec& node) = nullptr;
    // "node-3" is zone 3, where all zones of the node have such names, each of another number.
    bool numbers_by_name = false;
  };

  ZoneBooks() = default;
  explicit ZoneBooks(const Reading& reading) : reading_(reading) {}

  // Once a cycle, first. `most_zones`: ZonedNode::Options.
  void Open(const Tables& tables, const Ledger& ledger, int64_t most_zones);
  void Follow();

  bool any() const { return alive_ > 0; }
  bool any_aligned() const { return aligned_ > 0; }
  // Another one when books and classes have other numbers, and all answers are to be forgotten.
  uint64_t generation() const { return generation_; }
  size_t size() const { return books_.size(); }
  // The number of a node's book; kNone: it has no zones.
  uint32_t NumberOf(NodeIndex node) const {
    return node < book_of_.size() && book_of_[node] != kNone && books_[book_of_[node]].is_alive
               ? book_of_[node]
               : kNone;
  }
  // REQUIRES: Follow was called after the last change.
  const Book& book(uint32_t number);
  const Ask& AskOf(ClassIndex c);

  // Resources by number: dimensions, then names that only zones or containers have.
  size_t ResourceNumber(std::string_view name);
  std::string_view ResourceName(size_t number) const;

 private:
  void ReadNode(NodeIndex node);
  ZonedNode ReadZones(NodeIndex node);
  Ask MakeAsk(ClassIndex c);
  void AddAmount(std::string_view name, const Quantity& quantity, ZonedRequest* request);
  ZonedRequest ReadRequest(const Resources& resources);
  void CountAll();
  bool IsUnseen(const Book& book, TaskIndex t) const;
  void Count(ClassIndex c, int sign, std::vector<absl::int128>* taken);

  const Tables* tables_ = nullptr;
  const Ledger* ledger_ = nullptr;
  int64_t most_zones_ = 0;
  Reading reading_;
  uint64_t layout_ = 0, log_position_ = 0, generation_ = 0, clock_ = 0;
  size_t dimensions_ = 0;
  std::vector<std::string> more_names_;
  std::vector<uint32_t> book_of_;  // per node
  std::vector<Book> books_;
  size_t alive_ = 0, aligned_ = 0;
  std::vector<std::optional<Ask>> asks_;  // per class
  uint64_t birth_ = 0;                    // of the ledger that is followed
  size_t position_ = 0;                   // in it
};

}  // namespace muster

#endif  // MUSTER_POLICY_ZONE_BOOKS_H_
