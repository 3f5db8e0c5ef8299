// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Mapping rules of profile yarn-capacity on random trees, compared with a slow twin: a walk over
// lists of queues, written from the description in queue_mapping.h and queue_placement.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/rng.h"
#include "muster/muster.h"

namespace muster {
namespace {

using Words = std::vector<std::string>;

Words PartsOf(const std::string& path) { return absl::StrSplit(path, '.'); }

struct Queue {
  std::string path;
  bool is_leaf = true, is_made = false;
  int64_t levels = 0;  // that may be made below it; 0: none
};

struct Rule {
  std::string source, matches;  // matches: "*" for all
  Words place;                  // empty: the application is refused
  bool sets_default = false, exists = false;
  std::string fallback;  // "", "skip" or "reject"

  std::string Text() const {
    std::string text = absl::StrCat(source, ":", matches, ":");
    if (place.empty()) return text + "%reject";
    absl::StrAppend(&text, sets_default ? "%default=" : "", absl::StrJoin(place, "."));
    if (sets_default) return text;
    if (exists) text += ":existing";
    return fallback.empty() ? text : absl::StrCat(text, ":", fallback);
  }
};

struct Application {
  std::string name, user, queue;  // queue: that it names; empty: none
  Words groups;
};

// Where applications go, one after the other. Queues that are made stay.
class Twin {
 public:
  Twin(std::vector<Queue> queues, std::vector<Rule> rules, bool overrides)
      : queues_(std::move(queues)), rules_(std::move(rules)), overrides_(overrides) {}

  // Returns the leaf; none: the application is refused.
  std::optional<std::string> Place(const Application& app) {
    const bool names_one = !app.queue.empty() && app.queue != "root.default";
    std::optional<std::string> leaf;
    bool is_decided = false;
    if (overrides_ || !names_one) is_decided = Decide(app, &leaf);
    if (!is_decided) leaf = Find(app.queue.empty() ? "root.default" : app.queue, true);
    if (leaf) Make(*leaf);
    return leaf;
  }

 private:
  // Returns whether a rule decides.
  bool Decide(const Application& app, std::optional<std::string>* leaf) const {
    std::string otherwise = "root.default";
    for (const Rule& rule : rules_) {
      const bool is_match =
          rule.matches == "*" || (rule.source == "u" && rule.matches == app.user) ||
          (rule.source == "a" && rule.matches == app.name) ||
          (rule.source == "g" && std::ranges::count(app.groups, rule.matches) > 0);
      if (!is_match) continue;
      if (rule.place.empty()) return true;
      const std::string path = Written(rule.place, app, otherwise);
      if (rule.sets_default) {
        otherwise = path;
        continue;
      }
      if (!path.empty()) *leaf = Find(path, !rule.exists);
      if (*leaf) return true;
      if (rule.fallback == "skip") continue;
      if (rule.fallback.empty() && !otherwise.empty()) *leaf = Find(otherwise, false);
      return true;
    }
    return false;
  }

  static std::string Clean(const std::string& name) {
    return absl::StrJoin(absl::StrSplit(name, '.'), "_dot_");
  }

  // Empty: a part has no value.
  std::string Written(const Words& place, const Application& app,
                      const std::string& otherwise) const {
    Words parts;
    for (const std::string& part : place) {
      std::string value = part;
      if (part == "%user") value = Clean(app.user);
      if (part == "%application") value = app.name;
      if (part == "%specified") value = app.queue;
      if (part == "%default") value = otherwise;
      if (part == "%primary_group") value = app.groups.empty() ? "" : Clean(app.groups[0]);
      if (part == "%secondary_group") {
        value.clear();
        for (size_t i = 1; i < app.groups.size() && value.empty(); ++i) {
          Words with = parts;
          with.push_back(Clean(app.groups[i]));
          if (IsThere(absl::StrJoin(with, "."))) value = with.back();
        }
      }
      if (value.empty()) return "";
      parts.push_back(value);
    }
    return absl::StrJoin(parts, ".");
  }

  const Queue* WithPath(const std::string& path) const {
    const auto at = std::ranges::find(queues_, path, &Queue::path);
    return at == queues_.end() ? nullptr : &*at;
  }
  // The only queue with this path or last part; the path goes before.
  const Queue* Named(const std::string& name) const {
    if (const Queue* queue = WithPath(name)) return queue;
    const Queue* found = nullptr;
    for (const Queue& queue : queues_) {
      if (PartsOf(queue.path).back() != name) continue;
      if (found != nullptr) return nullptr;
      found = &queue;
    }
    return found;
  }
  bool IsThere(const std::string& place) const { return Named(place) != nullptr; }

  std::optional<std::string> Find(const std::string& place, bool may_make) const {
    if (const Queue* queue = Named(place)) {
      return queue->is_leaf ? std::optional(queue->path) : std::nullopt;
    }
    Words parts = PartsOf(place);
    if (parts.size() == 1) return std::nullopt;
    const Queue* top = Named(parts[0]);
    if (top == nullptr) return std::nullopt;
    parts[0] = top->path;
    const std::string path = absl::StrJoin(parts, ".");
    if (const Queue* queue = WithPath(path)) {
      return queue->is_leaf ? std::optional(path) : std::nullopt;
    }
    if (!may_make || std::ranges::count(PartsOf(path), "") > 0) return std::nullopt;
    // The nearest queue above it that was not made tells how many levels there may be.
    Words above = PartsOf(path);
    for (int64_t levels = 1;; ++levels) {
      above.pop_back();
      const Queue* queue = WithPath(absl::StrJoin(above, "."));
      if (queue == nullptr) continue;
      if (queue->is_made && queue->is_leaf) return std::nullopt;
      if (queue->is_made) continue;
      return levels <= queue->levels ? std::optional(path) : std::nullopt;
    }
  }

  void Make(const std::string& path) {
    const Words parts = PartsOf(path);
    for (size_t n = 1; n <= parts.size(); ++n) {
      const std::string above = absl::StrJoin(parts.begin(), parts.begin() + n, ".");
      if (WithPath(above) != nullptr) continue;
      queues_.push_back({.path = above, .is_leaf = n == parts.size(), .is_made = true});
    }
  }

  std::vector<Queue> queues_;
  const std::vector<Rule> rules_;
  const bool overrides_;
};

// A tree with leaves, two queues of one short name, and parents of both kinds that make queues.
class World {
 public:
  explicit World(uint64_t seed) : rng_(seed) {
    Must(cluster_.AddNode(
        {.name = "n", .capacity = {{"cpu", 64}, {"memory", "64Gi"}, {"pods", 999}}}));
    do {
      rules_.push_back(AnyRule());
    } while (rng_.Chance(0.7));
    overrides_ = rng_.Chance(0.3);
    AddQueues();
    for (uint64_t i = 1 + rng_.Below(6); i > 0; --i) AddJob();
  }

  // Places each application by the profile and by the twin.
  void Compare() {
    const absl::StatusOr<Plan> plan = cluster_.Schedule("yarn-capacity");
    ASSERT_TRUE(plan.ok()) << plan.status();
    const MemorySlot* slot = plan->memory().Find("yarn-applications");
    Twin twin(queues_, rules_, overrides_);
    for (const Application& app : applications_) {
      const std::optional<std::string> leaf = twin.Place(app);
      const bool is_accepted = slot != nullptr && slot->Find(app.name) != nullptr;
      EXPECT_EQ(is_accepted ? std::string(slot->Text(app.name)) : "refused",
                leaf.value_or("refused"))
          << app.name << " of " << app.user << " (" << absl::StrJoin(app.groups, ",") << ") in "
          << (app.queue.empty() ? "none" : app.queue) << ", rules " << RulesText()
          << (overrides_ ? ", override" : "") << "\n"
          << plan->Explain(app.name).value_or("");
      placed_ += leaf.has_value();
      made_ += leaf && std::ranges::find(queues_, *leaf, &Queue::path) == queues_.end();
      refused_ += !leaf;
    }
  }
  int64_t placed() const { return placed_; }
  int64_t made() const { return made_; }
  int64_t refused() const { return refused_; }

 private:
  static void Must(const absl::Status& status) { ASSERT_TRUE(status.ok()) << status; }
  template <size_t n>
  std::string OneOf(const char* const (&words)[n]) {
    return words[rng_.Below(n)];
  }

  Rule AnyRule() {
    Rule rule{.source = OneOf({"u", "u", "g", "a"}), .fallback = OneOf({"", "skip", "reject"})};
    rule.matches = rule.source == "u"   ? OneOf({"*", "*", "ann", "bob.lee", "b"})
                   : rule.source == "g" ? OneOf({"*", "dev", "ops", "b"})
                                        : OneOf({"*", "j1", "j2"});
    // All groups are no match of groups.
    if (rule.source == "g" && rule.matches == "*") rule.source = "u";
    rule.exists = rng_.Chance(0.3);
    if (rng_.Chance(0.05)) return rule;
    static constexpr const char* kPlaces[] = {"a",
                                              "b",
                                              "root.b",
                                              "root.p.b",
                                              "p.b",
                                              "root.p",
                                              "nowhere",
                                              "%user",
                                              "%specified",
                                              "%default",
                                              "%primary_group",
                                              "%secondary_group",
                                              "root.teams.%user",
                                              "teams.%primary_group.%user",
                                              "root.teams.%secondary_group.%user",
                                              "teams.dev",
                                              "root.teams.dev.x.%application",
                                              "root.users.%user",
                                              "users.%application",
                                              "root.users.ann.b",
                                              "root.%primary_group.%secondary_group",
                                              "%primary_group.%application"};
    rule.place = PartsOf(OneOf(kPlaces));
    rule.sets_default = rng_.Chance(0.1);
    return rule;
  }
  std::string RulesText() const {
    Words texts;
    for (const Rule& rule : rules_) texts.push_back(rule.Text());
    return absl::StrJoin(texts, ",");
  }

  void AddQueue(const std::string& parent, const std::string& name, Labels settings,
                int64_t levels = 0, bool is_leaf = true) {
    const std::string path = absl::StrCat(parent, ".", name);
    settings.emplace_back("yarn-capacity/maximum-am-resource-percent", "1");
    Must(cluster_.AddQueue({.name = path, .parent = parent, .settings = std::move(settings)}));
    queues_.push_back({.path = path, .is_leaf = is_leaf && levels == 0, .levels = levels});
  }
  void AddQueues() {
    Labels settings = {{"yarn-capacity/queue-mappings", RulesText()}};
    if (overrides_) {
      settings.emplace_back("yarn-capacity/queue-mappings-override.enable", "true");
    }
    Must(cluster_.AddQueue({.name = "root", .settings = std::move(settings)}));
    queues_.push_back({.path = "root", .is_leaf = false});
    AddQueue("root", "a", {});
    AddQueue("root", "b", {});
    AddQueue("root", "p", {}, 0, /*is_leaf=*/false);
    AddQueue("root.p", rng_.Chance(0.5) ? "b" : "c", {});
    const std::string depth = OneOf({"1", "2", "3"});
    AddQueue("root", "teams",
             {{"yarn-capacity/auto-queue-creation-v2.enabled", "true"},
              {"yarn-capacity/auto-queue-creation-v2.maximum-queue-depth", depth}},
             depth[0] - '0');
    AddQueue("root", "users",
             {{"yarn-capacity/auto-create-child-queue.enabled", "true"},
              {"yarn-capacity/leaf-queue-template.capacity", "10"}},
             1);
    if (rng_.Chance(0.5)) AddQueue("root", "default", {});
  }

  void AddJob() {
    const std::string name = absl::StrCat("j", applications_.size());
    Application app{.name = name, .user = OneOf({"ann", "bob.lee", "b"})};
    for (uint64_t i = rng_.Below(4); i > 0; --i) {
      const std::string group = OneOf({"dev", "ops", "b", "a", "x.y"});
      if (std::ranges::count(app.groups, group) == 0) app.groups.push_back(group);
    }
    JobSpec job{.name = name,
                .groups = {{.count = 1, .shape = {.request = {{"cpu", 1}, {"memory", "1Gi"}}}}},
                .created = static_cast<int64_t>(applications_.size())};
    job.owner = JobOwner{.user = app.user, .groups = app.groups};
    if (rng_.Chance(0.4)) {
      app.queue = OneOf({"root.a", "root.b", "b", "root.teams.ann", "teams.b", "root.users.ann.x",
                         "root.users.ann", "root.default", "root.teams.ann.b", "root.p"});
      job.settings = {{"yarn-capacity/queue", app.queue}};
    }
    Must(cluster_.AddJob(job));
    applications_.push_back(std::move(app));
  }

  Rng rng_;
  std::vector<Rule> rules_;
  bool overrides_ = false;
  std::vector<Queue> queues_;
  std::vector<Application> applications_;
  Cluster cluster_;
  int64_t placed_ = 0, made_ = 0, refused_ = 0;
};

TEST(YarnMappingWorlds, EachApplicationGoesWhereTheTwinPutsIt) {
  int64_t placed = 0, made = 0, refused = 0;
  for (uint64_t seed = 0; seed < 3'000; ++seed) {
    World world(seed);
    world.Compare();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    placed += world.placed();
    made += world.made();
    refused += world.refused();
  }
  EXPECT_GT(placed, 3'000);
  EXPECT_GT(made, 1'000);
  EXPECT_GT(refused, 1'000);
}

}  // namespace
}  // namespace muster
