# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Actions of your own: algorithms that place and evict, run beside those of a profile.

    class SmallestFirst(muster.Action):
        def run(self, bench):
            jobs = bench.jobs(bench.waiting())
            for job in jobs.index[np.argsort(jobs.pending, kind="stable")]:
                if bench.should_stop():
                    return
                before = bench.save()
                for task in bench.pending_tasks(job):
                    if not bench.allocatable(task) or bench.place(task) is None:
                        break
                if bench.ready(job):
                    bench.commit(before)           # the moves become decisions of the plan
                else:
                    bench.rollback(before)         # the books are as they were

    plan = cluster.schedule("muster:actions=smallest-first+reclaim", policies=[SmallestFirst()])

An action works on books that it changes by moves. Moves since a savepoint are committed and become
decisions, or are rolled back, or stay applied without becoming decisions. The session restores the
books when the cycle ends. The same action on equal inputs must make equal moves: no clock, no
chance. An exception ends the cycle, nothing is decided, and it is raised with its own traceback.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _core
from .errors import InvalidArgument, expect, shown
from .policy import Policy, PolicyAdapter, check_revision, name_of
from .views import Domains, Jobs, Nodes, Queues, Tasks

__all__ = ["Action", "Workbench", "adapt"]


class Action:
    """Derive from this, and write run(self, bench). A spec string must name the action."""

    #: In spec strings; by default the name of the class in lower case, with hyphens.
    name: str = ""
    #: One line, for lists.
    summary: str = ""
    #: True: jobs may ask for nodes only after this action has admitted them.
    admits: bool = False
    #: True: the action evicts tasks for others.
    evicts: bool = False
    #: As of a policy: studies keep finished replays of actions with 1 or more.
    revision: int = 0

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "name" not in cls.__dict__ and not cls.name:
            cls.name = name_of(cls)

    def run(self, bench: "Workbench") -> None:
        raise NotImplementedError(f'action "{self.name}": it has no method run')

    def __repr__(self) -> str:
        return f"<muster.Action {self.name}>"


class Workbench:
    """The books of one cycle, with the questions and moves of the profile's own actions.

    Rows are indices. It is valid until the action returns.

    What it shows, as the moves have left it; without rows, all that are there:
      jobs(rows), queues(rows), tasks(rows), domains(rows), nodes()
      waiting() -> jobs that have pending tasks or were not admitted when the cycle began
      pending_tasks(job) -> its pending tasks without gates, in the profile's order
      tasks_on(node) -> tasks that hold the node or are promised it

    What the profile answers:
      queue_before(a, b), job_before(a, b), task_before(a, b)     True if `a` goes first
      may_take_turn(queue), allocatable(task)                     may it take free resources
      valid(job), ready(job), pipelined(job), starving(job)
      preemptable(evictor, tasks), reclaimable(evictor, tasks) -> those that may be evicted
      fits(task, node)                                            in what is idle there

    Moves:
      save() -> a savepoint; it is over once a commit, or a rollback to an earlier one, has followed
      commit(savepoint), rollback(savepoint)
      admit(job)
      place(task), nominate(task) -> the best node, or None if there is none
      reserve(task, until=None, waiting_group="") -> as place; the task is not bound
      place_on(task, node) -> whether it fits there
      evict(victim, beneficiary=None), move_to(task, node, beneficiary=None), return_(task) -> False
        for a task in another status
      explain_no_node(task)

    should_stop() is to be called before each turn: once it returns True, the action must return.
    """

    def __init__(self, core: Any) -> None:
        self._core, self._cycle = core, core.cycle
        self._dimensions: list[str] = core.cycle.dimensions()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._core, name)

    @property
    def now(self) -> int:
        return self._cycle.now

    def jobs(self, rows: Any = None) -> Jobs:
        return Jobs(self._cycle, _rows(rows, self._cycle.jobs), self._dimensions)

    def queues(self, rows: Any = None) -> Queues:
        return Queues(self._cycle, _rows(rows, self._cycle.queues), self._dimensions)

    def tasks(self, rows: Any = None) -> Tasks:
        return Tasks(self._cycle, _rows(rows, self._cycle.tasks), self._dimensions)

    def domains(self, rows: Any = None) -> Domains:
        return Domains(self._cycle, _rows(rows, self._cycle.domains), self._dimensions)

    def nodes(self) -> Nodes:
        return Nodes(self._core.nodes(), self._dimensions)

    def __repr__(self) -> str:
        return "<muster.Workbench>"


def _rows(rows: Any, every: Any) -> np.ndarray:
    if rows is None:
        return every()
    chosen = np.atleast_1d(np.asarray(rows))
    if chosen.size and chosen.dtype.kind not in "iu":
        raise InvalidArgument(f"workbench: rows: expected integers, got an array of {chosen.dtype}")
    return chosen.astype(np.int64)


class ActionAdapter:
    """Runs one action on behalf of the engine."""

    def __init__(self, action: Action) -> None:
        check_revision(action, "action")
        self.action, self.name = action, action.name
        self.summary, self.admits, self.evicts = action.summary, action.admits, action.evicts

    def run(self, core: Any) -> None:
        self.action.run(Workbench(core))


def words_of(spec: str) -> set[str]:
    """The actions and policies that a spec string names. Options name none."""
    words = set(re.split(r"[^A-Za-z0-9_.-]+", re.sub(r"\([^)]*\)", " ", spec.partition(":")[2])))
    return words | {word.lstrip("-") for word in words}


def check_named(given: Sequence[Policy | Action], profile: str) -> None:
    """Refuses an action that the profile does not name: it would not run."""
    for one in given:
        if isinstance(one, Action) and one.name not in words_of(profile):
            raise InvalidArgument(
                f'policies: "{profile}" does not name the action "{one.name}"; name it where it '
                f"belongs, as in volcano:actions={one.name} or volcano:+{one.name}"
            )


def listed(given: Any) -> list[Any]:
    """The policies and actions; InvalidArgument: they are no list."""
    if isinstance(given, Policy | Action):
        raise InvalidArgument("policies: expected a list of policies; write policies=[...]")
    return list(expect(given, Iterable, "policies"))


def adapted_for(given: Any, profile: str) -> Any:
    """As adapt; refuses an action that the profile does not name."""
    own = listed(given)
    adapted = adapt(own)
    check_named(own, profile)
    return adapted


def adapt(given: Sequence[Policy | Action]) -> Any:
    """The form in which the engine takes policies and actions; None for none."""
    policies, actions = [], []
    for one in listed(given):
        if isinstance(one, Policy):
            policies.append(PolicyAdapter(one))
        elif isinstance(one, Action):
            actions.append(ActionAdapter(one))
        else:
            raise InvalidArgument(
                f"policies: expected a muster.Policy or muster.Action, got {shown(one)}"
            )
    return _core.Extensions(policies, actions) if policies or actions else None
