// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Which of n things changed since a time, each named once however often it changed.
//
//   ChangeList changes(n);
//   changes.Note(7);
//   const uint32_t then = changes.now();
//   changes.Note(3);
//   changes.Note(3);
//   changes.Since(then, [](size_t i) { ... });   // 3
//
// Idea. Everything that ever changed is in a list in the order of its last change; a thing that
// changes again moves to the front. A reader goes from the front to the first change that is older
// than its last look. A log of changes would name a thing once for each change, and a reader that
// looks seldom would read all of it.
//
// Cost. A change O(1), a look O(things that changed).
#ifndef MUSTER_PEER_FGD_CHANGE_LIST_H_
#define MUSTER_PEER_FGD_CHANGE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster {

class ChangeList {
 public:
  explicit ChangeList(size_t things) : links_(things + 1) {
    const auto end = static_cast<uint32_t>(things);
    links_[end] = {0, end, end};
  }

  uint32_t now() const { return now_; }  // changes so far
  bool Changed(size_t i) const { return links_[i].time > 0; }

  void Note(size_t i) {
    Link& link = links_[i];
    if (link.time > 0) {
      links_[link.newer].older = link.older;
      links_[link.older].newer = link.newer;
    }
    Link& end = links_.back();
    const auto self = static_cast<uint32_t>(i), last = static_cast<uint32_t>(links_.size() - 1);
    link = {++now_, end.older, last};
    links_[end.older].newer = self;
    end.older = self;
  }

  // Calls `look` for each thing that changed since `then`, the newest first. REQUIRES: `look` notes
  // nothing.
  template <class Look>
  void Since(uint32_t time, Look look) const {
    for (uint32_t i = links_.back().older; links_[i].time > time; i = links_[i].older) look(i);
  }

 private:
  struct Link {
    uint32_t time = 0;  // of its last change; 0: it never changed
    uint32_t older = 0, newer = 0;
  };
  std::vector<Link> links_;  // the last one closes the ring: before it stands the newest
  uint32_t now_ = 0;
};

}  // namespace muster

#endif  // MUSTER_PEER_FGD_CHANGE_LIST_H_
