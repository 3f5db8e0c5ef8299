// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "tools/muster/load.h"

#ifndef MUSTER_STATIC
#include <cxxabi.h>
#include <dlfcn.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "muster/loadable.h"
#include "muster/schedule.h"

namespace muster {
namespace {

absl::Status RefuseLoad(const std::string& file, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("--load ", file, ": ", ToAbsl(why)));
}

#ifdef MUSTER_STATIC
absl::StatusOr<const muster_loadable*> EntryOf(const std::string& file) {
  return RefuseLoad(file,
                    "this program is linked statically and loads no objects; must be the "
                    "program of a package or of a build");
}
#else
// Returns the words of the loader for the author of the object. A function of the library that this
// program lacks is one of another version of its headers, or of other containers.
std::string LoaderWords(std::string_view words) {
  constexpr std::string_view kUndefined = "undefined symbol: ";
  if (!words.starts_with(kUndefined)) return std::string(words);
  const std::string symbol(words.substr(kUndefined.size()));
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), &std::free);
  return absl::StrCat("this program has no ", readable == nullptr ? symbol : readable.get(),
                      "; must be built for " MUSTER_BUILD ", as this program");
}

// What an object states of itself, once it is known to be of this build.
absl::StatusOr<const muster_loadable*> EntryOf(const std::string& file) {
  // A name without a slash would be looked for in the system's folders.
  const std::string path = file.find('/') == std::string::npos ? absl::StrCat("./", file) : file;
  void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    const char* why = dlerror();
    std::string_view words = why == nullptr ? "cannot be loaded" : why;
    const std::string head = path + ": ";
    if (words.starts_with(head)) words.remove_prefix(head.size());
    return RefuseLoad(file, LoaderWords(words));
  }
  auto* entry = reinterpret_cast<muster_loadable_entry_type*>(dlsym(object, MUSTER_LOADABLE_ENTRY));
  if (entry == nullptr) {
    return RefuseLoad(file, "has no function " MUSTER_LOADABLE_ENTRY
                            "; must have MUSTER_LOADABLE of muster/loadable.h");
  }
  const muster_loadable* loadable = entry();
  constexpr size_t kHead = offsetof(muster_loadable, add);
  if (loadable == nullptr || loadable->struct_size < kHead || loadable->build == nullptr) {
    return RefuseLoad(file, "its entry returns nothing of use");
  }
  if (std::strcmp(loadable->build, MUSTER_BUILD) != 0) {
    return RefuseLoad(file, absl::StrCat("is built for ", loadable->build,
                                         "; must be " MUSTER_BUILD ", as this program"));
  }
  if (loadable->struct_size < sizeof(muster_loadable) || loadable->add == nullptr) {
    return RefuseLoad(file, "its entry returns nothing of use");
  }
  return loadable;
}
#endif

// Names that are taken, by what has them: "the library", or a file.
using TakenNames = std::vector<std::pair<std::string_view, std::string_view>>;

// Refuses a name that is taken, and takes it for `file`.
absl::Status TakeName(const std::string& file, std::string_view kind, std::string_view name,
                      TakenNames* taken) {
  const auto owner = std::ranges::find(*taken, name, &TakenNames::value_type::first);
  if (owner != taken->end()) {
    return RefuseLoad(file, absl::StrCat("adds ", ToAbsl(kind), " ", Quote(name),
                                         "; the name is taken by ", ToAbsl(owner->second)));
  }
  taken->emplace_back(name, file);
  return absl::OkStatus();
}

// Refuses what the file added behind the first `policies` and `actions` under a name that is taken.
absl::Status TakeNames(const std::string& file, const Extensions& extensions, size_t policies,
                       size_t actions, TakenNames* taken) {
  for (size_t p = policies; p < extensions.policies.size(); ++p) {
    absl::Status status = TakeName(file, "policy", extensions.policies[p].name, taken);
    if (!status.ok()) return status;
  }
  for (size_t a = actions; a < extensions.actions.size(); ++a) {
    absl::Status status = TakeName(file, "action", extensions.actions[a].name, taken);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

void LoadFlag::Declare(FlagSet* flags) {
  flags->Values("--load", "FILE", &files_,
                "policies and actions of a shared object; may be given several times");
}

absl::StatusOr<std::shared_ptr<const Extensions>> LoadFlag::Open() {
  if (opened_ != nullptr || files_.empty()) return opened_;
  auto extensions = std::make_shared<Extensions>();
  const std::vector<PolicyInfo> library = Policies();
  TakenNames taken;
  for (const PolicyInfo& policy : library) taken.emplace_back(policy.name, "the library");
  for (const std::string& file : files_) {
    const absl::StatusOr<const muster_loadable*> loadable = EntryOf(file);
    if (!loadable.ok()) return loadable.status();
    const size_t policies = extensions->policies.size(), actions = extensions->actions.size();
    try {
      (*loadable)->add(extensions.get());
    } catch (...) {
      return RefuseLoad(file, "threw an exception where it should add policies");
    }
    if (extensions->policies.size() + extensions->actions.size() == policies + actions) {
      return RefuseLoad(file, "adds no policy and no action");
    }
    absl::Status names = TakeNames(file, *extensions, policies, actions, &taken);
    if (!names.ok()) return names;
  }
  opened_ = std::move(extensions);
  return opened_;
}

}  // namespace muster
