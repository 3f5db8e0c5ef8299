# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How much of openb's GPUs a profile gives out by cycles, against FGD.

    python3 bench/quality_openb.py --muster build/release/muster --traces ~/traces \\
        --policy 'muster:...' [--seeds 10] [--list default ...]

Pods arrive one a second, as in the study, until all of the list have come. Each GPU is a device.
Figures are parts of all GPUs that are given out in the end, in per cent, as means over the seeds.
Then the least difference of a seed, and the slowest replay.
"""

import argparse
import csv
import gzip
import json
import subprocess
import tempfile
import time
from pathlib import Path


def call(muster: Path, folder: Path, name: str, seed: int, policy: str, *more: str) -> dict:
    done = subprocess.run(
        [muster, "replay", "openb", "--dir", folder, "--list", name, "--seed", str(seed),
         "--policy", policy, "--json", *more], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def requested(folder: Path, name: str) -> list[int]:
    """GPUs of each pod in milli, by row."""
    with gzip.open(folder / "pods" / f"openb_pod_list_{name}.csv.gz", "rt") as table:
        return [int(row["num_gpu"]) * int(row["gpu_milli"]) for row in csv.DictReader(table)]


def given_out(muster: Path, folder: Path, name: str, seed: int, policy: str) -> int:
    milli = requested(folder, name)
    with tempfile.TemporaryDirectory() as scratch:
        decisions = Path(scratch) / "decisions.csv"
        call(muster, folder, name, seed, policy, "--devices", "--decisions", str(decisions))
        with open(decisions, encoding="utf-8") as table:
            return sum(milli[int(row["job_id"])] for row in csv.DictReader(table) if row["wait"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--muster", type=Path, required=True)
    parser.add_argument("--traces", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--policy", required=True)
    parser.add_argument("--seeds", type=int, default=10, metavar="N")
    parser.add_argument("--list", action="append", dest="lists")
    options = parser.parse_args()
    folder = options.traces / "openb"
    lists = options.lists or sorted(path.name[len("arrivals_"):-len(".csv.gz")]
                                    for path in (folder / "orders").glob("arrivals_*.csv.gz"))
    print("| list | FGD | by cycles | least difference | slowest |\n|---|---|---|---|---|")
    for name in lists:
        of_fgd, by_cycles, slowest = [], [], 0.0
        for seed in range(42, 42 + options.seeds):
            told = call(options.muster, folder, name, seed, "fgd")
            of_fgd.append(100 * told["used_gpu_milli"] / told["gpu_milli"])
            began = time.monotonic()
            by_cycles.append(100 * given_out(options.muster, folder, name, seed, options.policy) /
                             told["gpu_milli"])
            slowest = max(slowest, time.monotonic() - began)
        mean = [sum(figures) / len(figures) for figures in (of_fgd, by_cycles)]
        least = min(mine - other for mine, other in zip(by_cycles, of_fgd))
        print(f"| {name} | {mean[0]:.2f} | {mean[1]:.2f} | {least:+.2f} | {slowest:.0f} s |",
              flush=True)


if __name__ == "__main__":
    main()
