# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How much one input may make: docs/limits.md.

    >>> from muster.limits import Limits
    >>> strict = Limits(rows=1000, bytes=1 << 20, depth=32)
"""

from dataclasses import asdict, dataclass

DEEPEST = 256


@dataclass(frozen=True)
class Limits:
    """The budget of one text, or of all files of one trace. Sums are checked before memory is taken."""

    rows: int = 4_000_000  # of all tables together; a row with a count counts that many times
    bytes: int = 4 << 30  # of the text; of a gzip file, once it is inflated
    depth: int = DEEPEST  # of arrays and objects inside each other; 256 is the most

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


DEFAULT = Limits()
