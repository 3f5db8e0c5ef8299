// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/bound/program.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"

namespace muster {
namespace {

// How amounts of one dimension are counted.
struct Step {
  int64_t divisor = 0;  // 0: nothing of it is requested
  int shift = 0;
};

int64_t CappedSum(int64_t a, int64_t b) { return b > kUnlimited - a ? kUnlimited : a + b; }

class Builder {
 public:
  explicit Builder(const BoundFacts& facts) : facts_(facts), tables_(facts.tables) {}

  ProgramColumns Run() {
    Admissions();
    GroupNodes(/*by_room=*/true);
    if (Fits(kMostColumns) > kMostColumns) {
      GroupNodes(/*by_room=*/false);
      Fits(std::numeric_limits<size_t>::max());
    }
    Gangs();
    Kinds();
    Steps();
    Columns();
    for (uint32_t g = 0; g < groups_.size(); ++g) GroupRows(g);
    KindRows();
    if (facts_.options.queue_limits) QueueRows();
    Transpose();
    Values();
    return std::move(out_);
  }

 private:
  struct Kind {
    ClassIndex task_class;
    QueueIndex limited;
    int64_t count = 0;
  };
  struct Entry {
    uint32_t row;
    int64_t amount;
  };

  std::span<const int64_t> Request(ClassIndex c) const { return tables_.classes.request.row(c); }

  // By node, a number for the sets of constraints that it admits.
  void Admissions() {
    std::map<std::vector<bool>, uint32_t> numbers;
    admission_.assign(facts_.room.size(), kNone);
    for (NodeIndex n = 0; n < facts_.room.size(); ++n) {
      if (facts_.room[n].empty()) continue;
      std::vector<bool> admits(facts_.first_of_set.size());
      for (size_t s = 0; s < admits.size(); ++s) admits[s] = facts_.Admits(s, n);
      const auto next = static_cast<uint32_t>(numbers.size());
      admission_[n] = numbers.emplace(std::move(admits), next).first->second;
    }
  }

  void GroupNodes(bool by_room) {
    std::map<std::vector<int64_t>, uint32_t> numbers;
    out_.group_of.assign(facts_.room.size(), kNone);
    groups_.clear();
    for (NodeIndex n = 0; n < facts_.room.size(); ++n) {
      if (admission_[n] == kNone) continue;
      std::vector<int64_t> key = {int64_t{admission_[n]}};
      if (by_room) {
        key.insert(key.end(), facts_.room[n].begin(), facts_.room[n].end());
        if (!facts_.kinds.empty()) {
          key.insert(key.end(), facts_.parts[n].begin(), facts_.parts[n].end());
        }
      }
      const auto next = static_cast<uint32_t>(numbers.size());
      const uint32_t group = numbers.emplace(std::move(key), next).first->second;
      if (group == groups_.size()) groups_.emplace_back();
      groups_[group].push_back(n);
      out_.group_of[n] = group;
    }
  }

  // Sets how many tasks of each class each group holds, and returns the number of pairs. It ends
  // with more than `most_pairs`.
  size_t Fits(size_t most_pairs) {
    fits_.clear();
    size_t pairs = 0;
    for (ClassIndex c = 0; c < facts_.set_of.size(); ++c) {
      if (facts_.set_of[c] == kNone) continue;
      for (uint32_t g = 0; g < groups_.size(); ++g) {
        int64_t most = 0;
        if (facts_.Admits(facts_.set_of[c], groups_[g].front())) {
          for (NodeIndex n : groups_[g]) most = CappedSum(most, facts_.FitsAlone(c, n));
        }
        if (most == 0) continue;
        fits_[c].emplace_back(g, most);
        if (++pairs > most_pairs) return pairs;
      }
    }
    return pairs;
  }

  void Gangs() {
    out_.hopeless.assign(tables_.jobs.alive.size(), 0);
    if (!facts_.options.gangs) return;
    std::map<std::pair<JobIndex, ClassIndex>, int64_t> wants;
    for (TaskIndex t : facts_.waiting) {
      const ClassIndex c = tables_.tasks.task_class[t];
      // Tasks that request nothing are counted as there.
      if (!tables_.classes.best_effort[c]) ++wants[{tables_.tasks.job[t], c}];
    }
    std::vector<int64_t> reach = facts_.there;
    for (const auto& [key, count] : wants) {
      int64_t most = 0;
      for (const auto& [group, fits] : fits_[key.second]) most = CappedSum(most, fits);
      reach[key.first] += std::min(most, count);
    }
    for (JobIndex j = 0; j < out_.hopeless.size(); ++j) {
      out_.hopeless[j] = tables_.jobs.alive[j] && reach[j] < tables_.jobs.spec[j].min_available;
    }
  }

  void Kinds() {
    for (TaskIndex t : facts_.waiting) {
      const JobIndex job = tables_.tasks.job[t];
      if (out_.hopeless[job]) continue;
      const ClassIndex c = tables_.tasks.task_class[t];
      const QueueIndex limited = facts_.options.queue_limits
                                     ? NearestLimit(tables_, tables_.jobs.queue[job])
                                     : QueueIndex(kNone);
      const auto next = static_cast<uint32_t>(kinds_.size());
      const auto [kind, added] = out_.kinds.emplace(std::pair(c, limited), next);
      if (added) kinds_.push_back({c, limited});
      ++kinds_[kind->second].count;
    }
  }

  void Steps() {
    steps_.assign(tables_.dimension_count(), {});
    for (const Kind& kind : kinds_) {
      for (size_t d = 0; d < steps_.size(); ++d) {
        const int64_t request = Request(kind.task_class)[d];
        if (request > 0) steps_[d].divisor = std::gcd(steps_[d].divisor, request);
      }
    }
    for (const Kind& kind : kinds_) {
      for (size_t d = 0; d < steps_.size(); ++d) {
        if (steps_[d].divisor == 0) continue;
        const int64_t request = Request(kind.task_class)[d] / steps_[d].divisor;
        while (request >> steps_[d].shift >= int64_t{1} << kMostBits) ++steps_[d].shift;
      }
    }
  }

  int64_t InSteps(ClassIndex c, size_t d) const {
    if (steps_[d].divisor == 0) return 0;
    return Request(c)[d] / steps_[d].divisor >> steps_[d].shift;
  }

  void Columns() {
    BoundProgram& program = out_.program;
    by_group_.assign(groups_.size(), {});
    by_kind_.assign(kinds_.size(), {});
    for (uint32_t k = 0; k < kinds_.size(); ++k) {
      for (const auto& [group, fits] : fits_[kinds_[k].task_class]) {
        const auto column = static_cast<uint32_t>(program.most.size());
        program.most.push_back(std::min(fits, kinds_[k].count));
        column_kind_.push_back(k);
        by_group_[group].push_back(column);
        by_kind_[k].push_back(column);
        out_.columns[{k, group}] = column;
      }
    }
    entries_.resize(program.most.size());
  }

  // Adds a row unless its columns cannot fill it. `amount` is by column.
  template <class Amount>
  void AddRow(std::string name, absl::int128 capacity, const std::vector<uint32_t>& columns,
              const Amount& amount) {
    absl::int128 all = 0;
    for (uint32_t column : columns) {
      all += absl::int128(amount(column)) * out_.program.most[column];
    }
    if (all <= capacity) return;
    const auto row = static_cast<uint32_t>(out_.program.capacity.size());
    for (uint32_t column : columns) {
      if (amount(column) > 0) entries_[column].push_back({row, amount(column)});
    }
    out_.program.capacity.push_back(static_cast<int64_t>(capacity));
    out_.program.row_name.push_back(std::move(name));
  }

  void GroupRows(uint32_t g) {
    const std::vector<uint32_t>& columns = by_group_[g];
    const std::string of = absl::StrCat(" of ", groups_[g].size(), " nodes like ",
                                        Quote(tables_.nodes.names.name(groups_[g].front())));
    for (size_t d = 0; d < steps_.size(); ++d) {
      if (steps_[d].divisor == 0) continue;
      absl::int128 capacity = 0;
      bool unlimited = false;
      for (NodeIndex n : groups_[g]) {
        unlimited |= facts_.room[n][d] == kUnlimited;
        capacity += facts_.room[n][d] / steps_[d].divisor;
      }
      if (unlimited) continue;
      AddRow(absl::StrCat(ToAbsl(tables_.dimensions.name(static_cast<DimensionIndex>(d))), of),
             capacity >> steps_[d].shift, columns,
             [&](uint32_t column) { return InSteps(kinds_[column_kind_[column]].task_class, d); });
    }
    for (size_t k = 0; k < facts_.kinds.size(); ++k) {
      absl::int128 capacity = 0;
      for (NodeIndex n : groups_[g]) capacity += facts_.parts[n][k];
      const auto asks = [&](uint32_t column) {
        return DeviceParts(tables_.classes.shape[kinds_[column_kind_[column]].task_class],
                           facts_.kinds[k]);
      };
      int shift = 0;
      for (uint32_t column : columns) {
        while (asks(column) >> shift >= int64_t{1} << kMostBits) ++shift;
      }
      AddRow(absl::StrCat("devices ", facts_.kinds[k], of), capacity >> shift, columns,
             [&](uint32_t column) { return asks(column) >> shift; });
    }
  }

  void KindRows() {
    for (uint32_t k = 0; k < kinds_.size(); ++k) {
      AddRow(absl::StrCat("tasks of class ", static_cast<uint32_t>(kinds_[k].task_class)),
             kinds_[k].count, by_kind_[k], [](uint32_t) { return int64_t{1}; });
    }
  }

  void QueueRows() {
    std::map<QueueIndex, std::vector<uint32_t>> below;
    for (uint32_t k = 0; k < kinds_.size(); ++k) {
      for (QueueIndex q = kinds_[k].limited; q != kNone;
           q = NearestLimit(tables_, tables_.queues.parent[q])) {
        below[q].insert(below[q].end(), by_kind_[k].begin(), by_kind_[k].end());
      }
    }
    for (const auto& [q, columns] : below) {
      for (size_t d = 0; d < steps_.size(); ++d) {
        const int64_t limit = tables_.queues.limit.row(q)[d];
        if (limit == kAbsent || steps_[d].divisor == 0) continue;
        const int64_t left = std::max<int64_t>(limit - facts_.held[q][d], 0);
        AddRow(absl::StrCat("limit of queue ", Quote(tables_.queues.names.name(q)), ", ",
                            ToAbsl(tables_.dimensions.name(static_cast<DimensionIndex>(d)))),
               left / steps_[d].divisor >> steps_[d].shift, columns, [&](uint32_t column) {
                 return InSteps(kinds_[column_kind_[column]].task_class, d);
               });
      }
    }
  }

  void Transpose() {
    BoundProgram& program = out_.program;
    program.first.push_back(0);
    for (const std::vector<Entry>& entries : entries_) {
      for (const Entry& entry : entries) {
        program.row.push_back(entry.row);
        program.amount.push_back(entry.amount);
      }
      program.first.push_back(static_cast<uint32_t>(program.row.size()));
    }
  }

  void Values() {
    BoundProgram& program = out_.program;
    out_.dimension.push_back(kNone);
    program.objective.push_back("tasks");
    program.value.emplace_back(program.most.size(), 1);
    program.unit.push_back(1);
    for (size_t d = 0; d < steps_.size(); ++d) {
      const bool requested =
          std::any_of(facts_.waiting.begin(), facts_.waiting.end(),
                      [&](TaskIndex t) { return Request(tables_.tasks.task_class[t])[d] > 0; });
      if (!requested || d == size_t{kPods}) continue;
      // Of what no column requests any number will do.
      const Step step = steps_[d].divisor == 0 ? Step{1, 0} : steps_[d];
      out_.dimension.push_back(static_cast<DimensionIndex>(d));
      program.objective.emplace_back(tables_.dimensions.name(static_cast<DimensionIndex>(d)));
      std::vector<int64_t>& value = program.value.emplace_back();
      for (uint32_t kind : column_kind_) {
        const int64_t request = Request(kinds_[kind].task_class)[d] / step.divisor;
        value.push_back((request + (int64_t{1} << step.shift) - 1) >> step.shift);
      }
      program.unit.push_back(step.divisor << step.shift);
    }
  }

  const BoundFacts& facts_;
  const Tables& tables_;
  ProgramColumns out_;
  std::vector<uint32_t> admission_;
  std::vector<std::vector<NodeIndex>> groups_;
  std::map<ClassIndex, std::vector<std::pair<uint32_t, int64_t>>> fits_;
  std::vector<Kind> kinds_;
  std::vector<Step> steps_;
  std::vector<uint32_t> column_kind_;
  std::vector<std::vector<uint32_t>> by_group_, by_kind_;
  std::vector<std::vector<Entry>> entries_;
};

}  // namespace

QueueIndex NearestLimit(const Tables& tables, QueueIndex queue) {
  while (queue != kNone && !tables.queues.spec[queue].limit.has_value()) {
    queue = tables.queues.parent[queue];
  }
  return queue;
}

ProgramColumns BuildProgram(const BoundFacts& facts) { return Builder(facts).Run(); }

}  // namespace muster
