#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Runs two binaries of muster_bench in turns, and prints the rows of the second that are slower.

    bench/compare.py old/muster_bench build/release/muster_bench --filter '^allocate/'

Each row runs in a process of its own, first one binary, then the other, so that a busy hour slows
both. Of each the least time counts. A row that comes out slower than `--slower` is run in more
turns, up to `--turns`, before it is believed. Rows that only one of the binaries has are left out.
Ends with 1 if a row is slower.
"""

import argparse
import json
import re
import subprocess
import sys

def exactly(row):
    """The regular expression of muster_bench, which knows no escaped hyphen, for this row alone."""
    return re.escape(row).replace("\\-", "-")


SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def rows_of(binary, pattern):
    told = subprocess.run([binary, "--benchmark_list_tests"], capture_output=True, text=True,
                          check=True).stdout
    return [row for row in told.splitlines() if re.search(pattern, row)]


def run_row(binary, row, least, limit):
    """What the program prints of the row, as a dict; None if the row does not run."""
    # The rows of some programs repeat their options in their names.
    command = [binary, f"--benchmark_filter=^{exactly(row)}$", f"--benchmark_min_time={least}",
               "--benchmark_format=json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        told = json.loads(done.stdout)["benchmarks"][0]
    except (subprocess.TimeoutExpired, ValueError, KeyError, IndexError):
        return None
    return None if told.get("error_occurred") else told


def time_of(binary, row, least, limit):
    """Seconds of CPU time for an iteration; None if the row does not run."""
    told = run_row(binary, row, least, limit)
    if told is None:
        return None
    time = told["real_time"] if "manual_time" in row else told["cpu_time"]
    return time * SECONDS[told["time_unit"]]


def compare(old, new, row, args):
    """The least times of both; None if one does not run."""
    times = ([], [])
    for turn in range(args.turns):
        for binary, of in ((old, times[0]), (new, times[1])):
            time = time_of(binary, row, args.least, args.limit)
            if time is None:
                return None
            of.append(time)
        if turn >= 1 and min(times[1]) <= args.slower * min(times[0]):
            break
    return min(times[0]), min(times[1])


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--filter", default=".", help="rows that match this regular expression")
    parser.add_argument("--slower", type=float, default=1.05, help="the ratio that is too much")
    parser.add_argument("--turns", type=int, default=4, help="turns at most; 2 at least")
    parser.add_argument("--least", type=float, default=0.1, help="seconds that a row runs at least")
    parser.add_argument("--limit", type=float, default=300, help="seconds after which a row ends")
    args = parser.parse_args(argv)
    known = set(rows_of(args.old, args.filter))
    slower = 0
    for row in rows_of(args.new, args.filter):
        if row not in known:
            continue
        times = compare(args.old, args.new, row, args)
        if times is None:
            print(f"{row}: does not run in both", flush=True)
            continue
        ratio = times[1] / times[0]
        slower += ratio > args.slower
        mark = "  slower" if ratio > args.slower else ""
        print(f"{row}: {times[0]:.4g} s, {times[1]:.4g} s, {ratio:.3f}{mark}", flush=True)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
