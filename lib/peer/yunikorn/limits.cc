// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/yunikorn/limits.h"

#include <algorithm>
#include <utility>

namespace muster::yunikorn {
namespace {

bool Unlimited(const Level& level) { return level.most_applications == 0 && IsZero(level.most); }

bool Unused(const Level& level) {
  return level.children.empty() && level.applications.empty() && IsZero(level.usage);
}

// Levels of a path that exist, from the root; shorter than the path if one is missing.
std::vector<Level*> Existing(Level& root, const std::vector<std::string>& path) {
  std::vector<Level*> levels = {&root};
  for (size_t i = 1; i < path.size(); ++i) {
    const auto child = levels.back()->children.find(path[i]);
    if (child == levels.back()->children.end()) break;
    levels.push_back(child->second.get());
  }
  return levels;
}

Resource HeadroomOf(const std::vector<Level*>& levels) {
  Resource headroom = Resource::Nil();
  for (size_t i = levels.size(); i-- > 0;) {
    const Level& level = *levels[i];
    if (IsZero(level.most)) continue;
    headroom = Min(SubOnlyExisting(level.most, level.usage), headroom);
  }
  return headroom;
}

bool CanRunIn(const std::vector<Level*>& levels, uint32_t application) {
  for (const Level* level : levels) {
    if (level->most_applications == 0 || level->applications.contains(application)) continue;
    if (level->applications.size() + 1 > level->most_applications) return false;
  }
  return true;
}

void IncreaseIn(const std::vector<Level*>& levels, const Resource& usage) {
  for (Level* level : levels) {
    if (level->usage.nil()) level->usage = {};
    level->usage.AddTo(usage);
    level->usage.Prune();
  }
}

void ListIn(const std::vector<Level*>& levels, uint32_t application) {
  for (Level* level : levels) level->applications.insert(application);
}

bool AnyLimited(const std::vector<Level*>& levels) {
  return !std::ranges::all_of(levels, [](const Level* level) { return Unlimited(*level); });
}

// Returns whether the root is needed no longer; `*removed` is set if a level was.
bool DecreaseIn(Level& root, const UsageKey& key, const Resource& usage, bool last, bool* removed) {
  std::vector<Level*> levels = Existing(root, key.path);
  // Where a level is missing the one above it counts nothing, either. Those further up do.
  const bool complete = levels.size() == key.path.size();
  if (!complete) levels.pop_back();
  for (size_t i = levels.size(); i-- > 0;) {
    Level& level = *levels[i];
    if (i + 1 < levels.size()) {
      const Level& child = *levels[i + 1];
      if (Unused(child) && Unlimited(child)) {
        level.children.erase(key.path[i + 1]);
        *removed = true;
      }
    }
    level.usage.SubFrom(usage);
    level.usage.Prune();
    if (last) level.applications.erase(key.application);
  }
  return complete && Unused(root) && Unlimited(root);
}

// Removes levels below which nothing runs. Returns whether `level` is one. The depth is that of
// queue paths.
bool Unlink(Level& level, const std::vector<std::string>& path, size_t at) {
  if (at + 1 < path.size()) {
    const auto child = level.children.find(path[at + 1]);
    if (child != level.children.end() && Unlink(*child->second, path, at + 1)) {
      level.children.erase(child);
      return false;
    }
  } else {
    std::erase_if(level.children,
                  [&](const auto& child) { return Unlink(*child.second, path, path.size()); });
  }
  return level.applications.empty() && level.children.empty();
}

void ForgetBelow(Level& level) {
  for (auto& [name, child] : level.children) {
    if (!child->applications.empty() && !IsZero(child->usage)) ForgetBelow(*child);
  }
  if (level.applications.empty() || IsZero(level.usage)) return;
  level.usage = Resource::Nil();
  level.applications.clear();
}

// Forgets what is used below the last of `levels`, and in those above it. Returns the
// applications that ran there.
std::vector<uint32_t> Forget(const std::vector<Level*>& levels) {
  const HashSet<uint32_t>& running = levels.back()->applications;
  std::vector<uint32_t> forgotten(running.begin(), running.end());
  ForgetBelow(*levels.back());
  for (size_t i = levels.size() - 1; i-- > 0;) {
    Level& level = *levels[i];
    if (level.applications.empty() || IsZero(level.usage)) continue;
    level.usage = Resource::Nil();
    level.applications.clear();
  }
  return forgotten;
}

bool Removable(const Level& level) { return Unused(level) && Unlimited(level); }

template <class Map>
bool HasLimit(const Map& limits, const std::string& path, const std::string& name) {
  const auto found = limits.find(path);
  return found != limits.end() && found->second.find(name) != found->second.end();
}

}  // namespace

std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> parts;
  for (size_t dot = path.find('.'); dot != path.npos; dot = path.find('.')) {
    parts.emplace_back(path.substr(0, dot));
    path.remove_prefix(dot + 1);
  }
  parts.emplace_back(path);
  return parts;
}

// --- levels

std::unique_ptr<Level> Limits::NewLevel(std::string path, std::string name, Kind kind) const {
  auto level = std::make_unique<Level>();
  level->name = std::move(name);
  level->path = std::move(path);
  if (kind == Kind::kGroup) return level;
  const auto wildcard = rules_.user_wildcards.find(level->path);
  if (wildcard == rules_.user_wildcards.end()) return level;
  level->most = wildcard->second.resources;
  level->most_applications = wildcard->second.applications;
  level->wildcard = true;
  return level;
}

Level* Limits::Child(Level& level, const std::string& name, Kind kind) const {
  std::unique_ptr<Level>& child = level.children[name];
  if (child == nullptr) child = NewLevel(level.path + "." + name, name, kind);
  return child.get();
}

std::vector<Level*> Limits::Levels(Level& root, const Path& path, Kind kind) const {
  std::vector<Level*> levels = {&root};
  for (size_t i = 1; i < path.size(); ++i) levels.push_back(Child(*levels.back(), path[i], kind));
  return levels;
}

Limits::User& Limits::UserOf(const std::string& name) {
  User& user = users_[name];
  if (user.root == nullptr) user.root = NewLevel("root", "root", Kind::kUser);
  return user;
}

Limits::Group& Limits::GroupNamed(const std::string& name) {
  Group& group = groups_[name];
  if (group.root == nullptr) {
    group.root = NewLevel("root", "root", Kind::kGroup);
    ++version_;
  }
  return group;
}

const Level* Limits::UserLevel(std::string_view user) const {
  const auto found = users_.find(user);
  return found == users_.end() ? nullptr : found->second.root.get();
}

const Level* Limits::GroupLevel(std::string_view group) const {
  const auto found = groups_.find(group);
  return found == groups_.end() ? nullptr : found->second.root.get();
}

std::string Limits::GroupOf(const UsageKey& key) const {
  const auto user = users_.find(key.user);
  if (user == users_.end()) return "";
  const auto found = user->second.group_of.find(key.application);
  return found == user->second.group_of.end() ? "" : found->second;
}

// --- use

std::string Limits::ChooseGroup(const UsageKey& key) const {
  if (key.groups.empty()) return "";
  for (size_t length = key.path.size(); length > 0; --length) {
    std::string path = key.path[0];
    for (size_t i = 1; i < length; ++i) path += "." + key.path[i];
    if (const auto order = rules_.group_order.find(path); order != rules_.group_order.end()) {
      for (const std::string& group : order->second) {
        if (std::ranges::find(key.groups, group) != key.groups.end()) return group;
      }
    }
    if (rules_.group_wildcards.contains(path)) return kWildcard;
  }
  return "";
}

void Limits::LinkGroup(User& user, const UsageKey& key) {
  if (user.group_of.contains(key.application)) return;
  std::string group = ChooseGroup(key);
  if (!group.empty()) GroupNamed(group);
  user.group_of[key.application] = std::move(group);
}

void Limits::Resolve(UsageKey& key) {
  if (key.version == version_) return;
  User& user = UserOf(key.user);
  key.user_levels = Levels(*user.root, key.path, Kind::kUser);
  LinkGroup(user, key);
  key.group_levels.clear();
  const std::string& group = user.group_of.find(key.application)->second;
  if (const auto found = groups_.find(group); !group.empty() && found != groups_.end()) {
    key.group_levels = Levels(*found->second.root, key.path, Kind::kGroup);
  }
  key.limited = AnyLimited(key.user_levels) || AnyLimited(key.group_levels);
  key.version = version_;
}

Resource Limits::Headroom(UsageKey& key) {
  Resolve(key);
  if (!key.limited) return Resource::Nil();
  return Min(HeadroomOf(key.user_levels), HeadroomOf(key.group_levels));
}

bool Limits::CanRun(UsageKey& key) {
  Resolve(key);
  if (!key.limited) return true;
  return CanRunIn(key.user_levels, key.application) && CanRunIn(key.group_levels, key.application);
}

void Limits::Increase(UsageKey& key, const Resource& usage) {
  if (usage.nil() || key.user.empty()) return;
  Resolve(key);
  IncreaseIn(key.user_levels, usage);
  IncreaseIn(key.group_levels, usage);
  if (key.counted == version_) return;
  key.counted = version_;
  ListIn(key.user_levels, key.application);
  ListIn(key.group_levels, key.application);
  if (key.group_levels.empty()) return;
  groups_.find(GroupOf(key))->second.user_of[key.application] = key.user;
}

void Limits::Decrease(UsageKey& key, const Resource& usage, bool last) {
  const auto user = users_.find(key.user);
  if (usage.nil() || user == users_.end()) return;
  const std::string group = GroupOf(key);
  bool removed = last;
  if (last) user->second.group_of.erase(key.application);
  if (DecreaseIn(*user->second.root, key, usage, last, &removed)) {
    users_.erase(user);
    removed = true;
  }
  if (const auto found = groups_.find(group); !group.empty() && found != groups_.end()) {
    if (last) found->second.user_of.erase(key.application);
    if (DecreaseIn(*found->second.root, key, usage, last, &removed)) {
      groups_.erase(found);
      removed = true;
    }
  }
  if (removed) ++version_;
}

// --- configurations

void Limits::SetLimit(Level& root, std::string_view path, const Limit& limit, Kind kind) {
  Level& level = *Levels(root, SplitPath(path), kind).back();
  level.most = limit.resources;
  level.most_applications = limit.applications;
  level.wildcard = false;
}

void Limits::ReadRule(const std::string& path, const LimitRule& rule, Rules& rules) {
  for (const std::string& user : rule.users) {
    if (user.empty()) continue;
    if (user == kWildcard) {
      rules.user_wildcards[path] = rule.limit;
      continue;
    }
    SetLimit(*UserOf(user).root, path, rule.limit, Kind::kUser);
    rules.users[path][user] = rule.limit;
  }
  for (const std::string& group : rule.groups) {
    if (group.empty()) continue;
    SetLimit(*GroupNamed(group).root, path, rule.limit, Kind::kGroup);
    rules.groups[path][group] = rule.limit;
    if (group == kWildcard) {
      rules.group_wildcards[path] = rule.limit;
    } else {
      rules.group_order[path].push_back(group);
    }
  }
}

void Limits::ReadRules(const std::vector<QueueLimits>& queues, Rules& rules) {
  for (const QueueLimits& queue : queues) {
    for (const LimitRule& rule : queue.rules) ReadRule(queue.path, rule, rules);
  }
}

void Limits::DropUser(const std::string& name, const std::string& path) {
  const auto user = users_.find(name);
  if (user == users_.end()) return;
  Level& root = *user->second.root;
  const Path parts = SplitPath(path);
  const std::vector<Level*> levels = Existing(root, parts);
  if (levels.size() < parts.size()) return;
  SetLimit(root, path, {Resource::Nil(), 0}, Kind::kUser);
  if (levels.back()->applications.empty()) Unlink(root, parts, 0);
  if (Removable(root)) users_.erase(user);
}

void Limits::DropGroup(const std::string& name, const std::string& path) {
  const auto group = groups_.find(name);
  if (group == groups_.end()) return;
  Level& root = *group->second.root;
  const Path parts = SplitPath(path);
  const std::vector<Level*> levels = Existing(root, parts);
  if (levels.size() < parts.size()) return;
  for (uint32_t application : Forget(levels)) {
    const auto owner = group->second.user_of.find(application);
    if (owner == group->second.user_of.end()) continue;
    const auto user = users_.find(owner->second);
    if (user != users_.end()) user->second.group_of.erase(application);
  }
  SetLimit(root, path, {Resource::Nil(), 0}, Kind::kGroup);
  if (levels.back()->applications.empty()) Unlink(root, parts, 0);
  if (Removable(root)) groups_.erase(group);
}

void Limits::DropUsers(const Rules& next) {
  for (const auto& [path, limits] : rules_.users) {
    for (const auto& [name, limit] : limits) {
      if (!HasLimit(next.users, path, name)) DropUser(name, path);
    }
  }
}

void Limits::DropGroups(const Rules& next) {
  for (const auto& [path, limits] : rules_.groups) {
    for (const auto& [name, limit] : limits) {
      if (!HasLimit(next.groups, path, name)) DropGroup(name, path);
    }
  }
}

// The peer leaves wildcards alone where named limits are in both configurations.
void Limits::DropWildcards(const Rules& next) {
  for (const auto& [path, limit] : rules_.user_wildcards) {
    if (rules_.users.contains(path) && next.users.contains(path)) continue;
    const auto wildcard = next.user_wildcards.find(path);
    const bool gone = wildcard == next.user_wildcards.end();
    if (!gone && limit.applications == wildcard->second.applications &&
        Equals(limit.resources, wildcard->second.resources)) {
      continue;
    }
    for (auto& [name, user] : users_) {
      if (HasLimit(rules_.users, path, name) && HasLimit(next.users, path, name)) continue;
      Level& level = *Levels(*user.root, SplitPath(path), Kind::kUser).back();
      if (!level.wildcard) continue;
      level.most = gone ? Resource::Nil() : wildcard->second.resources;
      level.most_applications = gone ? 0 : wildcard->second.applications;
      level.wildcard = !gone;
    }
  }
}

void Limits::ApplyWildcards(const Rules& next) {
  for (const auto& [path, limit] : next.user_wildcards) {
    for (auto& [name, user] : users_) {
      if (HasLimit(next.users, path, name)) continue;
      SetLimit(*user.root, path, limit, Kind::kUser);
      Levels(*user.root, SplitPath(path), Kind::kUser).back()->wildcard = true;
    }
  }
}

void Limits::Update(const std::vector<QueueLimits>& queues) {
  Rules next;
  ReadRules(queues, next);
  DropGroups(next);
  DropUsers(next);
  DropWildcards(next);
  ApplyWildcards(next);
  rules_ = std::move(next);
  ++version_;
}

}  // namespace muster::yunikorn
