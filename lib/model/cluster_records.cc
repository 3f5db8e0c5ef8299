// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The direct calls for records and for tasks that are counts.
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/strings.h"
#include "lib/model/change_guard.h"
#include "lib/model/cluster_impl.h"
#include "lib/model/validate.h"
#include "muster/cluster.h"

namespace muster {
namespace {

template <class Spec>
absl::Status Set(internal::ClusterImpl& cluster, const NameTable& names, const Spec& spec,
                 const absl::Status& checked) {
  if (IsLost(cluster)) return LostError();
  if (!checked.ok()) return checked;
  Editor& editor = cluster.editor;
  if (absl::Status room = editor.CheckRoom(names, 1, spec.name.size()); !room.ok()) return room;
  const ChangeGuard change(cluster);
  editor.PutRecord(spec);
  return absl::OkStatus();
}

absl::Status Remove(internal::ClusterImpl& cluster, RowKind kind, const char* word,
                    std::string_view name) {
  if (IsLost(cluster)) return LostError();
  const ChangeGuard change(cluster);
  if (!cluster.editor.EraseRecord(kind, name)) {
    return absl::NotFoundError(absl::StrCat(PlaceOf(word, name), ": does not exist"));
  }
  cluster.editor.MaybeCompact();
  return absl::OkStatus();
}

}  // namespace

absl::Status Cluster::SetFlavor(const FlavorSpec& flavor) {
  return Set(*impl_, impl_->tables->flavors.names, flavor, CheckFlavor(flavor));
}
absl::Status Cluster::RemoveFlavor(std::string_view name) {
  return Remove(*impl_, RowKind::kFlavor, "flavor", name);
}

absl::Status Cluster::SetPartition(const PartitionSpec& partition) {
  return Set(*impl_, impl_->tables->partitions.names, partition, CheckPartition(partition));
}
absl::Status Cluster::RemovePartition(std::string_view name) {
  return Remove(*impl_, RowKind::kPartition, "partition", name);
}

absl::Status Cluster::SetReservation(const ReservationSpec& reservation) {
  return Set(*impl_, impl_->tables->reservations.names, reservation, CheckReservation(reservation));
}
absl::Status Cluster::RemoveReservation(std::string_view name) {
  return Remove(*impl_, RowKind::kReservation, "reservation", name);
}

absl::Status Cluster::MakeTasks(std::string_view job, std::string_view group, int64_t count) {
  if (IsLost(*impl_)) return LostError();
  Editor& editor = impl_->editor;
  const Tables& tables = *impl_->tables;
  const std::optional<JobIndex> row = tables.jobs.names.Find(job);
  if (!row) return absl::NotFoundError(absl::StrCat(PlaceOf("job", job), ": does not exist"));
  Checker check("job", job, "group", group);
  const std::vector<GroupSpec>& groups = tables.jobs.spec[*row].groups;
  size_t g = 0;
  while (g < groups.size() && groups[g].name != group) ++g;
  if (g == groups.size()) {
    check.Fail("does not exist; must be a group of the job");
    return check.status();
  }
  const int64_t left = groups[g].by_count ? groups[g].by_count->count : 0;
  if (count < 0 || count > left) {
    check.Fail(
        absl::StrCat("count is ", count, "; must be 0 to ", left, ", the tasks that are counts"));
    return check.status();
  }
  const absl::StatusOr<CheckedShape> shape =
      editor.interner().Check(groups[g].shape, "job", job, "group", group);
  if (!shape.ok()) return shape.status();
  const auto bytes = static_cast<int64_t>(job.size() + group.size()) + 11;
  if (absl::Status room = editor.CheckRoom(tables.tasks.names, count, count * bytes); !room.ok())
    return room;
  const int64_t first = editor.NextOrdinal(*row, GroupIndex(*editor.FindGroup(*row, group)));
  if (first > std::numeric_limits<int64_t>::max() - count) {
    check.Fail(
        absl::StrCat("the next ordinal is ", first, "; there are none for ", count, " more tasks"));
    return check.status();
  }
  for (int64_t i = first; i < first + count; ++i) {
    const std::string name = GroupTaskName(job, group, i);
    if (!tables.tasks.names.Find(name)) continue;
    return absl::AlreadyExistsError(absl::StrCat(PlaceOf("job", job), ", ", PlaceOf("group", group),
                                                 ": ", PlaceOf("task", name), " exists already"));
  }
  if (count == 0) return absl::OkStatus();
  const ChangeGuard change(*impl_);
  editor.MakeTasks(*row, g, first, count, *shape);
  for (int64_t i = first; i < first + count && impl_->deltas.anything_waits(); ++i) {
    impl_->deltas.Appeared(RowKind::kTask, GroupTaskName(job, group, i));
  }
  return absl::OkStatus();
}

}  // namespace muster
