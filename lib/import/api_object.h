// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Objects of the Kubernetes API, each with what every kind has, and the dump that holds them.
//
//   Dump dump(std::move(raw_objects), &log);
//   dump.Keep(kVolcanoKinds, "volcano");
//   for (const ApiObject* node : dump.OfKind("Node")) Use(node->spec().Text("providerID"));
//
// An object without a name is refused in the log. Objects stay where they are as long as the dump
// lives. Finding the objects of a kind costs O(1).
#ifndef MUSTER_IMPORT_API_OBJECT_H_
#define MUSTER_IMPORT_API_OBJECT_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/hash_map.h"
#include "lib/import/field.h"
#include "lib/import/json_text.h"
#include "muster/spec.h"

namespace muster {

// A kind that an importer reads.
struct KindRule {
  std::string_view kind;
  // The API groups of the objects meant. Empty: any.
  std::span<const std::string_view> groups = {};
};

class ApiObject {
 public:
  ApiObject(RawObject raw, ImportLog* log);
  ApiObject(const ApiObject&) = delete;
  ApiObject& operator=(const ApiObject&) = delete;

  const std::string& kind() const { return raw_.kind; }
  const std::string& api_version() const { return raw_.api_version; }
  std::string_view group() const;  // of api_version(); empty for Kubernetes' core
  const std::string& name() const { return name_; }
  // Empty for objects outside any namespace; "default" where a namespaced object names none.
  const std::string& name_space() const { return name_space_; }
  const std::string& key() const { return key_; }              // "namespace/name", or the name
  const std::string& place() const { return source_.object; }  // "Pod namespace/name"
  const Labels& labels() const { return labels_; }
  int64_t created() const { return created_; }  // seconds; 0: not given
  // The value, or null.
  const std::string* Label(std::string_view key) const { return Find(labels_, key); }
  const std::string* Annotation(std::string_view key) const { return Find(annotations_, key); }
  const Labels& annotations() const { return annotations_; }
  // Returns the whole seconds of a duration above 0 that the mark `text` of the object is. Reports
  // another text at `path`, and returns nothing: as at the peers, it stands for no duration.
  std::optional<int64_t> MarkedDuration(const std::string& text, std::string_view path) const;

  Field root() const { return Field(&source_); }
  Field metadata() const { return root().Section("metadata"); }
  Field spec() const { return root().Section("spec"); }
  // The spec, or the object itself where it has neither a spec nor metadata: as the scheduler's own
  // files and answers have it.
  Field own() const {
    return root()["spec"].given() || root()["metadata"].given() ? spec() : root();
  }
  Field status() const { return root().Section("status"); }
  ImportLog* log() const { return source_.log; }

 private:
  static const std::string* Find(const Labels& labels, std::string_view key);

  RawObject raw_;
  FieldSource source_;
  std::string name_, name_space_, key_;
  Labels labels_, annotations_;
  int64_t created_ = 0;
};

class Dump {
 public:
  using Objects = std::vector<const ApiObject*>;

  Dump(std::vector<RawObject> objects, ImportLog* log);

  // Leaves out what `rules` do not list, with an entry each; `reader` is the importer's name.
  // Called once.
  void Keep(std::span<const KindRule> rules, std::string_view reader);

  // In the order in which the names came up first.
  const Objects& OfKind(std::string_view kind) const;
  // Or null.
  const ApiObject* Find(std::string_view kind, std::string_view key) const;
  // All that were given, in their order.
  const std::vector<std::unique_ptr<ApiObject>>& all() const { return all_; }

 private:
  struct KindObjects {
    Objects objects;
    HashMap<std::string, size_t> by_key;
  };

  std::vector<std::unique_ptr<ApiObject>> all_;
  HashMap<std::string, KindObjects> kinds_;
  Objects none_;
  ImportLog* log_;
};

// In the order of bytes of their keys, or of their names.
Dump::Objects SortedByKey(Dump::Objects objects);
Dump::Objects SortedByName(Dump::Objects objects);

}  // namespace muster

#endif  // MUSTER_IMPORT_API_OBJECT_H_
