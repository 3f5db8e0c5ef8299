# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What an import says besides the scenario: refusals, and the list of things it could not express."""

from dataclasses import dataclass
from typing import Iterator


class ImportFailure(ValueError):
    """An object that cannot be understood. The message names kind, namespace/name, field and the rule."""


@dataclass(frozen=True, order=True)
class Entry:
    place: str  # 'Pod ns/name', or 'scheduler configuration'
    field: str  # path inside the object; may be empty
    text: str  # what is lost, or what was done instead

    def __str__(self) -> str:
        return f"{self.place}: {self.field + ': ' if self.field else ''}{self.text}"


class Report:
    """Entries in the order they were found; a repetition of the same entry is kept once."""

    def __init__(self) -> None:
        self._entries: dict[Entry, None] = {}

    def add(self, place: str, field: str, text: str) -> None:
        self._entries[Entry(place, field, text)] = None

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __str__(self) -> str:
        return "\n".join(map(str, self))
