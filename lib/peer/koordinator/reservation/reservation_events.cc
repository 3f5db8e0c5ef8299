// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/reservation/reservation_events.h"

namespace muster {
namespace {

void ForgetPromises(const ReservationTask& task, Nominations* nominations) {
  if (task.stands_for_reservation) {
    nominations->ForgetReservation(task.shown.uid);
  } else {
    nominations->ForgetTask(task.shown.uid);
  }
}

}  // namespace

void FollowTask(const ReservationTask& before, const ReservationTask& now,
                ReservationBooks* books) {
  if (now.has_ended) return RemoveTask(now, books);
  if (now.shown.node.empty()) {
    if (!before.shown.uid.empty() && !before.shown.node.empty()) RemoveTask(before, books);
    return;
  }
  ForgetPromises(now, &books->nominations);
  if (!before.holds.empty() || !now.holds.empty()) {
    books->book.MoveTask(before.holds, before.shown.uid, now.holds,
                         {.task = now.shown.uid, .request = now.request});
  }
  if (now.serves) books->book.Put(*now.serves, now.holder);
  books->candidates.Follow(before.shown, now.shown);
}

void RemoveTask(const ReservationTask& task, ReservationBooks* books) {
  ForgetPromises(task, &books->nominations);
  const std::string& uid = task.shown.uid;
  if (!task.holds.empty()) books->book.RemoveTasks(task.holds, {&uid, 1});
  if (task.serves) books->book.Remove(uid, task.shown.node);
  if (task.shown.is_candidate && !task.shown.node.empty()) {
    books->candidates.Remove(task.shown.node, uid);
  }
}

void FollowReservation(const ReservationBook::Record& record, ReservationEvent event, bool is_new,
                       ReservationBooks* books) {
  if (event == ReservationEvent::kActive) {
    books->book.Put(record);
  } else if (event == ReservationEvent::kEnded && !is_new) {
    books->book.Change(record);
  } else {
    return;
  }
  if (!is_new) books->nominations.ForgetReservation(record.uid);
}

void RemoveReservation(const ReservationBook::Record& record, ReservationBooks* books) {
  books->nominations.ForgetReservation(record.uid);
  ReservationBook::Record failed = record;
  failed.is_available = false;
  books->book.Change(failed);
}

}  // namespace muster
