# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""How well profiles share clusters of GPUs: tables of docs/quality.md.

    export PYTHONPATH=build/release/python
    build/venv/bin/python bench/quality_gpus.py --traces ~/traces --world tenants --replicates 5 \
        --policy muster --policy volcano --policy easy

Worlds: `philly`, the first 10,000 jobs on a quarter of the nodes; `itp01` to `itp10`; `mix0.7`,
`mix0.9` and `mix1.1`, 1,500 jobs of mix philly on 24 nodes at that load; `tenants`, four tenants
with shares 4:2:1:1 on 32 nodes of 8 GPUs, with gangs of 1 to 64 GPUs, priorities 0, 50 and 100,
half of the submissions in bursts, and estimates of 1.1 to 10 times the run time;
`tenants-level`, `tenants-pooled` and `tenants-level-pooled`, the same jobs with one priority, in
one queue, and both.

`--policy muster@0.95` gives the jobs bounds on their run times that are learnt from those that
ended and hold for 95 of 100 (docs/replay.md, estimate=learnt).

Replicate 0 of a recorded world is the world as recorded, and the others are shaken by up to a
minute. Made worlds have another seed for each replicate. A row has the means of the replicates that
are shaken or made. Below it are the paired differences of the others from the first policy, with
95 % intervals by the normal distribution, of two replicates or more. A policy that is better than
the first one in some of the six metrics of dominance, and worse in none, is named. The time is that
of the processor, of all replicates.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from muster import Trace, replay, traces
from muster.statistics import METRICS, SIX, interval, measure

GPU = "nvidia.com/gpu"
WIDE = 32  # GPUs of a wide gang
TENANTS = (("a", 4), ("b", 2), ("c", 1), ("d", 1))
TENANT_WORLDS = {
    "tenants": {},
    "tenants-level": {"level": True},
    "tenants-pooled": {"pooled": True},
    "tenants-level-pooled": {"level": True, "pooled": True},
}
RECORDED = ("philly", *(f"itp{number:02}" for number in range(1, 11)))
MIXES = ("mix0.7", "mix0.9", "mix1.1")
WORLDS = (*RECORDED, *MIXES, *TENANT_WORLDS)


def tenants(seed: int, level: bool = False, pooled: bool = False, jobs: int = 1500,
            nodes: int = 32, load: float = 0.8) -> Trace:
    rng = np.random.Generator(np.random.PCG64(seed))
    gpus = rng.choice([1, 2, 4, 8, 16, 32, 64], jobs, p=[.45, .15, .13, .13, .08, .04, .02])
    run = np.maximum(np.exp(rng.normal(7.2, 1.8, jobs)).astype(int), 20)
    run = np.minimum(run, 259200)
    span = float((gpus * run).sum()) / (load * nodes * 8)
    # Half of the jobs come alone, the others in bursts of 20 within a minute.
    burst = rng.random(jobs) < .5
    submit = rng.random(jobs) * span
    starts = rng.random(jobs // 20 + 1) * span
    submit[burst] = starts[rng.integers(0, len(starts), burst.sum())] + rng.random(burst.sum()) * 60
    estimate = run * np.exp(rng.uniform(np.log(1.1), np.log(10), jobs))
    shares = np.array([weight for _, weight in TENANTS], float)
    queue = rng.choice(len(TENANTS), jobs, p=shares / shares.sum())
    user = queue * 8 + rng.integers(0, 8, jobs)
    priority = rng.choice([0, 50, 100], jobs, p=[.7, .2, .1]) * (not level)
    order = np.argsort(submit, kind="stable")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        rows = [f"submit,run,estimate,tasks,queue,user,priority,request.{GPU}"]
        for i in order:
            tasks = -(-gpus[i] // 8)
            rows.append(f"{int(submit[i])},{run[i]},{int(estimate[i])},{tasks},"
                        f"{TENANTS[0 if pooled else queue[i]][0]},u{user[i]},{priority[i]},"
                        f"{gpus[i] // tasks}")
        (root / "jobs.csv").write_text("\n".join(rows) + "\n")
        (root / "nodes.csv").write_text(f"name,count,capacity.{GPU}\nn,{nodes},8\n")
        queues = [f"{name},{weight}" for name, weight in TENANTS]
        (root / "queues.csv").write_text("\n".join(["name,weight", *queues]) + "\n")
        return traces.csv(root / "jobs.csv", root / "nodes.csv", root / "queues.csv")


def worlds(name: str, folder: Path, replicates: int) -> list[Trace]:
    """The replicates; recorded worlds as recorded first."""
    if name in TENANT_WORLDS:
        same = TENANT_WORLDS[name]
        return [tenants(seed, **same) for seed in range(1, replicates + 1)]
    if name in MIXES:
        mix = traces.named_mix("philly")
        return [
            mix.generate(jobs=1500, nodes=24, seed=seed, load=float(name[3:]))
            for seed in range(1, replicates + 1)
        ]
    if name == "philly":
        trace = traces.philly(folder).head(10000)
        trace = trace.on(nodes=trace.nodes[::4])
    else:
        trace = traces.itp(folder / "ms_itp_elasticflow/raw" / f"cluster{name[3:]}.csv.gz")
    return [trace] + [trace.shaken(seed) for seed in range(1, replicates + 1)]


def gpus_of(trace: Trace) -> np.ndarray:
    jobs = trace._core.columns()
    each = []
    for shape in trace._core.state()["shapes"]:
        text = str(dict(shape["request"]).get(GPU, 0))
        each.append(float(text[:-1]) / 1000 if text.endswith("m") else float(text))
    return jobs["tasks"] * np.array(each)[jobs["shape"]]


def played(trace: Trace, policy: str) -> dict[str, float]:
    profile, _, quantile = policy.partition("@")
    options = {"learnt_quantile": float(quantile)} if quantile else {}
    begin = time.process_time()
    result = replay(trace, profile, **options)
    seconds = time.process_time() - begin
    figures = measure(result)
    jobs = result.columns
    wide = (gpus_of(trace) >= WIDE) & (jobs["start"] >= 0)
    wait = (jobs["start"] - jobs["submit"])[wide]
    figures["wide_longest"] = float(wait.max()) if len(wait) else 0.0
    figures["evictions_per_job"] = figures["evictions"] / max(figures["submitted"], 1)
    figures["seconds"] = seconds
    return figures


COLUMNS = (("bounded_slowdown_mean", "slowdown", "{:.2f}"), ("wait_mean", "mean wait", "{:.0f}"),
           ("wait_longest", "longest wait", "{:.0f}"), ("wide_longest", "of wide gangs", "{:.0f}"),
           ("goodput", "goodput", "{:.3f}"), ("share_deviation", "share deviation", "{:.3f}"),
           ("evictions_per_job", "evictions a job", "{:.3f}"),
           ("fragmentation", "fragmentation", "{:.3f}"))


def dominates(better: list[dict[str, float]], worse: list[dict[str, float]]) -> list[str]:
    gains, losses = [], []
    for name in SIX:
        sign = 1 if METRICS[name][1] else -1
        low, high = interval([sign * (b[name] - w[name]) for b, w in zip(better, worse)])
        gains += [name] if low > 0 else []
        losses += [name] if high < 0 else []
    return gains if gains and not losses else []


def differences(better: list[dict[str, float]], first: list[dict[str, float]]) -> str:
    parts = []
    for key, title, form in COLUMNS:
        each = np.array([b[key] - f[key] for b, f in zip(better, first)])
        half = 1.96 * each.std(ddof=1) / np.sqrt(len(each))
        parts.append(f"{title} {form.format(each.mean())} ± {form.format(half)}")
    return ", ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--traces", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--world", action="append", required=True)
    parser.add_argument("--policy", action="append", required=True)
    parser.add_argument("--replicates", type=int, default=30, metavar="N")
    args = parser.parse_args()
    for name in args.world:
        if name not in WORLDS:
            parser.error(f'--world is "{name}"; must be one of {", ".join(WORLDS)}')
    for name in args.world:
        made = worlds(name, args.traces, args.replicates)
        counted = made[-args.replicates:] if args.replicates else made
        print(f"\n{name}, {args.replicates} replicates\n")
        print("| policy | " + " | ".join(title for _, title, _ in COLUMNS) + " | seconds |")
        print("|---" * (len(COLUMNS) + 2) + "|")
        all_of = {}
        for policy in args.policy:
            all_of[policy] = [played(trace, policy) for trace in counted]
            means = [form.format(np.mean([f[key] for f in all_of[policy]]))
                     for key, _, form in COLUMNS]
            seconds = sum(f["seconds"] for f in all_of[policy])
            print(f"| `{policy}` | {' | '.join(means)} | {seconds:.1f} |", flush=True)
        first = args.policy[0]
        for policy in args.policy[1:]:
            if len(counted) > 1:
                print(f"\n`{policy}` - `{first}`: {differences(all_of[policy], all_of[first])}")
            for a, b in ((first, policy), (policy, first)):
                if len(counted) > 1 and (gains := dominates(all_of[a], all_of[b])):
                    print(f"\n`{a}` dominates `{b}`: {', '.join(gains)}")


if __name__ == "__main__":
    main()
