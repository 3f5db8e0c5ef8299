// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Describes this library: its version, features, profiles and policies.
#include "muster/version.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "capi/boundary.h"
#include "lib/plan/json_text.h"
#include "muster/schedule.h"

namespace muster::capi {
namespace {

constexpr int32_t kAbi = 1;  // as the SOVERSION of libmuster_c

std::string JsonText(std::string_view text) {
  std::string out;
  AppendJson(text, &out);
  return out;
}

template <class List, class F>
std::string JsonList(const List& list, const F& write) {
  std::string out = "[";
  for (const auto& element : list) {
    if (out.size() > 1) out += ", ";
    out += write(element);
  }
  return out + "]";
}

std::string OptionsJson(const std::vector<OptionInfo>& options) {
  return JsonList(options, [](const OptionInfo& o) {
    return absl::StrCat("{\"name\": ", JsonText(o.name),
                        ", \"default\": ", JsonText(o.default_value),
                        ", \"help\": ", JsonText(o.help), "}");
  });
}

std::string Catalogue() {
  const auto text = [](const std::string& s) { return JsonText(s); };
  const std::string profiles = JsonList(Profiles(), [&](const ProfileInfo& p) {
    return absl::StrCat(
        "{\"name\": ", JsonText(p.name), ", \"summary\": ", JsonText(p.summary),
        ", \"actions\": ", JsonList(p.actions, text),
        ", \"tiers\": ", JsonList(p.tiers, [&](const auto& tier) { return JsonList(tier, text); }),
        ", \"catalogue\": ",
        JsonList(p.catalogue,
                 [](const ActionInfo& a) {
                   return absl::StrCat("{\"name\": ", JsonText(a.name),
                                       ", \"summary\": ", JsonText(a.summary),
                                       ", \"options\": ", OptionsJson(a.options), "}");
                 }),
        ", \"reads_counts\": ", p.reads_counts ? "true" : "false", "}");
  });
  const std::string policies = JsonList(Policies(), [](const PolicyInfo& p) {
    return absl::StrCat("{\"name\": ", JsonText(p.name), ", \"summary\": ", JsonText(p.summary),
                        ", \"revision\": ", p.revision, ", \"options\": ", OptionsJson(p.options),
                        "}");
  });
  return absl::StrCat("{\"profiles\": ", profiles, ",\n \"policies\": ", policies, "}\n");
}

}  // namespace
}  // namespace muster::capi

using muster::capi::Guard;

int32_t muster_version_number(void) {
  return MUSTER_VERSION_MAJOR * 10000 + MUSTER_VERSION_MINOR * 100 + MUSTER_VERSION_PATCH;
}
const char* muster_version_string(void) { return MUSTER_VERSION_STRING; }
int32_t muster_abi_version(void) { return muster::capi::kAbi; }

int32_t muster_has_feature(const char* name) {
  if (name == nullptr) return 0;
  for (std::string_view known :
       {"actions", "columns", "deltas", "devices", "domains", "executor", "import", "policies",
        "recorder", "revisions", "scenario", "state", "what-if"}) {
    if (known == name) return 1;
  }
  return 0;
}

const char* muster_status_name(muster_status status) {
  switch (status) {
    case MUSTER_OK:
      return "OK";
    case MUSTER_E_CANCELLED:
      return "CANCELLED";
    case MUSTER_E_INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case MUSTER_E_DEADLINE_EXCEEDED:
      return "DEADLINE_EXCEEDED";
    case MUSTER_E_NOT_FOUND:
      return "NOT_FOUND";
    case MUSTER_E_ALREADY_EXISTS:
      return "ALREADY_EXISTS";
    case MUSTER_E_RESOURCE_EXHAUSTED:
      return "RESOURCE_EXHAUSTED";
    case MUSTER_E_FAILED_PRECONDITION:
      return "FAILED_PRECONDITION";
    case MUSTER_E_OUT_OF_RANGE:
      return "OUT_OF_RANGE";
    case MUSTER_E_UNIMPLEMENTED:
      return "UNIMPLEMENTED";
    case MUSTER_E_INTERNAL:
      return "INTERNAL";
    case MUSTER_E_DATA_LOSS:
      return "DATA_LOSS";
    case MUSTER_E_USER:
      return "USER";
    case MUSTER_PASSTHROUGH:
      return "PASSTHROUGH";
    default:
      return "UNKNOWN";
  }
}

int32_t muster_policy_revision(const char* name) {
  if (name == nullptr) return 0;
  return muster::capi::GuardValue(0, [name] {
    for (const muster::PolicyInfo& policy : muster::Policies()) {
      if (policy.name == name) return policy.revision;
    }
    return 0;
  });
}

muster_status muster_catalogue(muster_text** out, muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (out == nullptr) return muster::capi::NullArgument("out");
    auto memory = muster::capi::MakeMemory(nullptr);
    if (!memory.ok()) return memory.status();
    return muster::capi::GiveText(*memory, muster::capi::Catalogue(), out);
  });
}
