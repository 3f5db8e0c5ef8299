# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Questions to muster_probe, a program of the tests that opens single rooms of the engine
(probe/probe.h)."""

import json
import subprocess
from typing import Any

Json = dict[str, Any]


class Unanswerable(Exception):
    """Why a recorded call is not compared, by its own content."""


class Probe:
    """One process, started at the first question and asked line by line."""

    def __init__(self, binary: str) -> None:
        self.binary = binary
        self.process: subprocess.Popen[str] | None = None
        self.heard: list[Any] = []  # the engine's answers to the case at hand

    def amount(self, question: str, **arguments: Any) -> Any:
        return self._ask({"amount": question} | arguments)["answer"]

    def session(self, scenario: Json, ask: list[list[Any]]) -> list[Any]:
        return self._ask({"scenario": scenario, "ask": ask})["answers"]

    def quota_tree(self, options: Json, ops: list[Json]) -> list[Json]:
        return self._ask({"quota_tree": options, "ops": ops})["answers"]

    def quota_forest(self, options: Json, ops: list[Json]) -> list[Json]:
        return self._ask({"quota_forest": options, "ops": ops})["answers"]

    def quota_profile(self, question: Json) -> Json:
        return self._ask({"quota_profile": question})["answers"]

    def quota_rules(self, options: Json, ops: list[Json]) -> list[Json]:
        return self._ask({"quota_rules": options, "ops": ops})["answers"]

    def quota_level(self, question: Json) -> Any:
        return self._ask({"quota_level": question})["answers"]

    def quota_victims(self, ask: str, **question: Any) -> Any:
        return self._ask({"quota_victims": {"ask": ask} | question})["answers"]

    def capacity(self, ops: list[Json]) -> list[Json]:
        return self._ask({"capacity": ops})["answers"]

    def cpus(self, question: Json) -> str | None:
        return self._ask({"cpus": question})["answers"]

    def devices(self, options: Json, ops: list[Json]) -> list[Json]:
        return self._ask({"devices": options, "ops": ops})["answers"]

    def condor(self, case: Json) -> Any:
        return self._ask({"condor": case})["answers"]

    def mesos(self, case: Json) -> Any:
        return self._ask({"mesos": case})["answers"]

    def pulsar(self, case: Json) -> list[Any]:
        return self._ask({"pulsar": case})["answers"]

    def armada(self, question: Json) -> Any:
        return self._ask({"armada": question})["answers"]

    def yunikorn(self, ask: str, **question: Any) -> Any:
        return self._ask({"yunikorn": {"ask": ask} | question})["answers"]

    def yarn(self, case: Json) -> list[Any]:
        return self._ask({"yarn": case})["answers"]

    def loads(self, options: Json, ops: list[Json]) -> list[Json]:
        return self._ask({"loads": options, "ops": ops})["answers"]

    def plugin_calls(self, standard: list[str], ops: list[Json]) -> list[Any]:
        return self._ask({"plugin_calls": standard, "ops": ops})["answers"]

    def plugin_gangs(self, options: Json, ops: list[Json]) -> list[Any]:
        return self._ask({"plugin_gangs": options, "ops": ops})["answers"]

    def plugin_network(self, ops: list[Json]) -> list[Any]:
        return self._ask({"plugin_network": ops})["answers"]

    def plugin_pods(self, ops: list[Json]) -> list[Any]:
        return self._ask({"plugin_pods": ops})["answers"]

    def plugin_zones(self, ops: list[Json], method: str = "Autodetect") -> list[Any]:
        return self._ask({"plugin_zones": {"method": method}, "ops": ops})["answers"]

    def plugin_scores(self, ops: list[Json]) -> list[Any]:
        return self._ask({"plugin_scores": ops})["answers"]

    def cpu_binding(self, ask: str, **question: Any) -> Any:
        return self._ask({"cpu_binding": {"ask": ask} | question})["answers"]

    def reservations(self, ask: str, **question: Any) -> Any:
        return self._ask({"reservations": {"ask": ask} | question})["answers"]

    def zones(self, machines: Json, ops: list[Json]) -> list[Any]:
        return self._ask({"zones": machines, "ops": ops})["answers"]

    def bundles(self, question: Json) -> Any:
        return self._ask({"bundles": question})["answers"]

    def drf(self, tree: Json, ops: list[Json]) -> Any:
        return self._ask({"drf": tree, "ops": ops})["answers"]

    def numa(self, question: Json) -> Any:
        return self._ask({"numa": question})["answers"]

    def cards(self, ask: str, **question: Any) -> Any:
        return self._ask({"cards": {"ask": ask} | question})["answers"]

    def kueue_topology(self, world: Json, ops: list[Json]) -> list[Any]:
        return self._ask({"kueue_topology": world, "ops": ops})["answers"]

    def kueue_topology_steps(self, domains: Json, ops: list[Json]) -> list[Any]:
        return self._ask({"kueue_topology_steps": domains, "ops": ops})["answers"]

    def kueue(self, world: Json, ops: list[Json]) -> list[Any]:
        return self._ask({"kueue": world, "ops": ops})["answers"]

    def kueue_rule(self, ask: str, **question: Any) -> Any:
        return self._ask({"kueue_rule": {"ask": ask} | question})["answers"]

    def kai(self, function: str, arguments: Json) -> Any:
        return self._ask({"kai": function, "in": arguments})["answers"]

    def koordinator_colocation(self, ask: str, **question: Any) -> Any:
        return self._ask({"koordinator_colocation": {"ask": ask} | question})["answers"]

    def koordinator_rebalance(self, ask: str, **question: Any) -> Any:
        return self._ask({"koordinator_rebalance": {"ask": ask} | question})["answers"]

    def koordinator_gangs(self, ask: str, **question: Any) -> Any:
        return self._ask({"koordinator_gangs": {"ask": ask} | question})["answers"]

    def kube_cycles(self, question: Json) -> Json:
        return self._ask({"kube_cycles": question})["answers"]

    def plan(self, scenario: str, profile: str) -> Json:
        return self._ask({"plan": {"scenario": scenario, "profile": profile}})["answers"]

    def kueue_view(self, ask: str, **question: Any) -> Any:
        return self._ask({"kueue_view": {"ask": ask} | question})["answers"]

    def imported(self, question: Json) -> Any:
        return self._ask({"import": question})["answers"]

    def _ask(self, request: Json) -> Json:
        if self.process is None:
            self.process = subprocess.Popen(
                [self.binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {"error": "the probe ended"}
        if "import" not in request:  # the digest is of what the engine answers
            self.heard.append(answer)
        if "error" in answer:
            raise ValueError(f"probe: {answer['error']}")
        return answer
