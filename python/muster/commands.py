# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster study | sweep | report | reproduce."""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import own, program, traces
from .arguments import Parser, files
from .errors import Error, InvalidArgument
from .fetch import KINDS
from .fields import suggestion
from .replay import ReplayOptions, StudyOptions
from .statistics import METRICS
from .study import Study, compare, reproduce, sweep
from .traces import Trace

_TRACES = """traces:
  philly, openb, openb:recorded       from --traces, MUSTER_TRACES or ../shared/traces
  hpc:FILE:PROCESSORS, swf:FILE[:PROCESSORS], itp:FILE, csv:JOBS:NODES[:QUEUES], parquet:JOBS:NODES[:QUEUES]
  alibaba2020:TASKS:MACHINES[:JOBS], alibaba2023:PODS:NODES, google2019:INSTANCES:MACHINES[:COLLECTIONS]
  FILE.npz                            what Trace.save wrote
  mix, mix:SEED                       made up: gangs of GPUs
  mix:NAME[:JOBS[:NODES[:SEED]]]      made from a mix: openb, philly or hpc (of hpc NODES are processors), or a file .json
"""


def _made(name: str, jobs: str = "5000", size: str = "0", seed: str = "0") -> Trace:
    mix = traces.load_mix(name) if name.endswith(".json") else traces.named_mix(name)
    machine = "processors" if mix.tables.get("processors") else "nodes"
    return mix.generate(jobs=int(jobs), seed=int(seed), **{machine: int(size)})


def open_trace(words: str, folder: str | None = None) -> Trace:
    """A trace as the command line names it."""
    kind, *rest = words.split(":")
    try:
        if words.endswith(".npz"):
            return traces.load(words)
        if kind == "philly" and not rest:
            return traces.philly(folder)
        if kind == "openb" and rest in ([], ["recorded"]):
            return traces.openb(folder, recorded=bool(rest))
        if kind == "hpc" and len(rest) == 2:
            return traces.hpc(rest[0], int(rest[1]), folder=folder)
        if kind == "swf" and len(rest) in (1, 2):
            return traces.swf(rest[0], int(rest[1]) if rest[1:] else None, folder=folder)
        if kind == "itp" and len(rest) == 1:
            return traces.itp(rest[0], folder=folder)
        if kind == "csv" and len(rest) in (2, 3):
            return traces.csv(*rest)
        if kind == "parquet" and len(rest) in (2, 3):
            return traces.parquet(*rest)
        if kind == "alibaba2020" and len(rest) in (2, 3):
            return traces.alibaba2020(*rest)
        if kind == "alibaba2023" and len(rest) == 2:
            return traces.alibaba2023(*rest)
        if kind == "google2019" and len(rest) in (2, 3):
            return traces.google2019(*rest)
        if kind == "mix" and rest and not rest[0].isdigit():
            return _made(*rest)
        if kind == "mix" and len(rest) < 2:
            return traces.mix(seed=int(rest[0]) if rest else 0)
    except ValueError as failure:
        if isinstance(failure, Error):
            raise
        raise InvalidArgument(f"trace {words!r}: {failure}") from None
    raise InvalidArgument(
        f"trace {words!r} is not understood{suggestion(kind, KINDS)}\n{_TRACES}")


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(f"{text!r}: expected NAME=VALUE")
    return name, value


def _parser(name: str, about: str) -> Parser:
    parser = Parser(f"muster {name}", about, _TRACES)
    parser.add_argument("trace", nargs="+")
    parser.add_argument("--profile", action="append", required=True, metavar="SPEC", help="may be given several times")
    parser.add_argument("--traces", metavar="DIR", help="folder of recorded traces")
    parser.add_argument("--head", type=int, metavar="N", help="only the first N jobs of each trace")
    parser.add_argument("--replicates", type=int, default=30, metavar="N", help="replays of each that differ a little (30)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--shake", type=int, metavar="S", help="replicates move submissions by up to S seconds (60 on pools)")
    how.add_argument("--resample", action="store_true", help="replicates draw the jobs anew (as by itself where there are nodes)")
    parser.add_argument("--json", action="store_true", help="print all that was measured as JSON")
    parser.add_argument("--warmup", type=int, default=0, metavar="S", help="jobs of the first S seconds do not count")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the replicates")
    parser.add_argument("--rank-by", metavar="METRIC", help=", ".join(METRICS))
    parser.add_argument("--save", metavar="FILE", help="write the manifest, and the traces beside it")
    parser.add_argument("--report", metavar="FILE", help="write the HTML report")
    _add_where(parser)
    parser.values |= {"trace": _traces, "profile": _specs, "rank_by": lambda word: METRICS}
    parser.values |= dict.fromkeys(("traces", "save", "report"), files)
    return parser


def _traces(word: str) -> list[str]:
    """What a trace may begin with."""
    if word.startswith("mix:"):
        return [f"mix:{name}" for name in traces.mix_names()] + [":files"]
    return [*("openb:recorded" if word.startswith("openb:") else kind for kind in KINDS), ":files"]


def _specs(word: str) -> list[str]:
    """Profiles, and what may go on a spec string: as the program of C++ lists them."""
    told = subprocess.run([program.path(), "complete", "--", "run", "--profile", word],
                          capture_output=True, text=True, check=False)
    return told.stdout.splitlines()


def _assigned(names: Sequence[str]) -> Callable[[str], list[str]]:
    return lambda word: [f"{name}=" for name in names] if "=" not in word else []


def _add_where(parser: Parser) -> None:
    parser.values |= {"executor": lambda word: ("processes", "ray", "here")}
    parser.values |= dict.fromkeys(("cache", "policies"), files)
    parser.add_argument("--executor", default="processes", metavar="WHERE", help="processes, ray or here")
    parser.add_argument("--workers", type=int, metavar="N", help="processes at a time (all cores)")
    parser.add_argument("--cache", metavar="DIR", help="keeps finished runs (MUSTER_CACHE or ~/.cache/muster)")
    parser.add_argument("--no-cache", action="store_true", help="make all runs anew")
    parser.add_argument("--policies", metavar="FILE.py", help="runs the file, and has its muster.Policy and "
                        "muster.Action where a spec names them, as in volcano:+mine")


def _where(args: argparse.Namespace) -> dict[str, Any]:
    cache = False if args.no_cache else args.cache if args.cache is not None else True
    where = {"executor": args.executor, "workers": args.workers, "cache": cache}
    return where | {"policies": own.load(args.policies) if args.policies else []}


def _finish(study: Study, args: argparse.Namespace, command: Sequence[str]) -> int:
    print(json.dumps(study.results, indent=1, allow_nan=False) if args.json else study)
    notes = sys.stderr if args.json else sys.stdout
    if args.save:
        study.save(args.save)
        print(f"manifest: {args.save} (muster reproduce {args.save})", file=notes)
    if args.report:
        study.report(args.report, "muster " + shlex.join(command))
        print(f"report: {pathlib.Path(args.report).resolve()}", file=notes)
    return 0 if study.complete else 130


def _named(args: argparse.Namespace) -> list[Trace]:
    named = [open_trace(words, args.traces) for words in args.trace]
    return [trace.head(args.head) for trace in named] if args.head else named


def _common(args: argparse.Namespace) -> dict[str, Any]:
    told = {
        "replicates": args.replicates, "warmup": args.warmup, "seed": args.seed,
        "rank_by": args.rank_by, "shake": False if args.resample else args.shake
    }
    return told | _where(args)


def _study_parser() -> Parser:
    parser = _parser("study", "Plays traces under several profiles and ranks them.")
    parser.add_argument("--option",
                        action="append",
                        default=[],
                        type=_pair,
                        metavar="NAME=VALUE",
                        help="of muster.replay")
    parser.values["option"] = _assigned(list(StudyOptions.__annotations__))
    return parser


def _study(words: Sequence[str]) -> int:
    args = _study_parser().parse_args(words)
    options = {name: _value(text) for name, text in args.option}
    study = compare(_named(args), args.profile, **_common(args), **options)
    return _finish(study, args, ["study", *words])


def _sweep_parser() -> Parser:
    parser = _parser("sweep", "Plays traces under every combination of profiles and options.")
    parser.add_argument("--vary",
                        action="append",
                        default=[],
                        type=_pair,
                        metavar="NAME=V1,V2,...",
                        help="an option of muster.replay")
    parser.values["vary"] = _assigned(list(ReplayOptions.__annotations__))
    return parser


def _sweep(words: Sequence[str]) -> int:
    args = _sweep_parser().parse_args(words)
    axes = {name: [_value(v) for v in text.split(",")] for name, text in args.vary}
    study = sweep({"trace": _named(args), "profile": args.profile, **axes}, **_common(args))
    return _finish(study, args, ["sweep", *words])


_AGAIN = {
    "reproduce": "Makes a study again and compares digests.",
    "report": "Writes the report of a manifest, from kept runs where there are any.",
}


def _again_parser(name: str) -> Parser:
    parser = Parser(f"muster {name}", _AGAIN[name])
    parser.add_argument("manifest")
    _add_where(parser)
    parser.values["manifest"] = files
    if name == "report":
        parser.add_argument("-o", "--output", default="report.html", metavar="FILE",
                            help="the page (report.html)")
        parser.values["output"] = files
    return parser


def _again(name: str, words: Sequence[str]) -> tuple[argparse.Namespace, Study, list[str]]:
    args = _again_parser(name).parse_args(words)
    where = _where(args)
    if name == "reproduce" and args.cache is None:
        where["cache"] = False  # to find what was kept would prove nothing
    return args, *reproduce(args.manifest, **where)


def _reproduce(words: Sequence[str]) -> int:
    _, study, wrong = _again("reproduce", words)
    for line in wrong:
        print(line, file=sys.stderr)
    print(study)
    print(f"{len(wrong)} runs differ" if wrong else f"equal digests: {study.digest}")
    return 1 if wrong else 0


def _report(words: Sequence[str]) -> int:
    args, study, wrong = _again("report", words)
    if wrong:
        print(f"muster report: {wrong[0]}", file=sys.stderr)
        return 1
    study.report(args.output, f"muster reproduce {args.manifest}")
    print(study)
    print(f"report: {pathlib.Path(args.output).resolve()}")
    return 0


_COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "study": _study, "sweep": _sweep, "reproduce": _reproduce, "report": _report,
}


def candidates(name: str, words: Sequence[str]) -> list[str]:
    """What may stand in place of the last word of a command."""
    if name in _AGAIN:
        return _again_parser(name).candidates(words)
    return (_study_parser() if name == "study" else _sweep_parser()).candidates(words)


def main(name: str, words: Sequence[str]) -> int:
    try:
        return _COMMANDS[name](words)
    except (Error, OSError, json.JSONDecodeError, MemoryError) as failure:
        print(f"muster {name}: {str(failure) or 'out of memory'}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"muster {name}: interrupted", file=sys.stderr)
        return 130
