// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// The books of reservations: entries, lists of nodes, the index, promises and candidates.
#include "lib/peer/koordinator/reservation/reservation_book.h"

#include <gtest/gtest.h>

#include "lib/peer/koordinator/reservation/reservation_events.h"

namespace muster {
namespace {

using Names = std::vector<std::string>;

Sparse CpuAndMemory(int64_t a, int64_t b) {
  Sparse amounts;
  amounts.Set(0, a);
  amounts.Set(1, b);
  return amounts;
}

ReservationBook::Record RecordOf(const std::string& uid, const std::string& node) {
  ReservationBook::Record record;
  record.uid = uid;
  record.node = node;
  record.offered.name = uid;
  record.offered.total = CpuAndMemory(8, 16);
  record.names = 0b11;
  record.is_available = true;
  record.allocate_once = false;
  return record;
}

TEST(ReservationBook, SumsWhatTasksHoldOfWhatItReserves) {
  ReservationBook book;
  ReservationBook::Record record = RecordOf("r", "n");
  record.names = 0b01;
  book.Put(record);
  const ReservationBook::Held held = {"t", CpuAndMemory(3, 5)};
  EXPECT_EQ(book.AddTasks("r", {&held, 1}), ReservationBook::Answer::kDone);
  EXPECT_EQ(book.AddTasks("r", {&held, 1}), ReservationBook::Answer::kDone);  // counts once
  EXPECT_EQ(book.Find("r")->used.at(0), 3);
  EXPECT_FALSE(book.Find("r")->used.has(1));
  EXPECT_EQ(book.OfTask("t", "n"), book.Find("r"));
  EXPECT_EQ(book.OfTask("t", "m"), nullptr);
  const std::string task = "t";
  book.RemoveTasks("r", {&task, 1});
  EXPECT_EQ(book.Find("r")->used.at(0), 0);
  EXPECT_TRUE(book.Find("r")->tasks.empty());
  EXPECT_EQ(book.AddTasks("s", {&held, 1}), ReservationBook::Answer::kUnknown);
  record.is_leaving = true;
  book.Put(record);
  EXPECT_EQ(book.AddTasks("r", {&held, 1}), ReservationBook::Answer::kLeaving);
}

TEST(ReservationBook, AChangeForgetsWhatIsNoLongerReserved) {
  ReservationBook book;
  ReservationBook::Record record = RecordOf("r", "n");
  record.kept_back = CpuAndMemory(1, 1);
  record.names = 0b01;
  book.Put(record);
  EXPECT_TRUE(book.Find("r")->record.kept_back.has(1));  // cut by a change alone
  const ReservationBook::Held held = {"t", CpuAndMemory(3, 5)};
  book.AddTasks("r", {&held, 1});
  record.names = 0b10;
  book.Change(record);
  EXPECT_FALSE(book.Find("r")->used.has(0));
  EXPECT_FALSE(book.Find("r")->record.kept_back.has(0));
  record.uid = "unknown";
  book.Change(record);
  EXPECT_EQ(book.Find("unknown"), nullptr);
}

TEST(ReservationBook, ListsFollowEventsOfReservations) {
  ReservationBook book;
  ReservationBook::Record once = RecordOf("once", "n");
  once.allocate_once = true;
  book.Put(once);
  book.Put(RecordOf("many", "n"));
  const ReservationBook::Held held = {"t", CpuAndMemory(3, 5)};
  book.AddTasks("once", {&held, 1});
  EXPECT_EQ(book.MatchableOn("n").size(), 2u);  // until its own next event
  EXPECT_TRUE(book.Nodes(true).empty());
  book.Put(once);
  EXPECT_EQ(book.MatchableOn("n").size(), 1u);
  EXPECT_EQ(book.AllOn("n").size(), 2u);
  book.MoveTask("once", "t", "many", held);
  EXPECT_EQ(book.Nodes(true), Names{"n"});
  EXPECT_TRUE(book.Find("once")->tasks.empty());
  book.MoveTask("many", "t", "", {});
  EXPECT_TRUE(book.Nodes(true).empty());
  book.Remove("many", "n");
  EXPECT_TRUE(book.Nodes(false).empty());
  EXPECT_EQ(book.AllOn("n").size(), 1u);
}

TEST(ReservationIndex, FindsNodesByKeysAndPrefixes) {
  ReservationIndex index({.prefixes = {" team- ", "", "team-"}, .keys = {"model", "team-x"}});
  EXPECT_EQ(index.prefixes(), Names{"team-"});
  index.Put("a", "n1", {{"model", "x"}, {"team-a", "1"}});
  index.Put("b", "n2", {{"model", "y"}, {"team-b", "1"}});
  index.Put("c", "", {{"model", "x"}});
  index.Put("d", "n3", {{"other", "x"}});
  EXPECT_EQ(index.size(), 2u);
  EXPECT_EQ(index.NodesFor({{"model", "x"}}), Names{"n1"});
  EXPECT_EQ(index.NodesFor({{"team-zzz", "9"}}), (Names{"n1", "n2"}));
  EXPECT_EQ(index.NodesFor({{"team-zzz", "9"}, {"model", "y"}}), Names{"n2"});
  EXPECT_EQ(index.NodesFor({{"team-x", "1"}}), Names());  // a key, not a prefix
  EXPECT_EQ(index.NodesFor({{"model", "z"}}), Names());
  EXPECT_EQ(index.NodesFor({{"other", "x"}}), std::nullopt);
  index.Put("a", "n1", {});
  EXPECT_EQ(index.NodesFor({{"model", "x"}}), Names());
  index.Remove("b");
  EXPECT_EQ(index.size(), 0u);
}

TEST(ReservationIndex, ANewConfigurationIsFilledFromTheBook) {
  ReservationBook book;
  ReservationBook::Record record = RecordOf("r", "n");
  record.offered.labels = {{"k", "v"}};
  book.Put(record);
  EXPECT_FALSE(book.index().covers_any());
  book.SetIndex({.prefixes = {}, .keys = {"k"}});
  EXPECT_EQ(book.index().NodesFor({{"k", "v"}}), Names{"n"});
  record.offered.labels = {{"k", "w"}};
  book.Change(record);
  EXPECT_EQ(book.index().NodesFor({{"k", "v"}}), Names());
}

TEST(Nominations, AReservationHasOneNode) {
  Nominations nominations;
  nominations.PromiseNode("r", "n1");
  nominations.PromiseNode("s", "n1");
  nominations.PromiseTasks("r", "n1", {"t"});
  nominations.PromiseNode("r", "n1");
  EXPECT_EQ(nominations.ReservationsOn("n1"), (Names{"s", "r"}));
  EXPECT_EQ(nominations.TasksFor("r", "n1"), std::nullopt);
  nominations.PromiseNode("r", "n2");
  EXPECT_EQ(nominations.ReservationsOn("n1"), Names{"s"});
  EXPECT_EQ(nominations.NodeOf("r"), "n2");
  nominations.PromiseNode("r", "");
  EXPECT_TRUE(nominations.ReservationsOn("n2").empty());
  EXPECT_EQ(nominations.NodeOf("r"), "");
}

TEST(Nominations, WhatMayBePromised) {
  const PromiseFacts active = {.reservation_is_active = true};
  EXPECT_TRUE(MayPromise(active));
  EXPECT_FALSE(MayPromise({}));
  EXPECT_FALSE(MayPromise({.task_node = "n", .reservation_is_active = true}));
  EXPECT_FALSE(MayPromise({.task_exists = false, .reservation_is_active = true}));
  EXPECT_FALSE(MayPromiseNode(active));
  EXPECT_TRUE(MayPromiseNode({}));
  EXPECT_FALSE(MayPromiseNode({.reservation_exists = false}));
  EXPECT_TRUE(MayPromiseTask({.task_node = "n", .reservation_waits = true}, "n"));
  EXPECT_FALSE(MayPromiseTask({.task_node = "m", .reservation_waits = true}, "n"));
  EXPECT_FALSE(MayPromiseTask({.task_node = "n"}, "n"));
}

TEST(TakeOverCandidates, TheHighestPriorityIsFirst) {
  TakeOverCandidates candidates;
  candidates.Add({"a", "n", true, 5});
  candidates.Add({"c", "n", true, 9});
  candidates.Add({"b", "n", true, 5});
  candidates.Add({"d", "", true, 9});
  EXPECT_EQ(candidates.Of("n"), (Names{"c", "a", "b"}));
  candidates.ChangePriority({"b", "n", true, 10});
  EXPECT_EQ(candidates.Of("n"), (Names{"b", "c", "a"}));
  candidates.Remove("n", "c");
  candidates.Remove("n", "c");
  EXPECT_EQ(candidates.Of("n"), (Names{"b", "a"}));
  EXPECT_EQ(candidates.Nodes(), Names{"n"});
  EXPECT_TRUE(TakeOverCandidates::Before({"z", "", true, 2}, {"a", "", true, 1}));
  EXPECT_FALSE(TakeOverCandidates::Before({"b", "", true, 1}, {"a", "", true, 1}));
}

TEST(TakeOverCandidates, FollowTheMarksOfTasks) {
  TakeOverCandidates candidates;
  const TakeOverCandidates::Shown plain = {"a", "n", false, 0}, marked = {"a", "n", true, 1};
  candidates.Follow({}, plain);
  EXPECT_TRUE(candidates.Nodes().empty());
  candidates.Follow(plain, marked);
  EXPECT_EQ(candidates.Of("n"), Names{"a"});
  candidates.Follow(marked, {"a", "m", true, 1});
  EXPECT_EQ(candidates.Nodes(), Names{"m"});
  candidates.Follow({"a", "m", true, 1}, {"a", "m", false, 1});
  EXPECT_TRUE(candidates.Nodes().empty());
  candidates.Follow({}, marked);
  candidates.Follow(marked, {"a", "", true, 1});
  EXPECT_TRUE(candidates.Nodes().empty());
}

TEST(ReservationEvents, TasksLeaveAllBooks) {
  ReservationBooks books;
  books.book.Put(RecordOf("r", "n"));
  books.nominations.Promise("t", "n", "r");
  ReservationTask task = {
      .shown = {"t", "n", true, 3}, .request = CpuAndMemory(1, 1), .holds = "r"};
  FollowTask({}, task, &books);
  EXPECT_EQ(books.nominations.ReservationOf("t", "n"), "");
  EXPECT_EQ(books.book.Find("r")->used.at(0), 1);
  EXPECT_EQ(books.candidates.Of("n"), Names{"t"});
  ReservationTask waits = task;
  waits.shown.node = "";
  FollowTask(task, waits, &books);
  EXPECT_EQ(books.book.Find("r")->used.at(0), 0);
  EXPECT_TRUE(books.candidates.Nodes().empty());
  FollowTask({}, task, &books);
  task.has_ended = true;
  FollowTask({}, task, &books);
  EXPECT_TRUE(books.book.Find("r")->tasks.empty());
}

TEST(ReservationEvents, ADeletedReservationStaysAsAFailedOne) {
  ReservationBooks books;
  const ReservationBook::Record record = RecordOf("r", "n");
  FollowReservation(record, ReservationEvent::kWaiting, true, &books);
  EXPECT_EQ(books.book.Find("r"), nullptr);
  FollowReservation(record, ReservationEvent::kActive, true, &books);
  books.nominations.PromiseNode("r", "n");
  RemoveReservation(record, &books);
  ASSERT_NE(books.book.Find("r"), nullptr);
  EXPECT_FALSE(books.book.Find("r")->IsMatchable());
  EXPECT_TRUE(books.book.Nodes(false).empty());
  EXPECT_EQ(books.nominations.NodeOf("r"), "");
}

}  // namespace
}  // namespace muster
