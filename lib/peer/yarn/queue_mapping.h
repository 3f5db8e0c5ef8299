// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The mapping rules of the capacity scheduler: which leaf an application goes to by its user, the
// groups of the user, or its name.
//
//   std::optional<std::vector<MappingRule>> rules = MappingRulesOf("u:ann:root.a,u:%user:%user");
//   const MappedTo to = MapByRules(*rules, submission, resolve);
//
// A text of rules is a list between commas. A rule is SOURCE:MATCHES:PLACE, and may go on with
// :existing and :skip or :reject.
//
//   SOURCE   u, g or a: MATCHES is a user, a group of the user, or a name of applications.
//            "*", "%user" and "%application" match all
//   PLACE    the path of a leaf, or its name where that is the only one. Parts may be %user,
//            %primary_group, %secondary_group (the first further group with a queue there),
//            %application, %specified (the queue that was named) and %default. %reject refuses the
//            application, and %default=PATH changes what %default is for later rules: at first it
//            is root.default
//   existing  the queue is not made if it does not exist
//   skip, reject   what happens if there is no such place: the next rule is tried, or the
//                  application is refused. Without: it goes to %default
//
// Rules go in order; the first that matches and does not skip decides. Dots in names of users and
// groups become "_dot_".
#ifndef MUSTER_PEER_YARN_QUEUE_MAPPING_H_
#define MUSTER_PEER_YARN_QUEUE_MAPPING_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::yarn {

enum class MappingSource : uint8_t { kUser, kGroup, kApplication };
enum class MappingFallback : uint8_t { kDefault, kSkip, kReject };

struct MappingRule {
  MappingSource source = MappingSource::kUser;
  std::string matches;  // empty: all
  std::string place;
  bool sets_default = false, rejects = false;
  bool may_create = true;
  MappingFallback fallback = MappingFallback::kDefault;
};

// An application as it is submitted.
struct Submission {
  std::string user;
  std::vector<std::string> groups;  // the primary one first
  std::string application;
  std::string queue;  // that it names; empty: none
};

// What became of a submission. Neither a path nor a refusal: no rule decides.
struct MappedTo {
  std::string path;
  bool is_refused = false;
};

// Returns the full path of the leaf that a place names, or of one that would be made there if that
// is allowed; empty: there is none.
using ResolvePlace = std::function<std::string(std::string_view place, bool may_create)>;
// Returns whether a queue of any kind has this path, or alone has this name.
using HasPlace = std::function<bool(std::string_view place)>;

// None: the text is no list of rules.
std::optional<std::vector<MappingRule>> MappingRulesOf(std::string_view text);

// Costs O(rules x length of their places).
MappedTo MapByRules(const std::vector<MappingRule>& rules, const Submission& submission,
                    const ResolvePlace& resolve, const HasPlace& has);

}  // namespace muster::yarn

#endif  // MUSTER_PEER_YARN_QUEUE_MAPPING_H_
