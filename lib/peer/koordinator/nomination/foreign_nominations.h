// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Nodes that other schedulers of the cluster promised to tasks, and which promises count against a
// task of ours.
//
//   ForeignNominations foreign;
//   foreign.AddOwnScheduler("ours");
//   if (foreign.Concerns(task)) foreign.Put(task);
//   CountedNominations(asker, own, foreign.On("n1"), same_job);
//
// Idea. While a task is tried on a node, the node also carries what was promised to tasks that come
// first. Of this scheduler's promises those of equal priority count, too. Of other schedulers'
// promises they do not, since two schedulers would wait for each other.
//
// Peer. Koordinator's nominator across schedulers. A task that is bound, or without a promise, is
// of no concern. Neither are tasks of its own job.
//
// Ties. In the order of the promises, those of this scheduler first.
//
// Cost. O(log tasks + promises of the node) a change, O(promises of the node) a question.
#ifndef MUSTER_PEER_KOORDINATOR_NOMINATION_FOREIGN_NOMINATIONS_H_
#define MUSTER_PEER_KOORDINATOR_NOMINATION_FOREIGN_NOMINATIONS_H_

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace muster {

struct NominatedTask {
  std::string uid = {};
  int64_t priority = 0;
  std::string promised = {};  // its promised node; empty: none
  std::string node = {};      // the node that it is bound to; empty: none
  std::string scheduler = {};
};

class ForeignNominations {
 public:
  void AddOwnScheduler(const std::string& name) { own_.insert(name); }

  // Returns whether the promise of the task is another scheduler's, and still open.
  bool Concerns(const NominatedTask& task) const;
  // Replaces what is known of the task. Without a promise, what was known stays.
  void Put(const NominatedTask& task);
  // Forgets what the task was, and puts what it is.
  void Change(const NominatedTask& before, const NominatedTask& now);
  void Remove(const std::string& uid);
  // An event of a task, of concern or not: `before` or `now` is null where it was not or is not
  // there.
  void Follow(const NominatedTask* before, const NominatedTask* now);

  std::vector<NominatedTask> On(const std::string& node) const;

 private:
  std::set<std::string> own_;
  std::map<std::string, std::vector<NominatedTask>> nodes_;
  std::map<std::string, std::string> places_;  // node by uid
};

// Returns the promises of a node that count while `asker` is tried there. `same_job` holds uids.
std::vector<NominatedTask> CountedNominations(const NominatedTask& asker,
                                              std::span<const NominatedTask> own,
                                              std::span<const NominatedTask> foreign,
                                              const std::set<std::string>& same_job);

}  // namespace muster

#endif  // MUSTER_PEER_KOORDINATOR_NOMINATION_FOREIGN_NOMINATIONS_H_
