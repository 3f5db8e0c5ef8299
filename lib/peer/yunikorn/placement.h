// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Placement rules: which queue an application goes to.
//
//   auto rules = PlacementRules::Build(config.rules);
//   absl::StatusOr<std::string> path = rules->rule(0).Place(application, queues);
//
// A rule makes a name of the user, of a tag, of the queue that was asked for, or has a fixed one.
// It lies below root, or below what the rule's parent rule returns; names that begin with "root."
// are whole paths, dots in others are replaced. An empty path means: the rule does not apply.
#ifndef MUSTER_PEER_YUNIKORN_PLACEMENT_H_
#define MUSTER_PEER_YUNIKORN_PLACEMENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/peer/yunikorn/config.h"
#include "lib/peer/yunikorn/objects.h"
#include "lib/peer/yunikorn/pattern.h"

namespace muster::yunikorn {

inline constexpr std::string_view kRoot = "root";
inline constexpr std::string_view kRecoveryQueue = "root.@recovery@";
inline constexpr std::string_view kDefaultQueue = "root.default";

// What a rule sees of a queue; nullopt: there is none.
struct QueueView {
  bool leaf = false;
};
using FindQueueFunction = std::function<std::optional<QueueView>(std::string_view path)>;

// The users that a rule is for.
class Filter {
 public:
  explicit Filter(const FilterConfig& config);
  bool Allows(std::string_view user, const std::vector<std::string>& groups) const;

 private:
  struct Names {
    std::optional<Pattern> pattern;
    std::set<std::string, std::less<>> names;
    bool Has(std::string_view name) const {
      return pattern ? pattern->Matches(name) : names.find(name) != names.end();
    }
  };
  bool allow_ = true;
  bool empty_ = true;
  Names users_, groups_;
};

class Rule {
 public:
  enum class Kind : uint8_t { kUser, kFixed, kProvided, kTag };

  // Fails with InvalidArgument for an unknown rule, or one without its name or tag.
  static absl::StatusOr<Rule> Build(const RuleConfig& config, int depth = 0);

  // The path, or nothing. Fails for names that no queue can have, which rejects the application.
  absl::StatusOr<std::string> Place(const Application& application,
                                    const FindQueueFunction& find) const;

 private:
  explicit Rule(const FilterConfig& filter) : filter_(filter) {}
  std::string NameFor(const Application& application) const;
  absl::StatusOr<std::string> Below(const Application& application, const FindQueueFunction& find,
                                    const std::string& name) const;

  Kind kind_ = Kind::kProvided;
  bool create_ = false;
  std::string value_;  // the fixed queue, or the tag
  Filter filter_;
  std::shared_ptr<const Rule> parent_;
};

// The value of a tag, found whatever the case of its name.
std::string TagOf(const Application& application, std::string_view tag);

}  // namespace muster::yunikorn

#endif  // MUSTER_PEER_YUNIKORN_PLACEMENT_H_
