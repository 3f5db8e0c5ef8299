# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What calls of a cluster report: outcomes of a plan, what a cycle cost, what is assumed."""

from html import escape
from typing import Any, NamedTuple

from .frames import alike
from .notebook import columns, table, titled
from .plan import Plan


class ApplyReport(NamedTuple):
    """What Cluster.apply did with a plan that may have been computed from an older version."""

    applied: int
    refused: list[str]  # 'bind "t1" to "n1": node is gone'

    def _repr_html_(self) -> str:
        rows = [(escape(text),) for text in self.refused[:20]]
        more = f"<p>and {len(self.refused) - 20} more</p>" if len(self.refused) > 20 else ""
        counted = f": {self.applied} decisions, {len(self.refused)} refused"
        return f"<div><b>Applied</b>{counted}{table(('refused',), rows)}{more}</div>"


class Assumption(NamedTuple):
    """What a cluster assumes of a task since a plan was applied, and nothing has confirmed yet."""

    task: str
    status: str  # binding, releasing, waiting
    node: str
    since: int  # `now` of the plan


class Measured(NamedTuple):
    """A plan, and what its cycle cost. Tables are those of Muster: DataFrames with pandas."""

    plan: Plan
    actions: Any  # action, seconds, work, decisions
    policies: Any  # policy, seconds, questions, nodes: which nodes fit and which are best
    choices: Any  # task, node, next, policy, score, next_score: why the node and not the next best
    totals: dict[str, Any]  # seconds: open, close; searches: remembered, by_table, by_scan

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measured) and alike(tuple(self), tuple(other))

    def __ne__(self, other: object) -> bool:  # a tuple has its own
        return not self == other

    def _repr_html_(self) -> str:
        totals = ", ".join(f"{name} {value:.5g}" for name, value in self.totals.items())
        return titled("Measured", f": {escape(totals)}", columns(self.actions),
                      columns(self.policies))


class Drift(NamedTuple):
    """One difference that Cluster.reconcile found and mended."""

    kind: str  # missing, extra, different
    object: str  # 'node "n1"'
