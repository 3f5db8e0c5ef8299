# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""From a dump to a scenario file:

    kubectl get nodes,pods,podgroups,queues,priorityclasses -A -o json > dump.json
    python -m muster import dump.json --configuration volcano-scheduler.conf -o scenario.json

What the scenario does not say is listed on standard error, one line each. Needs the extension
module; the command line program (muster import), which has these flags, too, reads JSON without
Python.
"""

import argparse
import contextlib
import json
import sys
from collections.abc import Mapping, Sequence
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


def add_reading_arguments(parser: argparse.ArgumentParser) -> None:
    """How dumps are to be read."""
    parser.add_argument(
        "--configuration",
        type=Path,
        metavar="FILE",
        help="the scheduler's configuration: the file, or the ConfigMap that holds it",
    )
    parser.add_argument(
        "--default-queue", metavar="NAME", help="the queue of jobs that name none (default)"
    )
    for name, what in (
        ("rows", "objects, and values that aliases repeat"),
        ("bytes", "bytes of each dump"),
        ("depth", "nesting, at most 256"),
    ):
        default = getattr(DEFAULT, name)
        parser.add_argument(
            f"--max-{name}", type=int, default=default, metavar="N", help=f"{what} ({default})"
        )
    parser.add_argument("--now", type=int, metavar="SECONDS", help="the time of the cycle")


def limits_of(args: argparse.Namespace) -> Limits:
    return Limits(args.max_rows, args.max_bytes, args.max_depth)


def read_scenario(
    args: argparse.Namespace, texts: Mapping[str, str], profile: str = "", strict: bool = False
) -> tuple[dict[str, Any], Report]:
    """The scenario of the dumps, by the names of their files."""
    objects = []
    limits = limits_of(args)
    now = integer(args.now or 0, "--now")
    for dump, text in texts.items():
        try:
            objects += read_objects(text, limits=limits)
        except ImportFailure as failure:
            raise ImportFailure(f"{dump}: {str(failure).removeprefix('dump: ')}") from None
    given = args.configuration
    return scenario(
        objects,
        profile=profile,
        configuration=configuration_text(text_of(str(given), limits)) if given else None,
        default_queue=args.default_queue or "default",
        now=now,
        limits=limits,
        strict=strict,
    )


def text_of(path: str, limits: Limits) -> str:
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
        print(f"{entry.severity}: {entry}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="muster import", description="a cluster dump as a scenario", allow_abbrev=False
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="JSON or YAML objects; - is standard input"
    )
    parser.add_argument(
        "--profile",
        default="",
        metavar="P",
        help="the scheduler that the objects are of: volcano, yarn-fair, ...; default: by the API "
        "groups of the objects",
    )
    add_reading_arguments(parser)
    parser.add_argument(
        "--strict", action="store_true", help="refuse a dump of which something is left out"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="instead of standard output"
    )
    args = parser.parse_intermixed_args(arguments)
    if find_spec("muster._core") is None:
        print("muster import: the extension module muster._core is not built", file=sys.stderr)
        return 2
    try:
        limits = limits_of(args)
        texts = {file: text_of(file, limits) for file in args.files}
        made, report = read_scenario(args, texts, args.profile, args.strict)
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
