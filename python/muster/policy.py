# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Policies of your own, in NumPy.

    class Spread(muster.Policy):
        name = "spread"

        def score(self, task_class, nodes):            # one call for each task class and cycle
            return 100 * nodes.idle["cpu"] / nodes.allocatable["cpu"]

    plan = cluster.schedule("volcano", policies=[Spread()])

A policy is asked at the points for which it has methods, and combined with the others of the
profile by the rule of the point (docs/policies.md). One that the profile's spec does not name goes
into its last tier; to put it elsewhere, name it:
"volcano:tiers=spread/priority+gang/predicates+proportion".

It is never asked about one task and one node. Answers must depend on nothing but what is shown: the
engine asks as often as it needs to, and a plan is reproducible only if the answers are.
"""

import difflib
import inspect
from typing import Any

import numpy as np

from .errors import InvalidArgument, PolicyError, shown
from .fields import suggestion
from .views import Domains, Jobs, Nodes, Queues, SubGroups, TaskClass, Tasks

__all__ = ["Domains", "Jobs", "Nodes", "Policy", "Queues", "SubGroups", "TaskClass", "Tasks"]

# Point -> what the answers are, and what a method is passed. Answers: f is finite numbers, b is
# bools, v is votes (-1, 0, 1) or bools, r is ranks (-1, 0, 1, ...). The last argument has the rows.
POINTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "job_order": ("f", ("jobs",)),
    "queue_order": ("f", ("queues",)),
    "task_order": ("f", ("tasks",)),
    "fit": ("b", ("task_class", "nodes")),
    "score": ("f", ("task_class", "nodes")),
    "overused": ("b", ("queues",)),
    "allocatable": ("b", ("task_class", "queues")),
    "preemptive": ("b", ("request", "queues")),
    "valid": ("b", ("jobs",)),
    "ready": ("b", ("jobs",)),
    "pipelined": ("v", ("jobs",)),
    "admit": ("v", ("jobs",)),
    "starving": ("b", ("jobs",)),
    "preemptable": ("b", ("evictor", "tasks")),
    "reclaimable": ("b", ("evictor", "tasks")),
    "evictable": ("b", ("evicting_job", "from_other_queues", "tasks")),
    "victims": ("b", ("tasks",)),
    "victim_queue_order": ("f", ("evicting_queue", "queues")),
    "sub_group_order": ("f", ("groups",)),
    "sub_group_ready": ("b", ("groups",)),
    "sub_group_pipelined": ("v", ("groups",)),
    "domain_score": ("f", ("group", "domains")),
    "domain_search": ("r", ("group", "within", "allocated", "evicting", "domains")),
}
# Points at which a method may return None: it has no opinion about these rows.
_MAY_PASS = ("preemptable", "reclaimable", "evictable", "victims", "domain_search")


class Policy:
    """Derive from this, and write the methods of the points that the policy answers.

    Each returns an array with one entry for each of the n rows of its last argument. What the
    arguments have is in help(muster.policy.Nodes), Jobs, Queues, Tasks, SubGroups, Domains and
    TaskClass, which also are their types for mypy. The attributes below say how often methods are
    called, and how reasons name the policy.

    Nodes, one call for each task class:
      score(self, task_class, nodes) -> n floats      added to the scores of the other policies;
                                                      higher is better
      fit(self, task_class, nodes) -> n bools         False: not there. Once a class and cycle

    Orders; smaller first, equal keys leave the order to the next policy:
      job_order(self, jobs) -> n keys
      queue_order(self, queues) -> n keys
      task_order(self, tasks) -> n keys               within a job
      sub_group_order(self, groups) -> n keys         within a job
      victim_queue_order(self, evictor, queues) -> n keys  the queue `evictor` (a Queues of one row)
                                                      takes tasks from the first one first

    Gates:
      valid(self, jobs) -> n bools                    False: the job takes no part in the cycle
      admit(self, jobs) -> n votes                    -1 or False: the job may not ask for nodes yet
      ready(self, jobs) -> n bools                    False: its placements are not decided
      pipelined(self, jobs) -> n votes                the same, once leaving tasks have gone
      starving(self, jobs) -> n bools                 False: no task is evicted for the job
      overused(self, queues) -> n bools               True: the queue gets no turn
      allocatable(self, task_class, queues) -> n bools  False: the queue may not take a task of the
                                                      class
      preemptive(self, request, queues) -> n bools    False: the queue may not take the request (by
                                                      dimension) by evicting tasks of other queues
      sub_group_ready(self, groups) -> n bools        ready and pipelined, for sub-groups
      sub_group_pipelined(self, groups) -> n votes
    A vote is 1 (yes), 0 (no opinion) or -1 (no); True and False stand for 0 and -1.

    Victims, one call for each list of candidates. True: the task may go. None: no opinion
      preemptable(self, evictor, tasks) -> n bools    for `evictor` (a Tasks of one row), of its
                                                      queue
      reclaimable(self, evictor, tasks) -> n bools    the same, of other queues
      evictable(self, evictor, from_other_queues, tasks) -> n bools  for a whole job (a Jobs of one
                                                      row), from gangs that can spare them
      victims(self, tasks) -> n bools                 although no task waits for the place

    Domains of the topology tree, for `group` (a SubGroups of one row; -1: the job as a whole):
      domain_score(self, group, domains) -> n floats  higher is better
      domain_search(self, group, within, allocated, evicting, domains) -> n ranks  of the domains
                                                      inside `within`: 0 is tried first, then 1, and
                                                      so on; -1: not tried. `within` and `allocated`
                                                      (where tasks are already, or None) are indices
    """

    #: In spec strings and explanations; by default the class's name in lower case, with hyphens.
    name: str = ""
    #: "frozen": a score is given once for each class and cycle, for the books the cycle found.
    #: "node": again for nodes with changed books.
    score_kind: str = "frozen"
    #: "frozen": job_order, queue_order, sub_group_order and admit are given once, when the cycle
    #: opens. "live": orders again once books changed, admit again after each admission.
    order_kind: str = "frozen"
    #: Reasons give this for nodes that `fit` refuses, after the name.
    refusal: str = ""
    #: Grows with every change of what the policy answers. Studies keep finished replays of a policy
    #: with a revision of 1 or more; those of one without are made again each time.
    revision: int = 0

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "name" not in cls.__dict__ and not cls.name:
            cls.name = name_of(cls)

    def __repr__(self) -> str:
        points = ", ".join(p for p in POINTS if hasattr(type(self), p))
        return f"<muster.Policy {self.name}: {points}>"


def name_of(cls: type) -> str:
    """The name of a class in lower case, with hyphens."""
    letters = (f"-{c.lower()}" if c.isupper() else c for c in cls.__name__)
    return "".join(letters).lstrip("-_").replace("_", "-")


def check_revision(one: Any, kind: str) -> None:
    """Refuses a revision that is no integer of 0 or more."""
    value = one.revision
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidArgument(
            f'{kind} "{one.name}": revision is {shown(value)}; must be an integer of 0 or more')


class PolicyAdapter:
    """Asks one policy on behalf of the engine, and checks what it answers."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.name, self.refusal = policy, policy.name, policy.refusal
        check_revision(policy, "policy")
        self.score_again = self._word("score_kind", "frozen", "node")
        self.live = self._word("order_kind", "frozen", "live")
        self._cycle: Any = None
        self._dimensions: list[str] = []
        self._opening: Nodes | None = None
        self._methods = {p: getattr(policy, p) for p in POINTS if hasattr(policy, p)}
        if not self._methods:
            own = [word for word in dir(policy) if not hasattr(Policy, word)]
            near = next(filter(None, (suggestion(word, POINTS) for word in own)), "")
            raise InvalidArgument(
                f'policy "{self.name}": it has no method of any extension point{near}'
            )
        for point, method in self._methods.items():
            self._check_signature(point, method)
        self._check_names()

    def _check_names(self) -> None:
        """Refuses a method with nearly the name of a point that the policy does not answer."""
        for word in dir(self.policy):
            if word.startswith("_") or hasattr(Policy, word) or word in POINTS:
                continue
            near = difflib.get_close_matches(word, POINTS, 1, cutoff=0.85)
            if near and near[0] not in self._methods and callable(getattr(self.policy, word)):
                raise InvalidArgument(
                    f'policy "{self.name}": {word} is no extension point, did you mean '
                    f'"{near[0]}"? The name of a method of its own may begin with _'
                )

    def _word(self, attribute: str, first: str, second: str) -> bool:
        value = getattr(self.policy, attribute)
        if value not in (first, second):
            raise InvalidArgument(
                f'policy "{self.name}": {attribute} is {shown(value)}; '
                f"must be {first!r} or {second!r}"
            )
        return value == second

    def _check_signature(self, point: str, method: Any) -> None:
        arguments = POINTS[point][1]
        try:
            inspect.signature(method).bind(*arguments)
        except TypeError:
            called = ", ".join(arguments).replace("evicting_job", "evictor")
            called = called.replace("evicting_queue", "evictor")
            raise InvalidArgument(
                f'policy "{self.name}": {point}{inspect.signature(method)}; '
                f"must take ({called})"
            ) from None
        except ValueError:
            pass  # a callable that has no signature to look at

    def answers(self, point: str) -> bool:
        return point in self._methods

    def open(self, cycle: Any) -> None:
        self._cycle, self._dimensions, self._opening = cycle, cycle.dimensions(), None

    def ask(self, question: Any) -> np.ndarray | None:
        """The answers to a question of the engine; None for no opinion."""
        point = question.point
        kind, arguments = POINTS[point]
        given = [getattr(self, f"_{argument}")(question) for argument in arguments]
        answer = self._methods[point](*given)
        if answer is None and point in _MAY_PASS:
            return None
        return self._checked(point, answer, kind, question, given[-1])

    # --- what a question shows

    def _jobs(self, question: Any) -> Jobs:
        return Jobs(self._cycle, question.rows, self._dimensions)

    def _queues(self, question: Any) -> Queues:
        return Queues(self._cycle, question.rows, self._dimensions)

    def _tasks(self, question: Any) -> Tasks:
        return Tasks(self._cycle, question.rows, self._dimensions)

    def _groups(self, question: Any) -> SubGroups:
        return SubGroups(self._cycle, question.rows, question.groups, self._dimensions)

    def _domains(self, question: Any) -> Domains:
        return Domains(self._cycle, question.rows, self._dimensions)

    def _nodes(self, question: Any) -> Nodes:
        """The nodes with changed books, or all of them as the cycle found them."""
        if question.nodes is not None:
            return Nodes(question.nodes, self._dimensions)
        if self._opening is None:
            self._opening = Nodes(self._cycle.nodes(), self._dimensions)
        return self._opening

    def _task_class(self, question: Any) -> TaskClass:
        return TaskClass(question.task_class)

    def _request(self, question: Any) -> dict[str, int]:
        return dict(zip(self._dimensions, question.request.tolist()))

    def _one(self, question: Any) -> np.ndarray:
        return np.array([question.evictor])

    def _evictor(self, question: Any) -> Tasks:
        return Tasks(self._cycle, self._one(question), self._dimensions)

    def _evicting_job(self, question: Any) -> Jobs:
        return Jobs(self._cycle, self._one(question), self._dimensions)

    def _evicting_queue(self, question: Any) -> Queues:
        return Queues(self._cycle, self._one(question), self._dimensions)

    def _group(self, question: Any) -> SubGroups:
        job, index = question.group
        return SubGroups(self._cycle, np.array([job]), np.array([index]), self._dimensions)

    def _from_other_queues(self, question: Any) -> bool:
        return question.from_other_queues

    def _within(self, question: Any) -> int:
        return question.within

    def _allocated(self, question: Any) -> int | None:
        return question.allocated

    def _evicting(self, question: Any) -> bool:
        return question.evicting

    # --- what comes back

    def _checked(self, point: str, answer: Any, kind: str, question: Any, rows: Any) -> np.ndarray:
        """As an array of doubles. `kind` is that of POINTS."""
        place = f'policy "{self.name}": {point}'
        size = len(rows)
        try:
            values = np.asarray(answer)
        except ValueError as error:
            raise PolicyError(f"{place}: expected an array of {size} rows: {error}") from None
        if values.shape != (size,):
            raise PolicyError(f"{place}: expected an array of shape ({size},), got {values.shape}")
        if np.ma.is_masked(answer):
            i = int(np.argmax(np.ma.getmaskarray(answer)))
            raise PolicyError(f"{place}: masked in row {i}: {_label(point, question, rows, i)}")
        if kind == "b" and values.dtype != np.bool_:
            raise PolicyError(f"{place}: expected an array of bool, got {values.dtype}")
        if kind == "v" and values.dtype == np.bool_:
            return np.where(values, 0.0, -1.0)
        if values.dtype.kind not in "fiub":
            raise PolicyError(f"{place}: expected an array of numbers, got {values.dtype}")
        numbers = np.ascontiguousarray(values, dtype=np.float64)
        good, must = np.isfinite(numbers), ""
        if kind == "v":
            good, must = np.isin(numbers, (-1, 0, 1)), "; must be -1, 0 or 1"
        elif kind == "r":
            good &= (numbers >= -1) & (numbers == np.floor(numbers))
            must = "; must be -1 or a rank of 0 or more"
        if not good.all():
            i = int(np.argmin(good))
            row = _label(point, question, rows, i)
            raise PolicyError(f"{place}: {numbers[i]} in row {i}: {row}{must}")
        return numbers


def _label(point: str, question: Any, rows: Any, i: int) -> str:
    """What an answer is about, for an error."""
    row = str(rows.label_of(i))
    if point in ("fit", "score"):
        row += f', task class of "{question.task_class.example}"'
    return row
