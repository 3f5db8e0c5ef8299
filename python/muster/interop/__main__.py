# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""From a dump to a scenario file:

    kubectl get nodes,pods,podgroups,queues,priorityclasses -A -o json > dump.json
    python -m muster import dump.json --conf volcano-scheduler.conf -o scenario.json

What the scenario does not say is listed on standard error, one line each. Needs the extension
module; the command line program (muster import) reads JSON without Python.
"""

import argparse
import contextlib
import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import InvalidArgument
from ..limits import DEFAULT, Limits, integer
from ..whole_files import write_whole
from .importer import scenario
from .reader import configuration_text, read_objects
from .report import ImportFailure, Report


_PIECE = 1 << 20  # bytes


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """The dumps, and how they are to be read."""
    parser.add_argument(
        "dumps", nargs="+", metavar="DUMP", help="JSON or YAML objects; - is standard input"
    )
    parser.add_argument(
        "--peer",
        default="",
        metavar="NAME",
        help="the scheduler that the objects are of, by the name of a profile: volcano, yarn-fair, "
        "...; found by the API groups of the objects if not given",
    )
    parser.add_argument(
        "--conf",
        type=Path,
        metavar="FILE",
        help="the scheduler's configuration: the file, or the ConfigMap that holds it",
    )
    parser.add_argument("--default-queue", default="default", metavar="NAME")
    for name, what in (
        ("rows", "objects, and values that aliases repeat"),
        ("bytes", "bytes of each dump"),
        ("depth", "nesting, at most 256"),
    ):
        default = getattr(DEFAULT, name)
        parser.add_argument(
            f"--max-{name}", type=int, default=default, metavar="N", help=f"{what} ({default})"
        )
    parser.add_argument(
        "--strict", action="store_true", help="refuse a dump of which something is left out"
    )
    parser.add_argument(
        "--now", type=int, default=0, metavar="SECONDS", help="the time of the cycle"
    )


def read_scenario(args: argparse.Namespace) -> tuple[dict[str, Any], Report]:
    objects = []
    limits = Limits(args.max_rows, args.max_bytes, args.max_depth)
    now = integer(args.now, "--now")
    for dump in args.dumps:
        text = _text_of(dump, limits)
        try:
            objects += read_objects(text, limits=limits)
        except ImportFailure as failure:
            raise ImportFailure(f"{dump}: {str(failure).removeprefix('dump: ')}") from None
    return scenario(
        objects,
        profile=args.peer,
        configuration=configuration_text(_text_of(str(args.conf), limits)) if args.conf else None,
        default_queue=args.default_queue,
        now=now,
        limits=limits,
        strict=args.strict,
    )


def _text_of(path: str, limits: Limits) -> str:
    """The text of a file, - is standard input. Memory follows what is there, up to the limit."""
    with contextlib.ExitStack() as opened:
        file = sys.stdin.buffer if path == "-" else opened.enter_context(open(path, "rb"))
        data = bytearray()
        while len(data) <= limits.bytes and (piece := file.read(_PIECE)):
            data += piece
    if len(data) > limits.bytes:
        raise ImportFailure(f"{path}: {len(data)} bytes or more; at most {limits.bytes} are read")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ImportFailure(
            f"{path}: byte {error.start} is 0x{data[error.start]:02x}, which is no UTF-8; "
            "expected UTF-8"
        ) from None


def print_report(report: Report) -> None:
    for entry in report:
        print(f"not expressed: {entry}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="muster import", description="a cluster dump as a scenario"
    )
    add_source_arguments(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="instead of standard output"
    )
    args = parser.parse_args(arguments)
    if find_spec("muster._core") is None:
        print("muster import: the extension module muster._core is not built", file=sys.stderr)
        return 2
    try:
        made, report = read_scenario(args)
        text = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
        if args.output:
            write_whole(args.output, text)
        else:
            sys.stdout.write(text)
    except (ImportFailure, InvalidArgument, OSError, UnicodeError) as failure:
        print(f"muster import: {failure}", file=sys.stderr)
        return 2
    except (MemoryError, RecursionError):
        print(
            "muster import: out of memory; --max-rows and --max-bytes refuse such input earlier",
            file=sys.stderr,
        )
        return 2
    print_report(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
