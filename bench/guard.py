#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Compares rows of muster_bench with bench/rows.tsv, and names those that have become slower.

    bench/guard.py build/release/muster_bench             # ends with 1 if a row is slower
    bench/guard.py build/release/muster_bench --write '^living/'    # measures these rows anew

bench/rows.tsv has a line for each row that is watched: its name, the least and the most yardsticks
of several turns, and the commit that was measured. Yardsticks are times over that of a fixed kernel
that runs right before the row. Other machines have other yardsticks: the median of all rows' ratios
is taken for the machine's, and rows are compared with what it makes of the recorded figures.

A row is slower if its least is more than `--slower` times the recorded least, and above the
recorded most. It is run in more turns, up to `--turns`, before that is believed. What is printed of
it ends with the commits to look at: those between the one that was measured and the present one.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys

from compare import rows_of, run_row

FILE = pathlib.Path(__file__).resolve().parent / "rows.tsv"


def read_rows(path):
    """What is recorded: name -> (least, most, commit)."""
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, least, most, commit = line.split("\t")
            rows[name] = (float(least), float(most), commit)
    return rows


def write_rows(path, rows):
    head = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    lines = [f"{name}\t{least:.4g}\t{most:.4g}\t{commit}"
             for name, (least, most, commit) in sorted(rows.items())]
    path.write_text("\n".join(head + lines) + "\n", encoding="utf-8")


def measure(binary, row, turns, limit):
    """Yardsticks of each turn; None if the row does not run."""
    found = [run_row(binary, row, least=0.1, limit=limit) for _ in range(turns)]
    return None if None in found else [told["yardsticks"] for told in found]


def commit_now():
    done = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True,
                          cwd=FILE.parent)
    return done.stdout.strip() or "unknown"


def record(args, rows):
    """Measures the rows that match anew."""
    for row in rows_of(args.binary, args.write):
        found = measure(args.binary, row, args.turns, args.limit)
        if found is None:
            print(f"{row}: does not run")
            continue
        rows[row] = (min(found), max(found), commit_now())
        print(f"{row}: {min(found):.4g} to {max(found):.4g} yardsticks", flush=True)
    write_rows(args.rows, rows)
    return 0


def compare(args, rows):
    """Prints the rows that are slower than recorded. Returns 1 if there are any."""
    least = {}
    for row in rows:
        found = measure(args.binary, row, 2, args.limit)
        if found is None:
            print(f"{row}: is recorded and does not run", flush=True)
            return 1
        least[row] = min(found)
    machine = statistics.median(least[row] / rows[row][0] for row in rows)
    print(f"{len(rows)} rows; yardsticks of this machine: {machine:.2f} of the recorded ones")

    def slower(row):
        recorded, most, _ = rows[row]
        return least[row] > machine * max(args.slower * recorded, most)

    for _ in range(2, args.turns):
        for row in filter(slower, rows):
            least[row] = min(measure(args.binary, row, 1, args.limit) or [least[row]])
    bad = [row for row in rows if slower(row)]
    for row in bad:
        print(f"{row}: {least[row] / rows[row][0] / machine:.2f} times what it was; "
              f"see git log {rows[row][2]}..{commit_now()}")
    return 1 if bad else 0


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--rows", type=pathlib.Path, default=FILE, help="the file of records")
    parser.add_argument("--slower", type=float, default=1.2, help="the ratio that is too much")
    parser.add_argument("--turns", type=int, default=6, help="turns at most; 2 at least")
    parser.add_argument("--limit", type=float, default=120, help="seconds after which a row ends")
    parser.add_argument("--write", metavar="REGEX", help="measure these rows anew, and record them")
    args = parser.parse_args(argv)
    rows = read_rows(args.rows)
    if args.turns < 2:
        parser.error(f"--turns is {args.turns}; must be 2 or more")
    if not pathlib.Path(args.binary).is_file():
        parser.error(f"{args.binary}: no such file")
    if args.write is None:
        if not rows:
            parser.error(f"{args.rows}: has no row; --write REGEX records some")
        return compare(args, rows)
    try:
        re.compile(args.write)
    except re.error as wrong:
        parser.error(f"--write: {args.write!r} is no regular expression: {wrong}")
    return record(args, rows)


if __name__ == "__main__":
    sys.exit(main())
