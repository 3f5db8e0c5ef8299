// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Limits of users and groups: what each uses below each queue, and what it may still use.
//
//   Limits limits;
//   limits.Update(root_config_limits);
//   const bool fits = FitsInLimits(limits.Headroom(user), ask);
//   if (limits.CanRun(user) && fits) limits.Increase(user, ask);
//
// Every user has a tree of levels that mirrors the queues that the user's applications were in. A
// level counts use and running applications, with or without a limit, since a later configuration
// may bring one. Groups that have a limit have such a tree, too. An application counts for one
// group at most, which is chosen once: from its leaf upward the first configured group that the
// user is in, or else the wildcard of that queue. Without either the application has no group.
//
// Surprises. A wildcard user limit holds for each user alone; a wildcard group limit is shared by
// all that fall to it. A level takes a wildcard limit at its creation. Limits that are removed
// leave the level behind until nothing runs in it.
//
// Pointers to levels are kept in UsageKey, so a question costs the depth of the queue tree. They
// are looked up again after levels were removed.
#ifndef MUSTER_PEER_YUNIKORN_LIMITS_H_
#define MUSTER_PEER_YUNIKORN_LIMITS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/peer/yunikorn/resource.h"

namespace muster::yunikorn {

// The name that stands for all users, or all groups.
inline constexpr char kWildcard[] = "*";

// A nil or zero `resources` and zero `applications` are no limit.
struct Limit {
  Resource resources;
  uint64_t applications = 0;
};

// A limit of a queue's configuration, with the users and groups that it names; "*" is a wildcard.
struct LimitRule {
  std::vector<std::string> users;
  std::vector<std::string> groups;
  Limit limit;
};

struct QueueLimits {
  std::string path;  // "root.a"
  std::vector<LimitRule> rules;
};

// One queue below which something is used.
struct Level {
  std::string name;
  std::string path;
  Resource usage = Resource::Nil();
  HashSet<uint32_t> applications;
  Resource most = Resource::Nil();
  uint64_t most_applications = 0;
  bool wildcard = false;  // the limit is that of the wildcard
  std::map<std::string, std::unique_ptr<Level>, std::less<>> children;
};

// An application, as its use is counted.
struct UsageKey {
  uint32_t application = 0;
  std::string user;
  std::vector<std::string> groups;
  std::vector<std::string> path;  // names of queues, from the root

  // What `Limits` found for it.
  uint64_t version = 0;
  uint64_t counted = 0;  // the version in which all levels list the application
  bool limited = false;  // one of the levels has a limit
  std::vector<Level*> user_levels;
  std::vector<Level*> group_levels;
};

class Limits {
 public:
  using Path = std::vector<std::string>;

  // Takes the limits of a configuration, parents before children, instead of the earlier ones.
  void Update(const std::vector<QueueLimits>& queues);

  // What the user and the group may still use; nil without a limit. Amounts may be negative.
  Resource Headroom(UsageKey& key);
  // Whether one more application may run. Those that run already may.
  bool CanRun(UsageKey& key);

  void Increase(UsageKey& key, const Resource& usage);
  // `last`: the application runs no longer.
  void Decrease(UsageKey& key, const Resource& usage, bool last);

  // The level of a user or group, or null. For reading what is counted.
  const Level* UserLevel(std::string_view user) const;
  const Level* GroupLevel(std::string_view group) const;
  bool HasUser(std::string_view user) const { return users_.find(user) != users_.end(); }
  // The group for which the application counts; empty: none.
  std::string GroupOf(const UsageKey& key) const;

 private:
  enum class Kind : uint8_t { kUser, kGroup };
  using Named = std::map<std::string, Limit, std::less<>>;
  // All limits of one configuration, by path.
  struct Rules {
    std::map<std::string, Named> users, groups;
    std::map<std::string, Limit> user_wildcards, group_wildcards;
    std::map<std::string, std::vector<std::string>> group_order;
  };
  struct User {
    std::unique_ptr<Level> root;
    HashMap<uint32_t, std::string> group_of;  // by application; empty: none
  };
  struct Group {
    std::unique_ptr<Level> root;
    HashMap<uint32_t, std::string> user_of;  // by application
  };

  std::unique_ptr<Level> NewLevel(std::string path, std::string name, Kind kind) const;
  Level* Child(Level& level, const std::string& name, Kind kind) const;
  User& UserOf(const std::string& name);
  Group& GroupNamed(const std::string& name);
  void LinkGroup(User& user, const UsageKey& key);
  std::string ChooseGroup(const UsageKey& key) const;
  void Resolve(UsageKey& key);
  std::vector<Level*> Levels(Level& root, const Path& path, Kind kind) const;
  void SetLimit(Level& root, std::string_view path, const Limit& limit, Kind kind);

  void ReadRules(const std::vector<QueueLimits>& queues, Rules& rules);
  void ReadRule(const std::string& path, const LimitRule& rule, Rules& rules);
  void DropGroups(const Rules& next);
  void DropUsers(const Rules& next);
  void DropUser(const std::string& name, const std::string& path);
  void DropGroup(const std::string& name, const std::string& path);
  void DropWildcards(const Rules& next);
  void ApplyWildcards(const Rules& next);

  Rules rules_;
  std::map<std::string, User, std::less<>> users_;
  std::map<std::string, Group, std::less<>> groups_;
  uint64_t version_ = 1;
};

// The parts of "root.a.b".
std::vector<std::string> SplitPath(std::string_view path);

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_LIMITS_H_
