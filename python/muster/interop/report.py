# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The report of an import: refusals, and the list of what the scenario cannot hold."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..errors import InvalidArgument


class ImportFailure(InvalidArgument):
    """An object breaks a rule. The message names kind, namespace/name, field and the rule."""


@dataclass(frozen=True)
class Entry:
    place: str  # 'Pod ns/name', or 'scheduler configuration'
    field: str  # path inside the object; may be empty
    text: str  # what is lost, or what was done instead
    severity: str = "ignored"  # or "note", "left_out"; docs/import.md

    def __str__(self) -> str:
        return f"{self.place}: {self.field + ': ' if self.field else ''}{self.text}"


class Report:
    """Entries in the order in which they were found."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._entries = list(entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __str__(self) -> str:
        return "\n".join(map(str, self))
