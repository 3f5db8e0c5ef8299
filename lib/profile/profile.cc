// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/profile/profile.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/ledger/device_book.h"
#include "lib/model/access.h"
#include "lib/model/words.h"

namespace muster {
namespace {

// A word with options, as written: "gang(without=preemptable)".
struct Mention {
  std::string name;
  OptionValues options;
  // Keys of the options that items of the spec set, each once. What a list sets, an item replaces.
  std::vector<std::string> written = {};
};

absl::Status GivenTwice(std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("profile: ", ToAbsl(what), " is given twice; give it once"));
}

// Notes that the spec sets the option.
absl::Status NoteWritten(std::string_view key, Mention* mention) {
  if (std::ranges::find(mention->written, key) != mention->written.end()) {
    return GivenTwice(absl::StrCat("option ", Quote(key), " of ", Quote(mention->name)));
  }
  mention->written.emplace_back(key);
  return absl::OkStatus();
}

// Returns the rule for a word that is like no valid one.
std::string MustBeOneOf(std::vector<std::string_view> valid) {
  std::ranges::sort(valid);
  std::string words;
  for (const std::string_view word : valid) {
    absl::StrAppend(&words, words.empty() ? "; must be one of " : ", ", ToAbsl(word));
  }
  return words;
}

// Names the nearest valid word; without one it lists all.
absl::Status Unknown(std::string_view what, std::string_view name,
                     const std::vector<std::string_view>& valid) {
  std::string words = absl::StrCat("profile: unknown ", ToAbsl(what), " ", Quote(name));
  if (const std::string_view nearest = NearestName(name, valid); !nearest.empty()) {
    absl::StrAppend(&words, "; did you mean ", Quote(nearest), "?");
  } else {
    absl::StrAppend(&words, MustBeOneOf(valid));
  }
  return absl::InvalidArgumentError(words);
}

// Splits at `separator` outside parentheses.
absl::StatusOr<std::vector<std::string_view>> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth < 0 || depth > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("profile: unbalanced parentheses in ", Quote(text)));
    }
    if (text[i] == separator && depth == 0) {
      parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  if (depth != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("profile: unbalanced parentheses in ", Quote(text)));
  }
  parts.push_back(text.substr(start));
  return parts;
}

absl::StatusOr<Mention> ParseMention(std::string_view text) {
  Mention mention;
  const size_t open = text.find('(');
  mention.name = std::string(text.substr(0, open));
  if (mention.name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("profile: a name is missing in ", Quote(text)));
  }
  if (open == std::string_view::npos) return mention;
  if (text.back() != ')') {
    return absl::InvalidArgumentError(
        absl::StrCat("profile: words after the options in ", Quote(text)));
  }
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  size_t start = 0;
  while (start <= inside.size()) {
    const size_t end = std::min(inside.find(',', start), inside.size());
    const std::string_view option = inside.substr(start, end - start);
    const size_t equals = option.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "profile: ", Quote(mention.name), ": ", Quote(option), " is not of the form key=value"));
    }
    if (absl::Status s = NoteWritten(option.substr(0, equals), &mention); !s.ok()) return s;
    mention.options.emplace_back(std::string(option.substr(0, equals)),
                                 std::string(option.substr(equals + 1)));
    start = end + 1;
  }
  return mention;
}

absl::StatusOr<std::vector<Mention>> ParseList(std::string_view text, char separator) {
  auto parts = Split(text, separator);
  if (!parts.ok()) return parts.status();
  std::vector<Mention> mentions;
  for (std::string_view part : *parts) {
    if (part.empty() && parts->size() == 1) break;  // an empty list
    auto mention = ParseMention(part);
    if (!mention.ok()) return mention.status();
    mentions.push_back(*std::move(mention));
  }
  return mentions;
}

// Adds the slots of a policy or an action to those of the profile, each once.
absl::Status AddSlots(std::string_view owner, const std::vector<MemoryDecl>& slots,
                      std::vector<MemoryDecl>* all) {
  for (const MemoryDecl& decl : slots) {
    if (decl.slot.empty() || decl.version < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToAbsl(owner), ": memory: slot ", Quote(decl.slot), ", version ",
                       decl.version, "; a slot has a name and a version of 1 or more"));
    }
    const auto same = std::ranges::find(*all, decl.slot, &MemoryDecl::slot);
    if (same == all->end()) {
      all->push_back(decl);
    } else if (same->version != decl.version) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToAbsl(owner), ": memory: slot ", Quote(decl.slot), ": version ",
                       decl.version, "; another part of the profile declares ", same->version));
    }
  }
  return absl::OkStatus();
}

class Resolver {
 public:
  explicit Resolver(Preset preset) : preset_(std::move(preset)), policies_(PolicyCatalogue()) {}

  absl::Status Extend(const Extensions& extensions) {
    for (const PolicyDecl& decl : extensions.policies) {
      if (absl::Status s = CheckName("policy", decl.name); !s.ok()) return s;
      if (decl.make == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("policy ", Quote(decl.name), ": make is empty; must be a function"));
      }
      policies_.push_back(decl);
    }
    extended_ = extensions.policies.size();
    if (extended_ + extensions.actions.size() > 0) {
      preset_.rules.needs.queues = {true, true, true, true};
    }
    for (const CustomAction& action : extensions.actions) {
      if (absl::Status s = CheckName("action", action.name); !s.ok()) return s;
      if (action.run == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("action ", Quote(action.name), ": run is empty; must be a function"));
      }
      preset_.catalogue.push_back(
          {action.name, action.summary, action.options,
           [run = action.run](ActionContext& context, const Options& options) {
             Workbench bench = internal::Access::MakeWorkbench(*context.facts.cycle, context);
             run(bench, options);
           },
           action.admits, action.evicts, action.memory, action.turns});
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ProfileConfig> Resolve(std::string_view spec, std::string_view items) {
    if (absl::Status s = SetActions(preset_.actions); !s.ok()) return s;
    if (absl::Status s = SetTiers(preset_.tiers); !s.ok()) return s;
    if (!items.empty()) {
      auto parts = Split(items, ',');
      if (!parts.ok()) return parts.status();
      for (std::string_view item : *parts) {
        if (absl::Status s = ApplyItem(item); !s.ok()) return s;
      }
    }
    for (size_t p = policies_.size() - extended_; p < policies_.size(); ++p) {
      if (IsMentioned(policies_[p].name)) continue;
      if (tiers_.empty()) tiers_.emplace_back();
      tiers_.back().push_back({std::string(policies_[p].name), {}});
    }
    ProfileConfig config = preset_.rules;
    config.name = std::string(spec);
    if (lone_task_queue_.has_value()) config.lone_task_queue = *lone_task_queue_;
    for (const Mention& mention : actions_) {
      const ActionDecl& decl = *FindAction(mention.name);
      auto options =
          Options::Check(absl::StrCat("action ", mention.name), decl.options, mention.options);
      if (!options.ok()) return options.status();
      const std::string owner = absl::StrCat("action ", Quote(mention.name));
      if (absl::Status s = AddSlots(owner, decl.memory, &config.memory); !s.ok()) return s;
      config.actions.push_back({decl, *std::move(options)});
    }
    for (const auto& tier : tiers_) {
      config.tiers.emplace_back();
      for (const Mention& mention : tier) {
        auto policy = Configure(mention);
        if (!policy.ok()) return policy.status();
        const std::string owner = absl::StrCat("policy ", Quote(mention.name));
        if (absl::Status s = AddSlots(owner, policy->decl.memory, &config.memory); !s.ok())
          return s;
        if (policy->decl.needs != nullptr) policy->decl.needs(policy->options, &config.needs);
        config.tiers.back().push_back(*std::move(policy));
      }
    }
    if (absl::Status s = CheckEvaluated(config); !s.ok()) return s;
    if (config.rules.ties.remember()) config.memory.push_back({kTieSlot});
    if (config.needs.devices.any()) {
      config.accounting.books.push_back(DeviceBook::Factory(config.needs.devices));
    }
    return config;
  }

 private:
  // Refuses a policy of the caller of which no action of the profile evaluates a point. Each cycle
  // evaluates two, whatever its actions: shares in the plan are those of queue_order, and phases
  // follow ready.
  absl::Status CheckEvaluated(const ProfileConfig& config) const {
    std::vector<Point> evaluated;
    for (int p = 0; p < kPointCount; ++p) {
      const auto evaluates = [point = static_cast<Point>(p)](const auto& action) {
        return !action.decl.points.has_value() || action.decl.points->has(point);
      };
      if (std::ranges::any_of(config.actions, evaluates))
        evaluated.push_back(static_cast<Point>(p));
    }
    for (const auto& tier : config.tiers) {
      for (const ConfiguredPolicy& policy : tier) {
        if (!policy.own) continue;
        if (policy.points.has(Point::kQueueOrder) || policy.points.has(Point::kReady)) continue;
        std::vector<Point> answered;
        for (int p = 0; p < kPointCount; ++p) {
          if (policy.points.has(static_cast<Point>(p))) answered.push_back(static_cast<Point>(p));
        }
        if (answered.empty() || std::ranges::find_first_of(answered, evaluated) != answered.end()) {
          continue;
        }
        return absl::InvalidArgumentError(absl::StrCat(
            "policy ", Quote(policy.decl.name), ": answers ", PointNames(answered),
            "; the actions of ", Quote(preset_.name), " evaluate ",
            evaluated.empty() ? "no policies" : absl::StrCat(PointNames(evaluated), " alone")));
      }
    }
    return absl::OkStatus();
  }
  static std::string PointNames(const std::vector<Point>& points) {
    std::string names;
    for (const Point p : points) {
      absl::StrAppend(&names, names.empty() ? "" : ", ", ToAbsl(PointName(p)));
    }
    return names;
  }

  // A name of an extension: one word of the spec string's grammar that no other row has.
  absl::Status CheckName(std::string_view what, std::string_view name) const {
    if (name.empty() || name.front() == '-' ||
        name.find_first_of("+/,:()=") != std::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToAbsl(what), " ", Quote(name),
                       ": a name is not empty, begins with no - and has none of + / , : ( ) ="));
    }
    if (FindAction(name) != nullptr || FindPolicy(name) != nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(ToAbsl(what), " ", Quote(name), ": the name is taken"));
    }
    return absl::OkStatus();
  }

  const ActionDecl* FindAction(std::string_view name) const {
    for (const ActionDecl& decl : preset_.catalogue) {
      if (decl.name == name) return &decl;
    }
    return nullptr;
  }
  const PolicyDecl* FindPolicy(std::string_view name) const {
    for (const PolicyDecl& decl : policies_) {
      if (decl.name == name) return &decl;
    }
    return nullptr;
  }
  bool IsMentioned(std::string_view policy) const {
    for (const auto& tier : tiers_) {
      for (const Mention& mention : tier) {
        if (mention.name == policy) return true;
      }
    }
    return false;
  }
  std::vector<std::string_view> Words(bool actions, bool policies) const {
    std::vector<std::string_view> words;
    if (actions) {
      for (const ActionDecl& decl : preset_.catalogue) words.push_back(decl.name);
    }
    if (policies) {
      const size_t first = words.size();
      for (const PolicyDecl& decl : policies_) words.push_back(decl.name);
      std::sort(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
    }
    return words;
  }

  absl::Status SetActions(std::string_view text) {
    auto list = ParseList(text, '+');
    if (!list.ok()) return list.status();
    for (const Mention& mention : *list) {
      if (FindAction(mention.name) == nullptr) {
        return Unknown("action", mention.name, Words(true, false));
      }
    }
    actions_ = *std::move(list);
    for (Mention& mention : actions_) mention.written.clear();
    return absl::OkStatus();
  }

  absl::Status SetTiers(std::string_view text) {
    auto tiers = Split(text, '/');
    if (!tiers.ok()) return tiers.status();
    tiers_.clear();
    for (std::string_view tier : *tiers) {
      auto list = ParseList(tier, '+');
      if (!list.ok()) return list.status();
      for (const Mention& mention : *list) {
        if (FindPolicy(mention.name) == nullptr) {
          return Unknown("policy", mention.name, Words(false, true));
        }
      }
      tiers_.push_back(*std::move(list));
      for (Mention& mention : tiers_.back()) mention.written.clear();
    }
    return absl::OkStatus();
  }

  // Returns the action or policy of that name that the profile has by now; null if it has none.
  Mention* FindMention(std::string_view name) {
    Mention* there = nullptr;
    for (Mention& m : actions_) {
      if (m.name == name) there = &m;
    }
    for (auto& tier : tiers_) {
      for (Mention& m : tier) {
        if (m.name == name) there = &m;
      }
    }
    return there;
  }

  absl::Status ApplyItem(std::string_view item) {
    for (const std::string_view key :
         {"actions", "tiers", "lone_tasks", "queue_ties", "job_ties", "node_ties"}) {
      if (!item.starts_with(key) || !item.substr(key.size()).starts_with('=')) continue;
      if (std::ranges::find(keys_, key) != keys_.end()) return GivenTwice(Quote(key));
      keys_.push_back(key);
    }
    if (item.starts_with("actions=")) {
      if (absl::Status s = CheckUndoesNothing(item, changed_actions_); !s.ok()) return s;
      return SetActions(item.substr(8));
    }
    if (item.starts_with("tiers=")) {
      if (absl::Status s = CheckUndoesNothing(item, changed_tiers_); !s.ok()) return s;
      return SetTiers(item.substr(6));
    }
    if (item.starts_with("lone_tasks=")) {
      lone_task_queue_ = std::string(item.substr(11));
      return absl::OkStatus();
    }
    for (const auto& [key, rule] : {std::pair("queue_ties", &preset_.rules.rules.ties.queues),
                                    std::pair("job_ties", &preset_.rules.rules.ties.jobs),
                                    std::pair("node_ties", &preset_.rules.rules.ties.nodes)}) {
      const size_t equals = std::string_view(key).size();
      if (item.starts_with(key) && item.substr(equals).starts_with('=')) {
        return SetTies(key, item.substr(equals + 1), rule);
      }
    }
    return item.find('=') < item.find('(') ? SetOption(item) : ChangePart(item);
  }

  // +NAME, -NAME or NAME(OPTIONS).
  absl::Status ChangePart(std::string_view item) {
    const bool add = item.starts_with("+"), remove = item.starts_with("-");
    auto mention = ParseMention(item.substr(add || remove ? 1 : 0));
    if (!mention.ok()) return mention.status();
    const bool action = FindAction(mention->name) != nullptr;
    if (!action && FindPolicy(mention->name) == nullptr) {
      return Unknown("action or policy", mention->name, Words(true, true));
    }
    (action ? changed_actions_ : changed_tiers_) = item;
    Mention* there = FindMention(mention->name);
    if (add) {
      if (there != nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("profile: ", Quote(mention->name), " is there already"));
      }
      if (action) {
        actions_.push_back(*std::move(mention));
      } else {
        if (tiers_.empty()) tiers_.emplace_back();
        tiers_.back().push_back(*std::move(mention));
      }
      return absl::OkStatus();
    }
    if (there == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          "profile: ", Quote(mention->name), " is not part of ", Quote(preset_.name),
          remove ? "" : absl::StrCat("; ", Quote(absl::StrCat("+", mention->name)), " adds it")));
    }
    if (remove) {
      const auto named = [&](const Mention& m) { return m.name == mention->name; };
      std::erase_if(actions_, named);
      for (auto& tier : tiers_) std::erase_if(tier, named);
      return absl::OkStatus();
    }
    for (auto& option : mention->options) {
      if (absl::Status s = NoteWritten(option.first, there); !s.ok()) return s;
      std::erase_if(there->options, [&](const auto& old) { return old.first == option.first; });
      there->options.push_back(std::move(option));
    }
    return absl::OkStatus();
  }

  // A list that replaces what an earlier item changed would drop that item silently.
  static absl::Status CheckUndoesNothing(std::string_view item, std::string_view changed) {
    if (changed.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("profile: ", Quote(item), " would undo ",
                                                   Quote(changed), " before it; must come first"));
  }

  absl::Status SetTies(std::string_view key, std::string_view word, TieRule* rule) {
    std::vector<std::string_view> words;
    for (int r = 0; r < kTieRuleCount; ++r) {
      words.push_back(TieRuleName(static_cast<TieRule>(r)));
      if (words.back() != word) continue;
      *rule = static_cast<TieRule>(r);
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat("profile: ", UnknownWord(key, word, words)));
  }

  // KEY=VALUE: an option of the first action that has it.
  absl::Status SetOption(std::string_view item) {
    const size_t equals = item.find('=');
    const std::string key(item.substr(0, equals)), value(item.substr(equals + 1));
    for (Mention& mention : actions_) {
      for (const OptionDecl& option : FindAction(mention.name)->options) {
        if (option.name != key) continue;
        if (absl::Status s = NoteWritten(key, &mention); !s.ok()) return s;
        std::erase_if(mention.options, [&](const auto& old) { return old.first == key; });
        mention.options.emplace_back(key, value);
        changed_actions_ = item;
        return absl::OkStatus();
      }
    }
    return absl::InvalidArgumentError(
        absl::StrCat("profile: no action of ", Quote(preset_.name), " has an option ", Quote(key)));
  }

  absl::StatusOr<ConfiguredPolicy> Configure(const Mention& mention) const {
    const PolicyDecl& decl = *FindPolicy(mention.name);
    const std::string place = absl::StrCat("policy ", mention.name);
    OptionValues values;
    std::string without;
    for (const auto& [key, value] : mention.options) {
      if (key == "without") {
        without = value;
      } else {
        values.emplace_back(key, value);
      }
    }
    for (const PolicyDefault& d : preset_.defaults) {
      const auto same = [&](const auto& v) { return v.first == d.option; };
      if (d.policy == mention.name && std::none_of(values.begin(), values.end(), same)) {
        values.emplace_back(std::string(d.option), std::string(d.value));
      }
    }
    auto options = Options::Check(place, decl.options, values);
    if (!options.ok()) return options.status();
    const std::unique_ptr<Policy> made = decl.make(*options);
    const bool own = &decl >= policies_.data() + policies_.size() - extended_;
    if (own) {
      if (absl::Status s = CheckPolicy(decl.name, made.get()); !s.ok()) return s;
    }
    PointSet points = made->points();
    for (size_t start = 0; start < without.size();) {
      const size_t end = std::min(without.find('|', start), without.size());
      const std::string_view word = std::string_view(without).substr(start, end - start);
      start = end + 1;
      std::vector<std::string_view> names;
      bool found = false;
      for (int p = 0; p < kPointCount; ++p) {
        names.push_back(PointName(static_cast<Point>(p)));
        if (names.back() != word) continue;
        points.remove(static_cast<Point>(p));
        found = true;
      }
      if (!found) return Unknown("extension point", word, names);
    }
    return ConfiguredPolicy{decl, *std::move(options), points, own};
  }

  Preset preset_;
  std::vector<PolicyDecl> policies_;
  size_t extended_ = 0;  // the last of policies_ that are extensions
  std::vector<Mention> actions_;
  std::vector<std::vector<Mention>> tiers_;
  std::optional<std::string> lone_task_queue_;  // where the spec sets it
  std::vector<std::string_view> keys_;          // of the lists and rules that the spec sets
  // The last item that changed an action or a policy; empty: none did.
  std::string_view changed_actions_, changed_tiers_;
};

}  // namespace

std::string UnknownProfile(std::string_view name) {
  const std::vector<Preset> presets = Presets();
  std::vector<std::string_view> names, meant;
  for (const Preset& preset : presets) names.push_back(preset.name);
  if (const std::string_view nearest = NearestName(name, names); !nearest.empty()) {
    meant.push_back(nearest);
  } else if (name.size() >= 3) {
    for (const std::string_view other : names) {
      if (other.find(name) != std::string_view::npos) meant.push_back(other);
    }
  }
  std::string words = absl::StrCat("unknown profile ", Quote(name));
  const size_t open = name.find('(');
  if (open != std::string_view::npos && name.ends_with(')') && FindPreset(name.substr(0, open))) {
    const std::string_view options = name.substr(open + 1, name.size() - open - 2);
    const std::string meant = absl::StrCat(ToAbsl(name.substr(0, open)), ":", ToAbsl(options));
    return absl::StrCat(words, "; did you mean ", Quote(meant), "?");
  }
  for (size_t i = 0; i < meant.size(); ++i) {
    absl::StrAppend(&words, i > 0 ? " or " : "; did you mean ", Quote(meant[i]));
  }
  if (!meant.empty()) return absl::StrCat(words, "?");
  const auto is_named = [&](const auto& decl) { return decl.name == name; };
  const bool policy = std::ranges::any_of(PolicyCatalogue(), is_named);
  for (const Preset& preset : presets) {
    const bool action = std::ranges::any_of(preset.catalogue, is_named);
    const std::string_view parts = action ? preset.actions : preset.tiers;
    if (!(action || policy) || parts.find(name) != std::string_view::npos) continue;
    return absl::StrCat(words, ": it is ", action ? "an action" : "a policy", ", as in \"",
                        ToAbsl(preset.name), ":+", ToAbsl(name), "\"");
  }
  return absl::StrCat(words, MustBeOneOf(std::move(names)));
}

absl::StatusOr<ProfileConfig> ResolveProfile(std::string_view spec, const Extensions* extensions) {
  if (!IsValidUtf8(spec)) {  // plans repeat the spec, and are written as JSON
    return absl::InvalidArgumentError(
        absl::StrCat("profile ", Quote(spec), ": the text is not UTF-8"));
  }
  const size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const std::string_view items =
      colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1);
  std::optional<Preset> preset = FindPreset(name);
  if (!preset) {
    return absl::InvalidArgumentError(absl::StrCat("profile: ", UnknownProfile(name)));
  }
  Resolver resolver(*std::move(preset));
  if (extensions != nullptr) {
    if (absl::Status s = resolver.Extend(*extensions); !s.ok()) return s;
  }
  return resolver.Resolve(spec, items);
}

}  // namespace muster
