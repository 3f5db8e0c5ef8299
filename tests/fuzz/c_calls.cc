// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Sequences of calls over the C interface: tables with any columns, documents, reports, events,
// cycles, states, an allocator with a budget.
//
// Checked: what the header promises of refused calls, cycles over cluster and snapshot, and that
// the record of the calls can be played again and makes the same plans.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/scenario/scenario.h"
#include "muster/c.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/rows.h"
#include "tests/fuzz/target.h"
#include "tools/muster/record_player.h"

namespace muster::fuzz {
namespace {

constexpr int kMostCCalls = 40;

struct Release {
  void operator()(muster_table* table) const { muster_table_free(table); }
  void operator()(muster_text* text) const { muster_text_free(text); }
  void operator()(muster_plan* plan) const { muster_plan_free(plan); }
  void operator()(muster_snapshot* snapshot) const { muster_snapshot_free(snapshot); }
  void operator()(muster_cluster* cluster) const { muster_cluster_free(cluster); }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;

class CCalls {
 public:
  explicit CCalls(std::string_view bytes) : in_(bytes), make_(&in_) {
    muster_allocator allocator = MUSTER_ALLOCATOR_INIT;
    // Few inputs run short of memory: their refusals hide all else.
    limited_ = in_.Byte() == 255;
    allocator.budget = limited_ ? 4096 : 0;
    muster_cluster_options options = MUSTER_CLUSTER_OPTIONS_INIT;
    options.allocator = &allocator;
    options.record = [](uintptr_t user, const char* text, int64_t size) -> muster_status {
      reinterpret_cast<std::string*>(user)->append(text, static_cast<size_t>(size));
      return MUSTER_OK;
    };
    options.record_user = reinterpret_cast<uintptr_t>(&record_);
    muster_cluster* cluster = nullptr;
    Require(muster_cluster_new(&options, &cluster, nullptr) == MUSTER_OK, "no cluster is made");
    cluster_.reset(cluster);
  }

  void Run() {
    for (int calls = 0; calls < kMostCCalls && !in_.empty(); ++calls) {
      const std::string before = Rows();
      if (Call() || limited_) continue;
      const std::string after = Rows();
      if (before != after) {
        Fail(absl::StrCat("refused, but changed: ", error_.message, "\n", before, "\n", after));
      }
    }
    if (!limited_) PlayRecord();
  }

 private:
  // Returns false if a call was refused that must then have changed nothing.
  bool Call() {
    error_ = MUSTER_ERROR_INIT;
    switch (in_.Below(8)) {
      case 0:
      case 1:
        return Put();
      case 2:
        return AddJson();
      case 3:
        return Reports();
      case 4:
        return Events();
      case 5:
      case 6:
        return Cycle();
      default:
        return Others();
    }
  }

  bool Ok(muster_status status) {
    if (status == MUSTER_OK) return true;
    Require(error_.code == status, "the error has another code than the call");
    const std::string_view message(error_.message);
    Require(!message.empty() && IsValidUtf8(message), "the error has no words in UTF-8");
    Require(limited_ || (status != MUSTER_E_INTERNAL && status != MUSTER_E_DATA_LOSS),
            absl::StrCat("a defect: ", error_.message));
    return false;
  }

  std::string Rows() {
    muster_text* text = nullptr;
    if (!Ok(muster_cluster_write_scenario(cluster_.get(), nullptr, &text, &error_))) {
      Require(limited_, "rows cannot be written");
      return "";
    }
    const Owned<muster_text> owner(text);
    return {muster_text_data(text), static_cast<size_t>(muster_text_size(text))};
  }

  // A table with up to four columns. Null: a column was refused.
  Owned<muster_table> Table(int32_t kind) {
    static constexpr const char* kColumns[] = {"name",
                                               "queue",
                                               "job",
                                               "node",
                                               "parent",
                                               "domain",
                                               "weight",
                                               "priority",
                                               "min_available",
                                               "group.count",
                                               "group.name",
                                               "group.shape.request.cpu",
                                               "shape.request.cpu",
                                               "shape",
                                               "capacity.cpu",
                                               "capacity.memory",
                                               "labels.a",
                                               "taints",
                                               "status",
                                               "phase",
                                               "limit.cpu",
                                               "guaranteed.cpu",
                                               "groups",
                                               "ready",
                                               "created",
                                               "rules",
                                               "group.by_count",
                                               "tier",
                                               "nominated_node",
                                               "allocatable.cpu",
                                               "no such column",
                                               "shape.labels.a",
                                               "preemptable"};
    const auto rows = static_cast<int64_t>(in_.Below(4));
    muster_table* made = nullptr;
    if (!Ok(muster_table_new(kind, rows, nullptr, &made, &error_))) return nullptr;
    Owned<muster_table> table(made);
    bool all = rows == 0 || SetTexts(made, "name", rows);
    for (size_t left = in_.Below(5); left > 0 && all; --left) {
      const char* column = kColumns[in_.Below(std::size(kColumns))];
      all = in_.OneIn(2) ? SetTexts(made, column, rows) : SetNumbers(made, column, rows);
    }
    return all ? std::move(table) : nullptr;
  }

  bool SetNumbers(muster_table* table, const char* column, int64_t rows) {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t number = in_.Number();
      // Counts stand for rows.
      const bool counts = std::strcmp(column, "group.count") == 0;
      numbers.push_back(counts && number > 8 ? 8 : number);
    }
    return Ok(muster_table_set_numbers(table, column, numbers.data(), rows, &error_));
  }

  bool SetTexts(muster_table* table, const char* column, int64_t rows) {
    static constexpr const char* kTexts[] = {"1",
                                             "2",
                                             "500m",
                                             "1Gi",
                                             "running",
                                             "pending",
                                             "{}",
                                             "[]",
                                             "[{\"count\": 2}]",
                                             "{\"request\": {\"cpu\": 2}}",
                                             "{\"count\": 3}",
                                             "true",
                                             "[{\"key\": \"a\"}]"};
    std::string bytes;
    std::vector<int64_t> offsets = {0};
    for (int64_t i = 0; i < rows; ++i) {
      bytes += in_.OneIn(3) ? kTexts[in_.Below(std::size(kTexts))] : make_.Name();
      offsets.push_back(static_cast<int64_t>(bytes.size()));
    }
    if (in_.OneIn(16)) offsets.back() += in_.Number();
    return Ok(muster_table_set_texts(table, column, offsets.data(), rows, bytes.data(),
                                     static_cast<int64_t>(bytes.size()), &error_));
  }

  bool Put() {
    const auto kind = static_cast<int32_t>(1 + in_.Below(12));
    const Owned<muster_table> table = Table(kind);
    if (table == nullptr) return true;
    const auto mode = static_cast<int32_t>(in_.Below(3));
    return Ok(muster_cluster_put(cluster_.get(), mode, table.get(), &error_));
  }

  template <class S>
  bool AddRow(std::vector<S> ClusterSpec::*table) {
    Scenario scenario;
    for (size_t left = 1 + in_.Below(2); left > 0; --left) {
      (scenario.cluster.*table).push_back(make_.Row<S>());
    }
    const std::string text = WriteScenario(scenario);
    return Ok(muster_cluster_add_json(cluster_.get(), text.data(),
                                      static_cast<int64_t>(text.size()), &error_));
  }

  bool AddJson() {
    switch (in_.Below(10)) {
      case 0:
        return AddRow(&ClusterSpec::nodes);
      case 1:
        return AddRow(&ClusterSpec::queues);
      case 2:
        return AddRow(&ClusterSpec::jobs);
      case 3:
        return AddRow(&ClusterSpec::tasks);
      case 4:
        return AddRow(&ClusterSpec::domains);
      case 5:
        return AddRow(&ClusterSpec::budgets);
      case 6:
        return AddRow(&ClusterSpec::namespaces);
      case 7:
        return AddRow(&ClusterSpec::flavors);
      case 8:
        return AddRow(&ClusterSpec::partitions);
      default:
        return AddRow(&ClusterSpec::reservations);
    }
  }

  bool Reports() {
    const std::string name = make_.Name(), other = make_.Name();
    const auto size = static_cast<int64_t>(name.size());
    switch (in_.Below(6)) {
      case 0: {
        std::array<int32_t, 3> tasks, statuses, nodes;
        for (size_t i = 0; i < tasks.size(); ++i) {
          tasks[i] = static_cast<int32_t>(in_.Below(6)) - 1;
          statuses[i] = static_cast<int32_t>(in_.Below(13)) - 1;
          nodes[i] = static_cast<int32_t>(in_.Below(4)) - 1;
        }
        return Ok(muster_cluster_set_tasks(cluster_.get(), static_cast<int64_t>(in_.Below(4)),
                                           tasks.data(), statuses.data(),
                                           in_.OneIn(2) ? nodes.data() : nullptr, &error_));
      }
      case 1:
        return Ok(muster_cluster_set_task(cluster_.get(), name.data(), size,
                                          static_cast<int32_t>(in_.Below(12)), other.c_str(),
                                          MUSTER_TO_NUL, &error_));
      case 2:
        return Ok(muster_cluster_report_bind_failed(cluster_.get(), name.data(), size, &error_));
      case 3:
        return Ok(muster_cluster_report_evict_failed(cluster_.get(), name.data(), size, &error_));
      case 4:
        return Ok(muster_cluster_make_tasks(cluster_.get(), name.data(), size, other.c_str(),
                                            MUSTER_TO_NUL, static_cast<int64_t>(in_.Below(4)),
                                            &error_));
      default:
        return Ok(muster_cluster_remove(cluster_.get(), static_cast<int32_t>(in_.Below(13)),
                                        name.data(), size, &error_));
    }
  }

  bool Events() {
    const auto kind = static_cast<int32_t>(1 + in_.Below(12));
    switch (in_.Below(3)) {
      case 0: {
        const Owned<muster_table> table = Table(kind);
        if (table == nullptr) return true;
        const std::array<uint64_t, 4> generations = {in_.Byte(), in_.Byte(), in_.Byte(),
                                                     in_.Byte()};
        std::array<int32_t, 4> outcomes;
        int64_t done = 0;
        const bool all = Ok(muster_cluster_apply_deltas(
            cluster_.get(), table.get(), generations.data(), outcomes.data(), &done, &error_));
        return all || done > 0;  // the rows before it stay
      }
      case 1: {
        const std::string name = make_.Name();
        return Ok(muster_cluster_apply_removal(cluster_.get(), kind, name.data(),
                                               static_cast<int64_t>(name.size()), in_.Byte(),
                                               nullptr, &error_));
      }
      default: {
        const Owned<muster_table> first = Table(1 + static_cast<int32_t>(in_.Below(4)));
        const Owned<muster_table> second = Table(kind);
        if (first == nullptr || second == nullptr) return true;
        const std::array<const muster_table*, 2> tables = {first.get(), second.get()};
        muster_text* drift = nullptr;
        const bool done =
            Ok(muster_cluster_reconcile(cluster_.get(), tables.data(), 2, &drift, &error_));
        muster_text_free(drift);
        return done;
      }
    }
  }

  bool Cycle() {
    const std::string spec = SpecOf(&in_);
    muster_schedule_options options = MUSTER_SCHEDULE_OPTIONS_INIT;
    options.now = in_.Number();
    options.work_budget = in_.OneIn(4) ? in_.Number() : 0;
    options.cursor = in_.OneIn(8) ? in_.Byte() : 0;
    options.switches = in_.OneIn(4) ? in_.Byte() % 16 : 0;
    static constexpr const char* kTurns[] = {"{\"decisions\": 2}", "{\"heartbeats\": [\"n0\"]}",
                                             "{\"event\": true}", "{}", "x"};
    options.turn = in_.OneIn(4) ? kTurns[in_.Below(std::size(kTurns))] : nullptr;
    muster_snapshot* frozen = nullptr;
    Require(Ok(muster_cluster_freeze(cluster_.get(), &frozen, &error_)) || limited_,
            "a cluster cannot be frozen");
    const Owned<muster_snapshot> snapshot(frozen);
    muster_plan *plan = nullptr, *other = nullptr;
    const bool done =
        Ok(muster_cluster_schedule(cluster_.get(), spec.c_str(), &options, &plan, &error_));
    const Owned<muster_plan> of_cluster(plan);
    if (frozen == nullptr || limited_) return true;
    const bool again =
        Ok(muster_snapshot_schedule(frozen, spec.c_str(), &options, &other, &error_));
    const Owned<muster_plan> of_snapshot(other);
    Require(done == again, "a cycle over a snapshot fails, or one over the cluster");
    if (!done) return false;
    Require(Digest(plan) == Digest(other), "the plans of a cluster and its snapshot differ");
    muster_plan_view view = MUSTER_PLAN_VIEW_INIT;
    Require(Ok(muster_plan_get_view(plan, &view, &error_)), "a plan has no view");
    if (in_.OneIn(2)) return true;
    return Ok(muster_cluster_apply(cluster_.get(), plan, nullptr, nullptr, &error_));
  }

  std::string Digest(const muster_plan* plan) {
    char digest[33];
    Require(Ok(muster_plan_digest(plan, digest, &error_)), "a plan has no digest");
    return digest;
  }

  bool Others() {
    muster_text* text = nullptr;
    switch (in_.Below(3)) {
      case 0: {
        if (!Ok(muster_state_save(cluster_.get(), &text, &error_))) return true;
        const Owned<muster_text> owner(text);
        state_.assign(muster_text_data(text), static_cast<size_t>(muster_text_size(text)));
        return true;
      }
      case 1: {
        std::string state = state_;
        if (in_.OneIn(2) && !state.empty())
          state[in_.Below(std::min<size_t>(state.size(), 65536))] ^= 1;
        return Ok(muster_state_load(cluster_.get(), state.data(),
                                    static_cast<int64_t>(state.size()), &error_));
      }
      default: {
        if (!Ok(muster_cluster_memory(cluster_.get(), &text, &error_))) return true;
        const Owned<muster_text> owner(text);
        return Ok(muster_cluster_set_memory(cluster_.get(), muster_text_data(text),
                                            muster_text_size(text), &error_));
      }
    }
  }

  void PlayRecord() {
    RecordPlayer player({});
    std::string out;
    const absl::Status played = player.PlayAll(record_, &out);
    if (!played.ok() || player.different() > 0) {
      Fail(absl::StrCat("the record cannot be played: line ", player.line(), ": ",
                        played.ToString(), "\n", out, record_));
    }
    const std::string rows = RowsOf(player.cluster()), own = Rows();
    if (rows != own) Fail(absl::StrCat("the record makes other rows:\n", rows, "\n", own, record_));
  }

  Input in_;
  RowMaker make_;
  bool limited_ = false;
  std::string record_, state_;
  Owned<muster_cluster> cluster_;
  muster_error error_ = MUSTER_ERROR_INIT;
};

}  // namespace

void FuzzCCalls(std::string_view bytes) { CCalls(bytes).Run(); }

}  // namespace muster::fuzz
