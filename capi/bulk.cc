// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Adds many nodes or tasks at once.
//
// Most columns of a large table have few different values, and fewer different combinations of
// them. Rows that are equal in all columns but the free ones (a name; a task's job, node, status,
// priority and times) are of one pattern. A pattern is read, checked and interned once, as an
// ordinary row; each row then costs its name, its references by index and the writing, of tasks
// column by column. If a row breaks a rule, nothing is done or all is undone - no reader of the
// cluster has run meanwhile - and all rows are added the ordinary way, which has the error
// messages.
#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capi/put.h"
#include "lib/base/hash_map.h"
#include "lib/model/access.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/validate.h"

namespace muster::capi {
namespace {

constexpr size_t kLeastRows = 64;  // below, the ordinary way is as fast

// Columns in which rows of one pattern may differ.
constexpr std::string_view kFreeOfNodes[] = {"name"};
constexpr std::string_view kFreeOfTasks[] = {"name",     "job",     "node",    "status",
                                             "priority", "created", "ordinal", "uid_rank",
                                             "started",  "uid"};

// Numbers for the rows' patterns: equal where the rows are equal in all columns but `free`.
struct Patterns {
  std::vector<uint32_t> of_row;
  std::vector<size_t> first_row;  // by pattern

  Patterns(const muster_table& table, std::span<const std::string_view> free)
      : of_row(table.rows, 0) {
    uint32_t count = table.rows == 0 ? 0 : 1;
    for (const TableColumn& column : table.columns) {
      if (column.form == TableColumn::Form::kUnset ||
          std::find(free.begin(), free.end(), column.name) != free.end()) {
        continue;
      }
      HashMap<std::pair<uint32_t, int64_t>, uint32_t> pairs;
      HashMap<absl::string_view, int64_t> texts;
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
  // `column` may be null: no row sets the field.
  References(const TableColumn* column, const NameTable& names, const std::vector<uint8_t>& alive)
      : column_(column), names_(names), alive_(alive) {
    if (column_ != nullptr && column_->form == TableColumn::Form::kCodes) {
      known_.assign(column_->entries(), kUnknown);
    }
  }
  // Returns false if there is no such row. Sets kNone if the row has no name, or an empty one.
  template <class Id>
  bool Get(size_t row, Id* index) {
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
        *index = Id(value);
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
        if (known != kEmpty) *index = Id(known);
        return true;
      }
      default: {
        const std::string_view name = column_->entry(row);
        if (name.empty()) return true;
        const auto found = names_.Find(name);
        if (!found) return false;
        *index = Id(*found);
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

// Reserves memory for `more` rows behind those that are there. Does so only for many rows: for few,
// the tables' own growth is cheaper.
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
  Editor& editor = ImplOf(cluster).editor;
  const RowReader<NodeSpec> reader(table, ResolverOf(*handle));
  if (!reader.status().ok()) return reader.status();
  const Patterns patterns(table, kFreeOfNodes);
  if (patterns.first_row.size() > table.rows / 4) return false;

  struct Pattern {
    NodeSpec spec;  // `amounts` refers to it
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
  const NameTable& known = ImplOf(cluster).tables->nodes.names;
  if (!editor
           .CheckRoom(known, static_cast<int64_t>(table.rows),
                      static_cast<int64_t>(names->bytes.size()))
           .ok()) {
    return false;
  }
  NodeTable& rows = ImplOf(cluster).tables->nodes;
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
      ImplOf(cluster).deltas.Appeared(RowKind::kNode, editor.tables().nodes.names.name(n));
    }
    return true;
  });
}

// A row of each pattern, checked.
struct TaskPattern {
  TaskSpec spec;  // `shape` refers to it
  CheckedShape shape;
};
using TaskPatterns = std::vector<std::unique_ptr<TaskPattern>>;

// Returns false if a task depends on more than its pattern, its numbers and its references, or has
// a number as text.
bool IsPlain(const muster_table& table, const TaskSpec& blank,
             const std::vector<QueueSpec>& queues) {
  for (std::string_view number :
       {"status", "priority", "created", "ordinal", "uid_rank", "started"}) {
    const TableColumn* column = table.Find(number);
    if (column != nullptr && column->is_text()) return false;
  }
  for (std::string_view of_job : {"group", "sub_group"}) {
    if (table.Find(of_job) != nullptr) return false;
  }
  for (const QueueSpec& queue : queues) {
    if (SpeaksOfNodeGroups(queue)) return false;  // a task's class then depends on its job
  }
  const TableColumn* uid = table.Find("uid");
  if (uid != nullptr && !uid->is_text()) return false;
  return blank.group.empty() && blank.sub_group.empty() && blank.job.empty() &&
         blank.node.empty() && blank.uid.empty();
}

bool ReadPatterns(const RowReader<TaskSpec>& reader, const Patterns& patterns,
                  const Interner& interner, TaskPatterns* read) {
  const TaskSpec& blank = reader.blank();
  read->reserve(patterns.first_row.size());
  for (size_t row : patterns.first_row) {
    TaskPattern& pattern = *read->emplace_back(std::make_unique<TaskPattern>());
    TaskSpec& spec = pattern.spec;
    spec = blank;
    if (!reader.Fill(row, &spec).ok()) return false;
    // Free columns differ by row, and are not read here.
    spec.job.clear();
    spec.node.clear();
    spec.status = TaskStatus::kPending;
    spec.priority = blank.priority;
    spec.created = blank.created;
    spec.ordinal = blank.ordinal;
    spec.uid_rank = blank.uid_rank;
    spec.started = blank.started;
    spec.uid.clear();
    if (spec.usage || spec.lifetime) return false;  // kept beside the columns
    if (!CheckTask(spec).ok()) return false;
    absl::StatusOr<CheckedShape> shape = interner.Check(spec.shape, "task", spec.name);
    if (!shape.ok()) return false;
    pattern.shape = *std::move(shape);
  }
  return true;
}

// Returns false if a number is out of its range.
bool ReadNumbers(const muster_table& table, TaskColumns* columns) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min() + 1;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const auto read = [&table](std::string_view key, int64_t least, int64_t most,
                             std::span<const int64_t>* cells) {
    const TableColumn* given = table.Find(key);
    if (given == nullptr) return true;
    *cells = given->numbers;
    return std::all_of(cells->begin(), cells->end(), [least, most](int64_t cell) {
      return cell == kAbsent || (cell >= least && cell <= most);
    });
  };
  return read("status", 0, kTaskStatusCount - 1, &columns->status) &&
         read("priority", std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(),
              &columns->priority) &&
         read("created", kLeast, kMost, &columns->created) &&
         read("ordinal", 0, kMost, &columns->ordinal) &&
         read("uid_rank", kLeast, kMost, &columns->uid_rank) &&
         read("started", kLeast, kMost, &columns->started);
}

// What rows refer to.
struct TaskReferences {
  explicit TaskReferences(size_t rows) : job(rows), node(rows) {}
  std::vector<JobIndex> job;
  std::vector<NodeIndex> node;
};

// Returns false if a name or uid is not valid, a reference has no row, or a status does not agree
// with its node. `blank`: the status of rows that set none.
bool ReadReferences(const muster_table& table, const TableColumn& names, const Tables& tables,
                    std::span<const int64_t> states, TaskStatus blank, TaskReferences* read) {
  References jobs(table.Find("job"), tables.jobs.names, tables.jobs.alive);
  References nodes(table.Find("node"), tables.nodes.names, tables.nodes.alive);
  const TableColumn* const uids = table.Find("uid");
  for (size_t i = 0; i < table.rows; ++i) {
    std::string_view name;
    if (!names.Text(i, &name) || !IsName(name) || !jobs.Get(i, &read->job[i]) ||
        !nodes.Get(i, &read->node[i])) {
      return false;
    }
    std::string_view uid;
    if (uids != nullptr && uids->Text(i, &uid) && !uid.empty() && !IsName(uid)) return false;
    const bool said = !states.empty() && states[i] != kAbsent;
    const TaskStatus status = said ? static_cast<TaskStatus>(states[i]) : blank;
    if (status == TaskStatus::kPlaced || HoldsNode(status) != (read->node[i] != kNone)) {
      return false;
    }
  }
  return true;
}

// Returns false, with nothing done, if a name exists already or occurs twice.
bool WriteTasks(Cluster& cluster, const TableColumn& names, const TableColumn* uids, size_t rows,
                const TaskPatterns& patterns, TaskStatus blank, TaskColumns columns) {
  Editor& editor = ImplOf(cluster).editor;
  std::vector<TaskRow> written;  // by pattern, in the order of their first rows
  written.reserve(patterns.size());
  for (const auto& pattern : patterns) {
    written.push_back(editor.RowOfTask(pattern->spec, pattern->shape, TaskRefs()));
    written.back().status = blank;
  }
  columns.patterns = written;
  const auto name = [&names](size_t i) {
    std::string_view text;
    names.Text(i, &text);
    return text;
  };
  if (!editor.AppendTasks(name, columns)) return false;
  Deltas& deltas = ImplOf(cluster).deltas;
  const TaskTable& tasks = editor.tables().tasks;
  const auto end = static_cast<TaskIndex>(tasks.alive.size());
  for (size_t i = 0; uids != nullptr && i < rows; ++i) {
    std::string_view uid;
    if (uids->Text(i, &uid)) editor.SetUid(TaskIndex(end - rows + i), uid);
  }
  for (TaskIndex task(end - rows); task < end && deltas.anything_waits(); ++task) {
    deltas.Appeared(RowKind::kTask, tasks.names.name(task));
  }
  return true;
}

absl::StatusOr<bool> AddTasks(muster_cluster* handle, const muster_table& table) {
  Cluster& cluster = handle->cluster;
  Editor& editor = ImplOf(cluster).editor;
  const TableColumn* names = table.Find("name");
  if (names == nullptr || !names->is_text()) return false;
  const RowReader<TaskSpec> reader(table, ResolverOf(*handle));
  if (!reader.status().ok()) return reader.status();
  if (!IsPlain(table, reader.blank(), ImplOf(cluster).tables->queues.spec)) return false;
  const Patterns patterns(table, kFreeOfTasks);
  if (patterns.first_row.size() > table.rows / 4) return false;
  TaskPatterns read;
  if (!ReadPatterns(reader, patterns, editor.interner(), &read)) return false;

  const Tables& tables = editor.Own();
  if (!editor
           .CheckRoom(tables.tasks.names, static_cast<int64_t>(table.rows),
                      static_cast<int64_t>(names->bytes.size()))
           .ok()) {
    return false;
  }
  const TaskStatus blank = reader.blank().status;
  TaskColumns columns;
  TaskReferences references(table.rows);
  if (!ReadNumbers(table, &columns) ||
      !ReadReferences(table, *names, tables, columns.status, blank, &references)) {
    return false;
  }
  columns.pattern = patterns.of_row;
  columns.job = references.job;
  columns.node = references.node;
  return Changing(handle, [&] {
    return WriteTasks(cluster, *names, table.Find("uid"), table.rows, read, blank, columns);
  });
}

}  // namespace

absl::StatusOr<bool> AddInBulk(muster_cluster* cluster, const muster_table& table) {
  if (table.rows < kLeastRows || cluster->recorder != nullptr) return false;
  if (table.kind == MUSTER_KIND_NODES) return AddNodes(cluster, table);
  if (table.kind == MUSTER_KIND_TASKS) return AddTasks(cluster, table);
  return false;
}

}  // namespace muster::capi
