# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What ./run shows: recorded traces, or made-up work, under several profiles; the table, and the
report with pictures.

    PYTHONPATH=build/release/python build/venv/bin/python tools/show_replays.py build/replays.html
"""

import pathlib
import sys

import muster

PROFILES = ["muster", "volcano", "kube-batch", "fcfs", "easy"]


def traces() -> list[muster.Trace]:
    """Each cut to what a minute on two cores allows, and crowded enough that profiles differ."""
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
    if out:
        return out
    print(
        f"No recorded traces in {muster.traces.folder()} (or MUSTER_TRACES): these are made from mixes.")
    mix = muster.traces.named_mix
    return [
        mix("openb").generate(jobs=3000, nodes=40, load=1.1, name="openb, made up, 40 nodes"),
        mix("philly").generate(jobs=3000, nodes=88, load=1.1,
                               name="Philly, made up, a quarter of its nodes"),
    ]


def main() -> int:
    report = pathlib.Path(sys.argv[1])
    known = {*muster.profiles()["name"]}
    print("Replaying:", flush=True)
    study = muster.compare(
        traces(), [name for name in PROFILES if name in known], replicates=2
    )
    print(f"\n{study}")
    study.save(report.with_suffix(".json"))
    study.report(report, "./run")
    print(f"\nReport with pictures: {report.resolve()}")
    print(
        f"The same again:       build/venv/bin/python -m muster reproduce {report.with_suffix('.json')}")
    return 0 if study.complete else 130


if __name__ == "__main__":
    sys.exit(main())
