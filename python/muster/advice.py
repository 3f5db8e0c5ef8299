# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What the scheduler would do if the cluster were different, and what would help a job that waits.

Every answer comes from cycles over a clone of the cluster; the cluster does not change. `policies`
are your own, as for Cluster.schedule: they are asked in each of the cycles. Ctrl-C ends a question.

`threads` (1 to 256) may run cycles at once. The answer is equal for every number of them. A call
with policies of your own stays on the thread that makes it, where they are asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from .action import Action, adapted_for
from .cluster import Cluster
from .errors import InvalidArgument, expect
from .frames import Values, frame
from .limits import integer, thread_count
from .notebook import columns, titled
from .policy import Policy
from .schedule import spelled
from .snapshot import chosen


@dataclass(frozen=True, eq=False)
class Rehearsal(Values):
    """What differs after changes: tasks that start, stop or move (task, job, before, after,
    reason, now), jobs that hold quota then or no longer do (job, queue), and queues with another
    share or other amounts. `now` is the node that holds the task today. `waits` are tasks that the
    changes add and that cannot start, with the reason."""

    starts: Any
    stops: Any
    moves: Any
    admits: Any
    withdraws: Any
    queues: Any
    waits: Any

    def _repr_html_(self) -> str:
        parts = [
            f"<p>{name}</p>{text}"
            for name in ("starts", "stops", "moves", "admits", "withdraws", "queues", "waits")
            if (text := columns(getattr(self, name)))
        ]
        return titled("Rehearsal", *(parts or ["<p>nothing differs</p>"]))


@dataclass(frozen=True, eq=False)
class Diagnosis(Values):
    """Why a job waits: how many of its tasks, the reason and the numbers behind it; and remedies,
    one a row (kind, words, starts, evictions, others, profile, changes). Each remedy was tried.
    `others` is how many more tasks of other jobs start; below 0: fewer. `changes` is JSON: with
    json.loads it is what muster.rehearse takes, and `profile` the one to plan by."""

    waiting: int
    reason: str
    facts: list[str]
    trials: int
    remedies: Any

    def _repr_html_(self) -> str:
        facts = "".join(f"<li>{escape(fact)}</li>" for fact in self.facts)
        head = f"<p>{self.waiting} tasks wait: {escape(self.reason)}</p><ul>{facts}</ul>"
        return titled("Diagnosis", head, columns(self.remedies))


@dataclass(frozen=True, eq=False)
class Drained(Values):
    """Where the tasks of drained nodes go (node, task, to, reason, ends), step by step; and the
    budgets and gangs that break (node, kind, name)."""

    tasks: Any
    broken: Any

    def _repr_html_(self) -> str:
        return titled("Drained", columns(self.tasks), columns(self.broken))


@dataclass(frozen=True, eq=False)
class NodesNeeded(Values):
    """How many nodes place what waits (type, count): of each type alone, with the first task that
    waits in spite of them (waits) and how many do (waiting), the cheapest mix that was found, and
    what the profile's own autoscaler would start."""

    waiting_before: int
    waiting_after: int
    alone: Any
    cheapest: Any
    price: float
    wanted: Any
    wanted_price: float
    wanted_waiting: int

    def _repr_html_(self) -> str:
        head = f"<p>{self.waiting_before} tasks wait, {self.waiting_after} with the cheapest mix, price {self.price:g}</p>"
        return titled("Nodes needed", head, columns(self.alone), columns(self.cheapest))


def rehearse(
    cluster: Cluster,
    profile: str | None,
    changes: Iterable[Mapping[str, Any]],
    *,
    now: int | None = None,
    policies: Sequence[Policy | Action] = (),
    threads: int = 1,
) -> Rehearsal:
    """What the profile would decide after changes, against what it decides now.

    >>> muster.rehearse(cluster, "volcano", [{"remove_nodes": {"labels": {"pool": "b"}}}]).moves

    Changes are those of muster.what_if, and four more, which need plans (docs/what_if.md):

    remove_task  "ns/pod": a task with a job or without
    add_task     a task as in a scenario
    job    {"name": "j", "queue": "q", "priority": 5, "min_available": 2, "tolerations": [...],
           "request": {"cpu": 2}}: new values of the job and of its pending tasks
    nodes  {"name": "n1", "unschedulable": True, "taints": [...]}, or labels in place of the name
    """
    threads = thread_count(threads, "threads")
    core = expect(cluster, Cluster, "rehearse")._core
    told = spelled(cluster, changes)
    profile = chosen(profile, cluster._defaults)
    own = adapted_for(policies, profile)
    tables = core.rehearse(profile, told, _now(cluster, now), own, threads)
    return Rehearsal(**{name: frame(table) for name, table in tables.items()})


def diagnose(
    cluster: Cluster,
    job: str,
    profile: str | None = None,
    *,
    trials: int = 200,
    now: int | None = None,
    policies: Sequence[Policy | Action] = (),
    threads: int = 1,
) -> Diagnosis:
    """Why the job waits, and what would start all its tasks (of a smaller gang: at least one).

    >>> muster.diagnose(cluster, "train", "volcano").remedies[["words", "starts"]]

    `trials` bounds how many cycles are run; what is not tried is not in the answer.
    """
    trials = integer(trials, "trials")
    threads = thread_count(threads, "threads")
    core = expect(cluster, Cluster, "diagnose")._core
    name = expect(job, str, "diagnose: job")
    profile = chosen(profile, cluster._defaults)
    own = adapted_for(policies, profile)
    told = core.diagnose(profile, name, trials, _now(cluster, now), own, threads)
    return Diagnosis(**{**told, "remedies": frame(told["remedies"])})


def drain(
    cluster: Cluster,
    nodes: Sequence[str],
    profile: str | None = None,
    *,
    now: int | None = None,
    policies: Sequence[Policy | Action] = (),
) -> Drained:
    """Where the tasks of these nodes would go, node by node, the one with the fewest tasks first.

    >>> muster.drain(cluster, ["n1", "n2"], "muster").tasks
    """
    core = expect(cluster, Cluster, "drain")._core
    if isinstance(nodes, str) or not isinstance(nodes, Iterable):
        raise InvalidArgument(f"drain: expected a list of nodes, got {nodes!r}")
    names = list(nodes)
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise InvalidArgument(f"nodes[{i}]: expected the name of a node, got {name!r}")
    profile = chosen(profile, cluster._defaults)
    tables = core.drain(profile, names, _now(cluster, now), adapted_for(policies, profile))
    return Drained(frame(tables["tasks"]), frame(tables["broken"]))


def need_nodes(
    cluster: Cluster,
    offers: Iterable[Mapping[str, Any]] = (),
    profile: str | None = None,
    *,
    most: int = 1024,
    now: int | None = None,
    policies: Sequence[Policy | Action] = (),
    threads: int = 1,
) -> NodesNeeded:
    """How many nodes of the offered types place what waits.

    >>> muster.need_nodes(cluster, [{"name": "big", "cpu": 64, "price": 4.0}], "muster").cheapest

    An offer has the keywords of Cluster.add_node, `price` (1 by default) and `most` nodes of it.
    Without offers, each kind of node of the cluster is one.
    """
    core = expect(cluster, Cluster, "need_nodes")._core
    read = []
    for i, offer in enumerate(expect(offers, Iterable, "offers")):
        if not isinstance(offer, Mapping) or "name" not in offer:
            raise InvalidArgument(f"offers[{i}]: expected a dict with a name, got {offer!r}")
        given = dict(offer)
        price = _price(given.pop("price", 1), f"offers[{i}].price")
        of_type = given.pop("most", None)
        if of_type is not None:
            of_type = integer(of_type, f"offers[{i}].most")
        read.append((cluster._row("node", given.pop("name"), given), price, of_type))
    most = integer(most, "most")
    threads = thread_count(threads, "threads")
    profile = chosen(profile, cluster._defaults)
    own = adapted_for(policies, profile)
    told = core.need_nodes(profile, read, most, _now(cluster, now), own, threads)
    return NodesNeeded(
        told["waiting_before"],
        told["waiting_after"],
        frame(told["alone"]),
        frame(told["cheapest"]),
        told["price"],
        frame(told["wanted"]),
        told["wanted_price"],
        told["wanted_waiting"],
    )


def _now(cluster: Cluster, now: int | None) -> int:
    return cluster._defaults.get("now", 0) if now is None else integer(now, "now")


def _price(price: Any, place: str) -> float:
    try:
        return float(price)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(f"{place}: expected a number, got {price!r}") from None
