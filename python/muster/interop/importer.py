# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The way from decoded objects to the library's importers and back."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InvalidArgument, ResourceExhausted, expect
from ..limits import DEFAULT, Limits
from .reader import CONFIGURATION, read_configuration
from .report import Entry, ImportFailure, Report

Json = dict[str, Any]


def scenario(
    objects: Iterable[Mapping[str, Any]],
    *,
    profile: str = "",
    configuration: str | Mapping[str, Any] | None = None,
    unset_flags_on: bool = True,
    default_queue: str = "default",
    now: int = 0,
    binding: Iterable[str] = (),
    limits: Limits = DEFAULT,
    strict: bool = False,
) -> tuple[Json, Report]:
    """A scenario and the list of what it does not hold.

    `profile` is the scheduler that the objects are of; without it the objects' API groups decide,
    and where there are none, the scheduler that most pods name. `configuration` is the text of the
    scheduler's configuration file, or the same decoded; without it the profile's own configuration
    applies. `unset_flags_on` is what a switch that the configuration does not set counts as.
    `binding` names pods (namespace/name) that the scheduler has bound but the cluster has not
    reported yet. `limits` bound the JSON of the objects and of the configuration together. `strict`
    refuses a dump of which something is left out.
    """
    from .. import _core

    bounds = expect(limits, Limits, "limits").as_dict()
    if isinstance(objects, str | bytes | Mapping) or not isinstance(objects, Iterable):
        raise InvalidArgument(f"dump: expected a list of objects, got {type(objects).__name__}")
    try:
        made, listed = _core.import_objects(
            _json(list(objects), "dump"),
            profile=profile,
            configuration=_configuration(configuration),
            unset_switches_on=unset_flags_on,
            default_queue=default_queue,
            now=now,
            binding=list(binding),
            limits=bounds,
            strict=strict,
        )
    except (InvalidArgument, ResourceExhausted) as refusal:
        raise ImportFailure(str(refusal)) from None
    entries = json.loads(listed)["entries"]
    return json.loads(made), Report(
        Entry(e["object"], e["field"], e["text"], e["severity"]) for e in entries
    )


def _configuration(given: str | Mapping[str, Any] | None) -> str:
    """As JSON; empty: there is none."""
    if given is None:
        return ""
    decoded = read_configuration(given, CONFIGURATION) if isinstance(given, str) else given
    if decoded is None:
        decoded = {}
    if not isinstance(decoded, Mapping):
        raise ImportFailure(f"{CONFIGURATION}: expected `actions` and `tiers`")
    return _json(decoded, CONFIGURATION)


def _json(value: Any, place: str) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ImportFailure(f"{place}: holds what JSON cannot: {error}") from None
