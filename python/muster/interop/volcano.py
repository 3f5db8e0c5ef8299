# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Volcano's objects as a scenario: `interop.scenario` with its profile."""

from collections.abc import Iterable, Mapping
from typing import Any

from . import importer
from .report import Report


def scenario(objects: Iterable[Mapping[str, Any]], **options: Any) -> tuple[dict[str, Any], Report]:
    """As `interop.scenario`, which has the options."""
    return importer.scenario(objects, **({"profile": "volcano"} | options))
