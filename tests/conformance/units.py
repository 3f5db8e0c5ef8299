# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Recorded calls of single functions: those that are Muster's rules (unit_functions.txt), and their
runners."""

from functools import cache
from pathlib import Path
from typing import Any

import amount_units
import book_units
import device_units
import domain_units
import gang_units
import importer_units
import numa_units
import policy_units
from probe import Probe, Unanswerable

Json = dict[str, Any]

LIST = Path(__file__).resolve().parent / "unit_functions.txt"
FAMILIES = {
    "amounts": amount_units.UNITS,
    "books": book_units.UNITS,
    "devices": device_units.UNITS,
    "domains": domain_units.UNITS,
    "gangs": gang_units.UNITS,
    "importers": importer_units.UNITS,
    "numa": numa_units.UNITS,
    "policies": policy_units.UNITS,
}


@cache
def functions(path: Path = LIST) -> tuple[dict[str, str], dict[str, str]]:
    """(function -> family that runs it, function -> why it is no rule of ours)."""
    run: dict[str, str] = {}
    no_rule: dict[str, str] = {}
    reason = ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.partition("#")[0].rstrip()
        if not line:
            continue
        if not line.startswith(" "):
            word, _, rest = line.partition(" ")
            if word not in ("run", "no-rule") or not rest or (word == "run"
                                                              and rest not in FAMILIES):
                raise ValueError(f"{path}:{number}: expected 'run FAMILY' or 'no-rule REASON'")
            family, reason = (rest, "") if word == "run" else ("", rest)
            continue
        for name in line.split():
            if name in run or name in no_rule:
                raise ValueError(f"{path}:{number}: {name} is listed twice")
            if reason:
                no_rule[name] = reason
            elif name in FAMILIES[family]:
                run[name] = family
            else:
                raise ValueError(f"{path}:{number}: the family {family} has no {name}")
    return run, no_rule


def run(probe: Probe, case: Json, profile: str) -> list[str]:
    """How our answer differs from the recorded one. Unanswerable: why there is none."""
    function = case["state"]["fn"]
    listed, no_rule = functions()
    if function in no_rule:
        raise Unanswerable(no_rule[function])
    if function not in listed:
        return [f"{function} is not in {LIST.name}"]
    if listed[function] == "importers":
        return importer_units.importer_unit(case, profile)
    return FAMILIES[listed[function]][function](probe, case, profile == "kube-batch")
