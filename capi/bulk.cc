// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Many nodes or tasks at once.
//
// Most columns of a large table have few different values, and fewer different combinations of them. Rows that are
// equal in all columns but the free ones (a name; a task's job, node, state, priority and times) are of one pattern.
// A pattern is read, checked and interned once, as a row of the ordinary way; for each row there remain its name, its
// references by index and the writing. Rows are checked before each is written, and where one is not in order those
// before it are erased again - nothing that looks at the cluster has run meanwhile - and all go the ordinary way, which
// has the words.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "capi/put.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/validate.h"

namespace muster::capi {
namespace {

constexpr size_t kLeastRows = 64;  // below, the ordinary way is as quick

// Numbers for the rows' patterns: equal where the rows are equal in all columns but `free`.
struct Patterns {
  std::vector<uint32_t> of_row;
  std::vector<size_t> first_row;  // by pattern

  Patterns(const muster_table& table, std::initializer_list<std::string_view> free)
      : of_row(table.rows, 0) {
    uint32_t count = table.rows == 0 ? 0 : 1;
    for (const TableColumn& column : table.columns) {
      if (column.form == TableColumn::Form::kUnset ||
          std::find(free.begin(), free.end(), column.name) != free.end()) {
        continue;
      }
      absl::flat_hash_map<std::pair<uint32_t, int64_t>, uint32_t> pairs;
      absl::flat_hash_map<absl::string_view, int64_t> texts;
      std::pair<uint32_t, int64_t> last{0, 0};
      uint32_t last_number = kNone;
      for (size_t i = 0; i < of_row.size(); ++i) {
        int64_t value = 0;
        if (column.form == TableColumn::Form::kNumbers) {
          value = column.numbers[i];
        } else if (column.form == TableColumn::Form::kCodes) {
          value = column.codes[i];
        } else {
          value = texts.try_emplace(ToAbsl(column.entry(i)), static_cast<int64_t>(texts.size()))
                      .first->second;
        }
        const std::pair<uint32_t, int64_t> key{of_row[i], value};
        if (last_number == kNone || key != last) {
          last = key;
          last_number = pairs.try_emplace(key, static_cast<uint32_t>(pairs.size())).first->second;
        }
        of_row[i] = last_number;
      }
      count = static_cast<uint32_t>(pairs.size());
    }
    first_row.assign(count, of_row.size());
    for (size_t i = of_row.size(); i-- > 0;) first_row[of_row[i]] = i;
  }
};

// A column of names of other rows, as indices: each different name is looked up once.
class References {
 public:
  // `column` may be null: no row says anything.
  References(const TableColumn* column, const NameTable& names, const std::vector<uint8_t>& alive)
      : column_(column), names_(names), alive_(alive) {
    if (column_ != nullptr && column_->form == TableColumn::Form::kCodes) {
      known_.assign(column_->entries(), kUnknown);
    }
  }
  // False: there is no such row. kNone: the row says nothing, or an empty name.
  bool Get(size_t row, uint32_t* index) {
    *index = kNone;
    if (column_ == nullptr) return true;
    switch (column_->form) {
      case TableColumn::Form::kNumbers: {
        const int64_t value = column_->numbers[row];
        if (value == MUSTER_NONE || value == kAbsent) return true;
        if (value < 0 || static_cast<uint64_t>(value) >= alive_.size() ||
            !alive_[static_cast<size_t>(value)]) {
          return false;
        }
        *index = static_cast<uint32_t>(value);
        return true;
      }
      case TableColumn::Form::kCodes: {
        const int32_t code = column_->codes[row];
        if (code < 0) return true;
        uint32_t& known = known_[static_cast<size_t>(code)];
        if (known == kUnknown) {
          const std::string_view name = column_->entry(static_cast<size_t>(code));
          known = name.empty() ? kEmpty : names_.Find(name).value_or(kMissing);
        }
        if (known == kMissing) return false;
        if (known != kEmpty) *index = known;
        return true;
      }
      default: {
        const std::string_view name = column_->entry(row);
        if (name.empty()) return true;
        const auto found = names_.Find(name);
        if (!found) return false;
        *index = *found;
        return true;
      }
    }
  }

 private:
  static constexpr uint32_t kUnknown = kNone, kMissing = kNone - 1, kEmpty = kNone - 2;
  const TableColumn* column_;
  const NameTable& names_;
  const std::vector<uint8_t>& alive_;
  std::vector<uint32_t> known_;
};

// Room for `more` rows behind those that are there. Only where they are many: else the tables' own growth is cheaper.
template <class... Columns>
void MakeRoom(size_t more, NameTable& names, Columns&... columns) {
  const size_t there = names.size();
  if (more < there / 2) return;
  names.Reserve(there + more);
  (columns.reserve(there + more), ...);
}

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && IsValidUtf8(name);
}

absl::StatusOr<bool> AddNodes(muster_cluster* handle, const muster_table& table) {
  const TableColumn* names = table.Find("name");
  if (names == nullptr || !names->is_text()) return false;
  Cluster& cluster = handle->cluster;
  Editor& editor = cluster.impl().editor;
  const RowReader<NodeSpec> reader(table, ResolverOf(*handle));
  if (!reader.status().ok()) return reader.status();
  const Patterns patterns(table, {"name"});
  if (patterns.first_row.size() > table.rows / 4) return false;

  struct Pattern {
    NodeSpec spec;  // `amounts` looks into it
    NodeAmounts amounts;
    NodeRefs refs;
  };
  editor.Own();
  std::vector<std::unique_ptr<Pattern>> read(patterns.first_row.size());
  for (size_t p = 0; p < read.size(); ++p) {
    read[p] = std::make_unique<Pattern>();
    NodeSpec& spec = read[p]->spec;
    spec = reader.blank();
    const size_t row = patterns.first_row[p];
    if (!reader.Fill(row, &spec).ok()) return false;
    const absl::StatusOr<NodeAmounts> amounts = CheckNode(spec);
    if (!amounts.ok() || editor.Resolve(spec, kNone, &read[p]->refs)) return false;
    read[p]->amounts = *amounts;
  }
  const NameTable& known = cluster.impl().tables->nodes.names;
  if (!editor
           .CheckRoom(known, static_cast<int64_t>(table.rows),
                      static_cast<int64_t>(names->bytes.size()))
           .ok()) {
    return false;
  }
  NodeTable& rows = cluster.impl().tables->nodes;
  MakeRoom(table.rows, rows.names, rows.alive, rows.spec, rows.domain);
  return Changing(handle, [&] {
    std::vector<NodeIndex> added;
    added.reserve(table.rows);
    for (size_t i = 0; i < table.rows; ++i) {
      Pattern& pattern = *read[patterns.of_row[i]];
      std::string_view name;
      if (!names->Text(i, &name) || !IsName(name) || editor.tables().nodes.names.Find(name)) {
        for (size_t k = added.size(); k-- > 0;) editor.EraseNode(added[k]);
        return false;
      }
      pattern.spec.name = name;
      added.push_back(editor.PutNode(kNone, pattern.spec, pattern.amounts, pattern.refs));
    }
    for (NodeIndex n : added) {
      cluster.impl().deltas.Appeared(RowKind::kNode, editor.tables().nodes.names.name(n));
    }
    return true;
  });
}

// A number of the row's own, where the column has one.
class Numbers {
 public:
  Numbers(const TableColumn* column, int64_t least, int64_t most)
      : column_(column), least_(least), most_(most) {}
  bool Get(size_t row, int64_t otherwise, int64_t* value) const {
    *value = otherwise;
    if (column_ == nullptr) return true;
    const int64_t given = column_->numbers[row];
    if (given == kAbsent) return true;
    *value = given;
    return given >= least_ && given <= most_;
  }

 private:
  const TableColumn* column_;
  int64_t least_, most_;
};

absl::StatusOr<bool> AddTasks(muster_cluster* handle, const muster_table& table) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min() + 1;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Cluster& cluster = handle->cluster;
  Editor& editor = cluster.impl().editor;
  const TableColumn* names = table.Find("name");
  if (names == nullptr || !names->is_text()) return false;
  for (std::string_view whole :
       {"status", "priority", "created", "ordinal", "uid_rank", "started"}) {
    const TableColumn* column = table.Find(whole);
    if (column != nullptr && column->is_text()) return false;
  }
  for (const QueueSpec& queue : cluster.impl().tables->queues.spec) {
    if (SpeaksOfNodeGroups(queue)) return false;  // a task's class then hangs on its job
  }
  for (std::string_view of_job : {"group", "sub_group"}) {
    if (table.Find(of_job) != nullptr) return false;
  }
  const RowReader<TaskSpec> reader(table, ResolverOf(*handle));
  if (!reader.status().ok()) return reader.status();
  const TaskSpec& blank = reader.blank();
  if (!blank.group.empty() || !blank.sub_group.empty() || !blank.job.empty() ||
      !blank.node.empty()) {
    return false;
  }
  const Patterns patterns(table, {"name", "job", "node", "status", "priority", "created", "ordinal",
                                  "uid_rank", "started"});
  if (patterns.first_row.size() > table.rows / 4) return false;

  struct Pattern {
    TaskSpec spec;  // `shape` looks into it
    CheckedShape shape;
    TaskRow row;  // as the row before it of the pattern; task_class kNone: there was none
  };
  std::vector<std::unique_ptr<Pattern>> read(patterns.first_row.size());
  for (size_t p = 0; p < read.size(); ++p) {
    read[p] = std::make_unique<Pattern>();
    TaskSpec& spec = read[p]->spec;
    spec = blank;
    if (!reader.Fill(patterns.first_row[p], &spec).ok()) return false;
    spec.job.clear();  // a job and a node are the rows' own; here they are not looked at
    spec.node.clear();
    spec.status = TaskStatus::kPending;
    if (!CheckTask(spec).ok()) return false;
    absl::StatusOr<CheckedShape> shape = editor.interner().Check(spec.shape, "task", spec.name);
    if (!shape.ok()) return false;
    read[p]->shape = *std::move(shape);
  }
  const Tables& tables = editor.Own();
  if (!editor
           .CheckRoom(tables.tasks.names, static_cast<int64_t>(table.rows),
                      static_cast<int64_t>(names->bytes.size()))
           .ok()) {
    return false;
  }

  References jobs(table.Find("job"), tables.jobs.names, tables.jobs.alive);
  References nodes(table.Find("node"), tables.nodes.names, tables.nodes.alive);
  const Numbers states(table.Find("status"), 0, kTaskStatusCount - 1);
  const Numbers priorities(table.Find("priority"), std::numeric_limits<int32_t>::min(),
                           std::numeric_limits<int32_t>::max());
  const Numbers created(table.Find("created"), kLeast, kMost);
  const Numbers ordinals(table.Find("ordinal"), 0, kMost);
  const Numbers ranks(table.Find("uid_rank"), kLeast, kMost);
  const Numbers started(table.Find("started"), kLeast, kMost);

  // One row; false: not in order.
  std::vector<TaskIndex> added;
  added.reserve(table.rows);
  const auto put = [&](size_t i) {
    Pattern& pattern = *read[patterns.of_row[i]];
    TaskRow& row = pattern.row;
    std::string_view name;
    int64_t state, priority;
    if (!names->Text(i, &name) || !IsName(name) || !jobs.Get(i, &row.refs.job) ||
        !nodes.Get(i, &row.refs.node) ||
        !states.Get(i, static_cast<int64_t>(blank.status), &state) ||
        !priorities.Get(i, blank.priority, &priority) ||
        !created.Get(i, blank.created, &row.created) ||
        !ordinals.Get(i, blank.ordinal.value_or(kAbsent), &row.ordinal) ||
        !ranks.Get(i, blank.uid_rank, &row.uid_rank) ||
        !started.Get(i, blank.started.value_or(kAbsent), &row.started)) {
      return false;
    }
    row.status = static_cast<TaskStatus>(state);
    row.priority = static_cast<int32_t>(priority);
    if (row.status == TaskStatus::kPlaced || HoldsNode(row.status) != (row.refs.node != kNone) ||
        editor.tables().tasks.names.Find(name)) {
      return false;
    }
    TaskIndex existing = kNone;
    if (row.task_class == kNone) {
      // The first of its kind, put once to intern what the others share.
      pattern.spec.name = name;
      TaskRefs refs;
      refs.job = row.refs.job;
      existing = editor.PutTask(kNone, pattern.spec, pattern.shape, refs);
      const TaskTable& t = editor.tables().tasks;
      row.task_class = t.task_class[existing];
      row.flags = t.flags[existing];
      row.protected_until = t.protected_until[existing];
      row.priority_class = t.priority_class[existing];
      row.gates = t.gates[existing];
      row.nominated_node = pattern.spec.nominated_node;
    }
    added.push_back(editor.PutRow(existing, name, row));
    return true;
  };
  TaskTable& rows = cluster.impl().tables->tasks;
  MakeRoom(table.rows, rows.names, rows.alive, rows.job, rows.group, rows.sub_group,
           rows.task_class, rows.status, rows.node, rows.nominated, rows.priority, rows.flags,
           rows.created, rows.ordinal, rows.uid_rank, rows.started, rows.protected_until,
           rows.priority_class, rows.gates);
  return Changing(handle, [&] {
    for (size_t i = 0; i < table.rows; ++i) {
      if (put(i)) continue;
      for (size_t k = added.size(); k-- > 0;) editor.EraseTask(added[k]);
      return false;
    }
    for (TaskIndex task : added) {
      cluster.impl().deltas.Appeared(RowKind::kTask, editor.tables().tasks.names.name(task));
    }
    return true;
  });
}

}  // namespace

absl::StatusOr<bool> AddInBulk(muster_cluster* cluster, const muster_table& table) {
  if (table.rows < kLeastRows || cluster->recorder != nullptr) return false;
  if (table.kind == MUSTER_NODES) return AddNodes(cluster, table);
  if (table.kind == MUSTER_TASKS) return AddTasks(cluster, table);
  return false;
}

}  // namespace muster::capi
