// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
#include "lib/peer/koordinator/reservation/nominations.h"

#include <algorithm>

namespace muster {

void Nominations::Promise(const std::string& task, const std::string& node,
                          const std::string& reservation) {
  of_tasks_[task][node] = reservation;
}

std::string Nominations::ReservationOf(const std::string& task, const std::string& node) const {
  const auto nodes = of_tasks_.find(task);
  if (nodes == of_tasks_.end()) return {};
  const auto found = nodes->second.find(node);
  return found == nodes->second.end() ? std::string() : found->second;
}

void Nominations::PromiseNode(const std::string& reservation, const std::string& node) {
  ForgetReservation(reservation);
  if (node.empty()) return;
  nodes_[reservation] = node;
  on_node_[node].push_back(reservation);
}

std::vector<std::string> Nominations::ReservationsOn(const std::string& node) const {
  const auto found = on_node_.find(node);
  return found == on_node_.end() ? std::vector<std::string>() : found->second;
}

std::string Nominations::NodeOf(const std::string& reservation) const {
  const auto found = nodes_.find(reservation);
  return found == nodes_.end() ? std::string() : found->second;
}

void Nominations::ForgetReservation(const std::string& reservation) {
  taken_.erase(reservation);
  const auto node = nodes_.find(reservation);
  if (node == nodes_.end()) return;
  std::vector<std::string>& list = on_node_[node->second];
  list.erase(std::remove(list.begin(), list.end(), reservation), list.end());
  if (list.empty()) on_node_.erase(node->second);
  nodes_.erase(node);
}

void Nominations::PromiseTasks(const std::string& reservation, const std::string& node,
                               const std::vector<std::string>& tasks) {
  if (!tasks.empty()) taken_[reservation][node] = tasks;
}

std::optional<std::vector<std::string>> Nominations::TasksFor(const std::string& reservation,
                                                              const std::string& node) const {
  const auto nodes = taken_.find(reservation);
  if (nodes == taken_.end()) return std::nullopt;
  const auto found = nodes->second.find(node);
  if (found == nodes->second.end()) return std::nullopt;
  return found->second;
}

bool MayPromise(const PromiseFacts& facts) {
  return facts.task_exists && facts.task_node.empty() && facts.reservation_exists &&
         facts.reservation_is_active;
}

bool MayPromiseNode(const PromiseFacts& facts) {
  return facts.reservation_exists && !facts.reservation_is_active;
}

bool MayPromiseTask(const PromiseFacts& facts, std::string_view node) {
  return facts.task_exists && facts.task_node == node && facts.reservation_exists &&
         facts.reservation_waits;
}

}  // namespace muster
