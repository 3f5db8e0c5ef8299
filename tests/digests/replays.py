#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""One line a trace and profile, with a digest of what replays decide: `SHA256 TRACE:
PROFILE`.

    PYTHONPATH=build/release/python build/venv/bin/python tests/digests/replays.py >new.txt
    # compares: there is no program for that
    diff old.txt new.txt

The digest is of lines in words: what became of each job and when, and on which node each task ran
from when to when. Traces are in MUSTER_TRACES, or ../shared/traces; without them it prints SKIP and
ends with 77.
"""

import hashlib
import os
import pathlib
import sys

import muster

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROFILES = ["muster", "volcano", "kube-batch", "fcfs", "easy"]


def traces() -> list[muster.Trace]:
    """Each cut to what a minute allows, and crowded enough that profiles differ."""
    there = muster.traces.available()
    out = []
    if "openb" in there:
        openb = muster.traces.openb(recorded=True)
        late = openb.select(range(1000, len(openb)))
        out.append(late.on(nodes=openb.nodes[::32], name="openb, as recorded, on every 32nd node"))
    if "philly" in there:
        philly = muster.traces.philly()
        busy = philly.select(range(40000, 50000))
        queues = [{"name": queue} for queue in philly.queues]
        out.append(busy.on(nodes=philly.nodes[::4], queues=queues,
                           name="Philly, 10,000 jobs on a quarter of its nodes"))
    return out


def digest(trace: muster.Trace, profile: str) -> str:
    result = muster.replay(trace, profile, record_placements=True, series_interval=-1)
    text = hashlib.sha256()
    for table, columns in (
        (result.jobs, ("id", "submit", "start", "end", "outcome")),
        (result.placements, ("job", "task", "node", "from", "to")),
    ):
        for row in zip(*(table[name] for name in columns)):
            text.update(("\t".join(map(str, row)) + "\n").encode())
    return text.hexdigest()


def main() -> int:
    os.environ.setdefault("MUSTER_TRACES", str(ROOT.parent / "shared/traces"))
    if not muster.traces.available():
        print(f"SKIP: no traces at {muster.traces.folder()}; set MUSTER_TRACES to a folder of them")
        return 77
    for trace in traces():
        for profile in PROFILES:
            print(f"{digest(trace, profile)} {trace.name}: {profile}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
