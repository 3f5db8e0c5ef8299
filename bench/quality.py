# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How well a batch policy orders jobs, on recorded logs: the tables of docs/quality.md.

    export PYTHONPATH=build/release/python
    build/venv/bin/python bench/quality.py --traces ~/traces --policy easy:order=due [--shakes 30]

Each log is replayed as it was recorded, then with all submissions moved by up to a minute at
random, once for each shake. --policy and easy play the same jobs. Figures are ratios to easy: of
the mean bounded slowdown (10 s), and of the longest wait. Below 1 is better than easy. Intervals
are paired bootstraps at 95 %, of two shakes or more.
"""

import argparse
from pathlib import Path

import numpy as np

from muster import replay, traces
from muster.statistics import measure, ratio

# Processors are set where the header names none. Most jobs of THUNDER have no estimate, and the
# others know too much: there every job is estimated to run five days.
ALIKE = {"THUNDER": 432000}
LOGS = {
    "KTH-SP2": ("hpc", "KTH-SP2.csv.gz", 100),
    "CTC-SP2": ("hpc", "CTC-SP2.csv.gz", 338),
    "SDSC-SP2": ("hpc", "SDSC-SP2.csv.gz", 128),
    "SDSC-BLUE": ("swf", "SDSC-BLUE-2000-4.2-cln.swf.gz", None),
    "HPC2N": ("swf", "HPC2N-2002-2.1-cln.swf.gz", None),
    "RICC": ("swf", "RICC-2010-2.swf.gz", 8192),
    "THUNDER": ("swf", "LLNL-Thunder-2007-1.1-cln.swf.gz", None),
}


def read(name: str, folder: Path) -> traces.Trace:
    kind, file, processors = LOGS[name]
    if kind == "hpc":
        return traces.hpc(folder / "hpc_easy_golden" / file, processors)
    trace = traces.swf(folder / "hpc_swf" / file, processors, runnable=name in ALIKE)
    if name not in ALIKE:
        return trace
    columns = dict(trace._core.columns())
    columns["estimate"] = np.full(len(trace), ALIKE[name])
    return trace._with(f"{name}, alike", columns=columns)


def played(trace: traces.Trace, policy: str) -> tuple[float, float]:
    figures = measure(replay(trace, policy))
    return figures["bounded_slowdown_mean"], figures["wait_longest"]


def text(values: tuple[float, float, float]) -> str:
    return "{:.3f} [{:.3f}, {:.3f}]".format(*values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--traces", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--policy", required=True)
    parser.add_argument("--shakes", type=int, default=30, metavar="N")
    parser.add_argument("--log", action="append", choices=LOGS, help="default: all of them")
    args = parser.parse_args()
    print("| log | slowdown, as recorded | longest wait | slowdown, shaken | longest wait |")
    print("|---|---|---|---|---|")
    for name in args.log or LOGS:
        trace = read(name, args.traces)
        worlds = [trace] + [trace.shaken(seed) for seed in range(1, args.shakes + 1)]
        mine = [played(world, args.policy) for world in worlds]
        easy = [played(world, "easy") for world in worlds]
        row = [f"{mine[0][i] / easy[0][i]:.3f}" for i in (0, 1)]
        for i in (0, 1):
            shaken = [m[i] for m in mine[1:]], [e[i] for e in easy[1:]]
            if args.shakes == 1:
                row.append(f"{shaken[0][0] / shaken[1][0]:.3f}")
            else:
                row.append(text(ratio(*shaken)) if args.shakes > 1 else "")
        print(f"| {name} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
