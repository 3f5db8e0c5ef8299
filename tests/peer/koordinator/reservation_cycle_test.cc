// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// A task's way through reservations, by hand.
#include "lib/peer/koordinator/reservation/reservation_cycle.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Names = std::vector<std::string>;
constexpr size_t kTasks = 5;

Sparse Cpu(int64_t amount) {
  Sparse amounts;
  amounts.Set(0, amount);
  return amounts;
}

ReservationBook::Record Room(const std::string& uid, int64_t amount, const std::string& app) {
  ReservationBook::Record record;
  record.uid = uid;
  record.node = "n";
  record.offered.name = uid;
  record.offered.owners = {{.selector = Selector{.match_labels = {{"app", app}}}}};
  record.offered.total = Cpu(amount);
  record.names = 1;
  record.is_available = true;
  record.allocate_once = false;
  return record;
}

ReservationAsker Task(const std::string& uid, const std::string& app, int64_t amount) {
  return {.object = {.uid = uid}, .labels = {{"app", app}}, .request = Cpu(amount)};
}

// A node of 10 with reservations of 4 for web and 4 for db, of which a task of db holds 3.
class ReservationCycleTest : public ::testing::Test {
 protected:
  ReservationCycleTest() {
    books_.book.Put(Room("web", 4, "web"));
    books_.book.Put(Room("db", 4, "db"));
    const ReservationBook::Held held = {"db-0", Cpu(3)};
    books_.book.AddTasks("db", {&held, 1});
    ReservationView& view = views_["n"];
    view.node.name = "n";
    view.capacity = Cpu(10);
    view.most_tasks = 10;
    view.tasks = {{"web", Cpu(4)}, {"db", Cpu(4)}, {"db-0", Cpu(3)}};
  }

  ReservationBooks books_;
  ReservationViews views_;
  ReservationCycle cycle_{{.rules = {.always = 1}, .tasks_resource = kTasks}, &books_};
};

TEST_F(ReservationCycleTest, GivesBackWhatIsCountedTwice) {
  EXPECT_EQ(cycle_.PrepareTask(Task("t", "web", 6), {}, std::nullopt, true, &views_),
            ReservationCode::kSuccess);
  // 11 are requested, 3 of them twice; the stand-in of web leaves.
  EXPECT_EQ(cycle_.state().nodes["n"].requested.at(0), 8);
  EXPECT_EQ(views_["n"].Requested().at(0), 4);
  EXPECT_EQ(views_["n"].tasks.size(), 2u);
  EXPECT_EQ(cycle_.state().tallies["n"].owned, 1);
  std::optional<Names> only;
  EXPECT_EQ(cycle_.PreFilter(&only), ReservationCode::kSuccess);
  EXPECT_EQ(only, std::nullopt);
  EXPECT_EQ(cycle_.Filter(views_["n"], false).code, ReservationCode::kSuccess);
  EXPECT_EQ(cycle_.Nominate("t", views_["n"]), "web");
}

TEST_F(ReservationCycleTest, ATaskOfNoReservationGetsNone) {
  cycle_.PrepareTask(Task("t", "other", 3), {}, std::nullopt, true, &views_);
  EXPECT_EQ(views_["n"].Requested().at(0), 8);
  EXPECT_EQ(cycle_.Filter(views_["n"], false).code, ReservationCode::kSuccess);  // of other rules
  EXPECT_EQ(cycle_.Nominate("t", views_["n"]), "");
  ReservationAsker wishes = Task("t", "other", 3);
  wishes.wish.emplace();
  cycle_.PrepareTask(wishes, {}, std::nullopt, true, &views_);
  std::optional<Names> only;
  EXPECT_EQ(cycle_.PreFilter(&only), ReservationCode::kUnresolvable);
  EXPECT_EQ(cycle_.Filter(views_["n"], false).code, ReservationCode::kUnresolvable);
}

TEST_F(ReservationCycleTest, NodesThatAreNamedCountByTheirNames) {
  TaskShape shape;
  shape.node_selector = {{"no", "such"}};
  cycle_.PrepareTask(Task("t", "web", 1), shape, std::nullopt, false, &views_);
  EXPECT_TRUE(cycle_.StateNodes().empty());
  shape.required_node_affinity = {
      {{.match_fields = {{"metadata.name", RequirementOp::kIn, {"n"}}}}}};
  cycle_.PrepareTask(Task("t", "web", 1), shape, std::nullopt, false, &views_);
  EXPECT_EQ(cycle_.StateNodes(), Names{"n"});
  cycle_.PrepareTask(Task("t", "web", 1), {}, Names{"m"}, false, &views_);
  EXPECT_TRUE(cycle_.StateNodes().empty());
}

TEST_F(ReservationCycleTest, ReserveIsTakenBack) {
  cycle_.PrepareTask(Task("t", "web", 2), {}, std::nullopt, true, &views_);
  const PromiseFacts facts = {.reservation_is_active = true};
  EXPECT_EQ(cycle_.ReserveTask("t", facts, false, views_["n"]), ReservationCode::kSuccess);
  EXPECT_EQ(books_.book.Find("web")->used.at(0), 2);
  EXPECT_EQ(books_.nominations.ReservationOf("t", "n"), "web");
  cycle_.Unreserve("n");
  EXPECT_TRUE(books_.book.Find("web")->tasks.empty());
}

TEST_F(ReservationCycleTest, VictimsCountInTheirReservation) {
  cycle_.PrepareTask(Task("t", "db", 3), {}, std::nullopt, true, &views_);
  const ReservationView& view = views_["n"];
  cycle_.CountVictim({"db-0", Cpu(3)}, "n", true);
  EXPECT_EQ(cycle_.state().preempted_of["n"]["db"].at(kTasks), 1);
  cycle_.CountVictim({"db-0", Cpu(3)}, "n", false);
  EXPECT_EQ(cycle_.state().preempted_of["n"]["db"].at(0), 0);
  cycle_.CountVictim({"x", Cpu(1)}, "n", true);
  EXPECT_EQ(cycle_.state().preempted["n"].at(0), 1);
  EXPECT_EQ(cycle_.Filter(view, false).code, ReservationCode::kSuccess);
}

PlacedReservation Taking(bool several, bool required) {
  PlacedReservation placed;
  placed.record = Room("new", 6, "batch");
  placed.record.node = "";
  placed.record.is_available = false;
  placed.record.policy = Reserved::Policy::kRestricted;
  placed.request = Cpu(6);
  placed.takes_over = true;
  placed.takes_several = several;
  placed.must_take_over = required;
  return placed;
}

// A node of 10 without reservations, with tasks of 3, 4 and 2.
class TakeOverTest : public ::testing::Test {
 protected:
  TakeOverTest() {
    ReservationView& view = views_["n"];
    view.node.name = "n";
    view.capacity = Cpu(10);
    view.most_tasks = 10;
    view.tasks = {{"a", Cpu(3)}, {"b", Cpu(4)}, {"c", Cpu(2)}};
    running_ = {{.asker = Task("a", "batch", 3), .node = "n"},
                {.asker = Task("b", "batch", 4), .node = "n"},
                {.asker = Task("c", "other", 2), .node = "n"},
                {.asker = Task("d", "batch", 1), .node = ""}};
  }

  ReservationBooks books_;
  ReservationViews views_;
  std::vector<RunningTask> running_;
  ReservationCycle cycle_{{.rules = {.always = 1}, .tasks_resource = kTasks}, &books_};
};

TEST_F(TakeOverTest, TakesOwnersUntilTheNodeHasRoom) {
  cycle_.PrepareReservation(Taking(true, false), running_, std::nullopt, true, &views_);
  EXPECT_EQ(cycle_.state().nodes["n"].candidates.size(), 2u);
  EXPECT_EQ(views_["n"].tasks.size(), 1u);
  EXPECT_EQ(cycle_.Filter(views_["n"], false).code, ReservationCode::kUnschedulable);
  // 6 and the 2 of `c` leave 2 for what is not taken over: both do not fit into 6.
  EXPECT_EQ(cycle_.TakeOverScore(views_["n"]), 100);
}

TEST_F(TakeOverTest, OneTaskThatFillsItBest) {
  views_["n"].capacity = Cpu(12);
  cycle_.PrepareReservation(Taking(false, true), running_, std::nullopt, true, &views_);
  EXPECT_EQ(cycle_.Filter(views_["n"], false).code, ReservationCode::kSuccess);
  EXPECT_EQ(cycle_.NominateTasks(views_["n"]), Names{"b"});
  EXPECT_EQ(cycle_.ReserveReservation(views_["n"]), ReservationCode::kSuccess);
  EXPECT_EQ(books_.book.Find("new")->used.at(0), 4);
  EXPECT_EQ(cycle_.TakeOverScore(views_["n"]), 66);
  cycle_.Unreserve("n");
  EXPECT_EQ(books_.book.Find("new"), nullptr);
  EXPECT_EQ(books_.nominations.TasksFor("new", "n"), std::nullopt);
}

TEST_F(TakeOverTest, NeedsARestrictedReservationAndItsMode) {
  PlacedReservation placed = Taking(false, false);
  placed.record.policy = Reserved::Policy::kAligned;
  EXPECT_EQ(cycle_.PrepareReservation(placed, running_, std::nullopt, true, &views_),
            ReservationCode::kUnresolvable);
  placed = Taking(false, false);
  placed.of_cluster = true;
  EXPECT_EQ(cycle_.PrepareReservation(placed, running_, std::nullopt, true, &views_),
            ReservationCode::kUnresolvable);
}

TEST_F(TakeOverTest, WithoutCandidatesTheNodeIsLeftOut) {
  for (RunningTask& task : running_) task.holds_reservation = true;
  cycle_.PrepareReservation(Taking(false, true), running_, std::nullopt, true, &views_);
  std::optional<Names> only;
  EXPECT_EQ(cycle_.PreFilter(&only), ReservationCode::kUnresolvable);
}

}  // namespace
}  // namespace muster
