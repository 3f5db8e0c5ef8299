# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How schedulers of training jobs do: tables of docs/quality.md.

    export PYTHONPATH=build/release/python
    build/venv/bin/python bench/quality_training.py --world mix0.9 --replicates 5 \
        --policy tiresias --policy themis --policy easy

Worlds: `mix0.7` and the like, 1,500 jobs of mix philly on 24 nodes of 8 GPUs at that load, a seed
for each replicate; `types5` and the like, 1,500 jobs of one GPU that come at so many an hour to 36
GPUs of each of three types, with the speeds that Gavel measured for its 26 models and run times
drawn as in its paper (`muster traces fetch gavel`); `philly`, the first 10,000 jobs on a
quarter of the nodes. `sixty8` and `sixty16` are the 60 jobs that come with the simulator of
Tiresias, on one node of so many GPUs (`muster traces fetch tiresias`). Run times are the
estimates, so a policy that reads estimates knows the future.

All policies run in cycles after each instant and every --period seconds, and a stopped job keeps
its work. It leaves after --eviction seconds, and goes on --restart seconds after it starts again.
With --job-ends FILE the ends of the last replay are written, by job.
"""

import argparse
import csv
import json
import time
from pathlib import Path

import numpy as np

from muster import Trace, replay, traces
from muster.statistics import measure

GPU = "nvidia.com/gpu"
TYPES = ("k80", "p100", "v100")
COLUMNS = (("turnaround_mean", "mean turnaround", "{:.0f}"),
           ("bounded_slowdown_mean", "slowdown", "{:.2f}"), ("wait_mean", "mean wait", "{:.0f}"),
           ("ratio_p99", "finish-time ratio, 99 %", "{:.1f}"),
           ("ratio_most", "worst ratio", "{:.1f}"), ("goodput", "goodput", "{:.3f}"),
           ("evictions_per_job", "evictions a job", "{:.3f}"))


def sixty(folder: Path, gpus: int) -> Trace:
    """A task a job: the simulator counts GPUs."""
    with open(folder / "tiresias" / "60_job.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    sizes = sorted({int(row["num_gpu"]) for row in rows})
    run = [int(float(row["duration"])) for row in rows]
    return Trace(
        {"submit": [int(row["submit_time"]) for row in rows], "run": run, "estimate": run,
         "shape": [sizes.index(int(row["num_gpu"])) for row in rows]},
        nodes=[{"name": "n", "capacity": {GPU: gpus}}],
        shapes=[{"request": {GPU: size}} for size in sizes],
        name=f"sixty{gpus}",
    )


def types(folder: Path, an_hour: float, seed: int) -> Trace:
    """Times on a V100 are 10^x minutes: x is even in 1.5 to 3, for a fifth of jobs in 3 to 4."""
    with open(folder / "gavel" / "simulation_throughputs.json", encoding="utf-8") as file:
        table = json.load(file)
    models = sorted(key for key in table["v100"] if key.endswith(", 1)"))
    speeds = {(model, kind): table[kind][model]["null"] for model in models for kind in TYPES}
    draw = np.random.default_rng(seed)
    submit = np.cumsum(draw.exponential(3600 / an_hour, 1500))
    is_long = draw.random(1500) < 0.2
    minutes = 10 ** np.where(is_long, draw.uniform(3, 4, 1500), draw.uniform(1.5, 3, 1500))
    shape = draw.integers(len(models), size=1500)
    fastest = np.array([max(speeds[model, kind] for kind in TYPES) for model in models])
    on_v100 = np.array([speeds[model, "v100"] for model in models])
    run = (60 * minutes * on_v100[shape] / fastest[shape]).astype(np.int64)
    return Trace(
        {"submit": submit.astype(np.int64), "run": run, "estimate": run, "shape": shape},
        nodes=[{"name": f"{kind}-{n}", "capacity": {GPU: 4}, "labels": {"gpu-model": kind}}
               for kind in TYPES for n in range(9)],
        shapes=[{"request": {GPU: 1}, "labels": {"model": model}} for model in models],
        speeds=[(model, kind, 1, round(speed, 6)) for (model, kind), speed in speeds.items()],
        name=f"types{an_hour:g}",
    )


def worlds(name: str, folder: Path | None, replicates: int) -> list[Trace]:
    if name.startswith("mix"):
        mix = traces.named_mix("philly")
        return [mix.generate(jobs=1500, nodes=24, seed=seed, load=float(name[3:]))
                for seed in range(1, replicates + 1)]
    if folder is None:
        raise SystemExit(f"{name}: --traces is needed")
    if name.startswith("types"):
        return [types(folder, float(name[5:]), seed) for seed in range(1, replicates + 1)]
    if name.startswith("sixty"):
        return [sixty(folder, int(name[5:]))]
    trace = traces.philly(folder).head(10000)
    trace = trace.on(nodes=trace.nodes[::4])
    return [trace] + [trace.shaken(seed) for seed in range(1, replicates)]


def played(trace: Trace, policy: str,
           options: dict[str, int]) -> tuple[dict[str, float], np.ndarray]:
    begin = time.process_time()
    result = replay(trace, policy, cycles="rounds", evicted_jobs_checkpoint=True, **options)
    seconds = time.process_time() - begin
    figures = measure(result)
    jobs = result.columns
    ended = jobs["end"] >= 0
    run = trace._core.columns()["run"]
    ratio = (jobs["end"] - jobs["submit"])[ended] / np.maximum(run[ended], 10)
    figures["ratio_p99"] = float(np.percentile(ratio, 99)) if len(ratio) else 0.0
    figures["ratio_most"] = float(ratio.max(initial=0))
    figures["evictions_per_job"] = figures["evictions"] / max(figures["submitted"], 1)
    figures["seconds"] = seconds
    return figures, jobs["end"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--traces", type=Path, metavar="FOLDER")
    parser.add_argument("--world", action="append", required=True)
    parser.add_argument("--policy", action="append", required=True)
    parser.add_argument("--replicates", type=int, default=5, metavar="N")
    parser.add_argument("--jobs", type=int, metavar="N", help="only the first N of each world")
    parser.add_argument("--period", type=int, default=60, metavar="SECONDS")
    parser.add_argument("--eviction", type=int, default=1, metavar="SECONDS")
    parser.add_argument("--restart", type=int, default=30, metavar="SECONDS")
    parser.add_argument("--job-ends", type=Path, metavar="FILE")
    args = parser.parse_args()
    options = {"period": args.period, "eviction_seconds": args.eviction,
               "restart_seconds": args.restart}
    for name in args.world:
        made = worlds(name, args.traces, args.replicates)
        if args.jobs:
            made = [trace.head(args.jobs) for trace in made]
        print(f"\n{name}, {len(made)} replicates\n")
        print("| policy | " + " | ".join(title for _, title, _ in COLUMNS) + " | seconds |")
        print("|---" * (len(COLUMNS) + 2) + "|")
        for policy in args.policy:
            each = [played(trace, policy, options) for trace in made]
            means = [form.format(np.mean([figures[key] for figures, _ in each]))
                     for key, _, form in COLUMNS]
            seconds = sum(figures["seconds"] for figures, _ in each)
            print(f"| `{policy}` | {' | '.join(means)} | {seconds:.1f} |", flush=True)
            if args.job_ends:
                np.savetxt(args.job_ends, each[-1][1], fmt="%d")


if __name__ == "__main__":
    main()
