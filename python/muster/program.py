# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The program of the package: the commands of C++, which it runs, and those that need Python.

    main(["explain", "dump.yaml", "team/train"])      # what the program ends with

The program of C++ reads JSON. Where a command gets a dump or a configuration in another form (YAML,
a configuration inside its ConfigMap, YARN's XML), it gets a translation beside it, and its messages
name the file that was given.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from .errors import InvalidArgument
from .interop.reader import CONFIGURATION, configuration_text, read_configuration, read_objects
from .interop.report import ImportFailure
from .limits import DEFAULT, Limits, most

# Commands that read dumps, and how many files they take.
_READ_DUMPS = {"import": sys.maxsize, "diff": 2} | dict.fromkeys(
    ("run", "explain", "remedies", "drain", "capacity", "page", "compare", "what-if",
     "forecast"), 1)
_PIECE = 1 << 20  # bytes
_DIGITS = len(str(most("bytes")))
# Flags without a value.
_SWITCHES = {"--report", "--strict", "--json", "--help", "--make-tasks", "--digest", "--bound",
             "--plan", "--no-arrivals"}


def path() -> pathlib.Path:
    """Where the program of C++ lies."""
    return pathlib.Path(__file__).with_name("bin") / "muster"


def run(words: Sequence[str], replace: bool = False) -> int:
    """Runs a command of C++. With `replace` this process becomes the command, and nothing returns,
    unless it has to wait for the end."""
    program = path()
    if not program.exists():
        print(f"muster: the program is not built: there is no {program}", file=sys.stderr)
        return 2
    command = [str(program), *words]
    try:
        with contextlib.ExitStack() as open_files:
            told = _translated(words, open_files) if words and words[0] in _READ_DUMPS else None
            if told is not None:
                return _with_names([str(program), *told.words], told)
        if replace:
            sys.stdout.flush()
            try:
                os.execv(program, ["muster", *words])
            except OSError as failure:  # it names no file
                raise OSError(failure.errno, failure.strerror, str(program)) from None
        return subprocess.run(command, check=False, close_fds=False).returncode
    except (ImportFailure, InvalidArgument, OSError, UnicodeError) as failure:
        print(f"muster: {failure}", file=sys.stderr)
        return 2
    except (MemoryError, RecursionError):
        print("muster: out of memory; --max-rows and --max-bytes refuse such input earlier",
              file=sys.stderr)
        return 2


class _Told:
    """The words with translations in place of files, and which file each stands for."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.names: dict[str, str] = {}


def _translated(words: Sequence[str], open_files: contextlib.ExitStack) -> _Told | None:
    """None: all files are JSON already."""
    told = _Told(words)
    limits = _limits(words)
    folder: pathlib.Path | None = None
    for number, given, flag in _files(words):
        text = _translation(given, words[0] == "import", flag == "--configuration", limits)
        if text is None:
            continue
        if folder is None:
            folder = pathlib.Path(open_files.enter_context(
                tempfile.TemporaryDirectory(prefix="muster-")))
        made = folder / f"{number}.json"
        made.write_bytes(text)
        told.names[str(made)] = given
        inline = words[number].startswith("--")
        told.words[number] = f"{flag}={made}" if inline else str(made)
    return told if told.names else None


def _files(words: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """The files among the words: where, which, and the flag in front of it."""
    flag, places = "", 0
    for number, word in enumerate(words[1:], 1):
        if flag:
            if flag == "--configuration":
                yield number, word, flag
            flag = ""
        elif word.startswith("-") and word != "-":
            name, sign, value = word.partition("=")
            if sign and name == "--configuration":
                yield number, value, name
            flag = "" if sign or name in _SWITCHES else name
        else:
            places += 1
            if places <= _READ_DUMPS[words[0]]:
                yield number, word, ""


def _limits(words: Sequence[str]) -> Limits:
    """Those of the flags. A value that is wrong is refused by the command, in its words."""
    limits = DEFAULT.as_dict()
    for i, word in enumerate(words):
        name, sign, value = word.partition("=")
        key = name.removeprefix("--max-")
        given = value if sign else next(iter(words[i + 1:i + 2]), "")
        if (name.startswith("--max-") and key in limits and given.isdecimal()
                and len(given) <= _DIGITS):
            limits[key] = max(1, min(int(given), most(key)))
    return Limits(**limits)


def _translation(given: str, imports: bool, configuration: bool, limits: Limits) -> bytes | None:
    """The file as JSON. None: the command reads it itself, or tells what is wrong with it."""
    named = given.endswith((".yaml", ".yml"))
    if not (imports or configuration or named):
        return None
    if given == "-" or _is_pipe(given):
        opened: contextlib.AbstractContextManager[BinaryIO] = (
            contextlib.nullcontext(sys.stdin.buffer) if given == "-" else open(given, "rb"))
        with opened as file:
            data = _read(file, b"", limits)  # which can be read once alone
        if len(data) > limits.bytes:
            raise ImportFailure(
                f"{given}: {len(data)} bytes or more; at most {limits.bytes} are read")
        return data if _is_json(data) and not configuration else _as_json(
            given, data, configuration, limits)
    if not os.path.isfile(given):
        return None
    with open(given, "rb") as file:
        data = file.read(4096)
        if not configuration and _is_json(data):
            return None
        data = _read(file, data, limits)
    return None if len(data) > limits.bytes else _as_json(given, data, configuration, limits)


def _is_pipe(given: str) -> bool:
    """Whether it is there and is neither a regular file nor a folder: that of <(kubectl ...)."""
    return os.path.exists(given) and not os.path.isfile(given) and not os.path.isdir(given)


def _read(file: BinaryIO, begin: bytes, limits: Limits) -> bytes:
    """What the file holds behind `begin`, with it. Memory follows what is there, up to the limit;
    a little more than the limit is read where there is more."""
    data = bytearray(begin)
    while len(data) <= limits.bytes and (piece := file.read(_PIECE)):
        data += piece
    return bytes(data)


def _is_json(data: bytes) -> bool:
    """Whether it begins so; what is empty is for the command to refuse."""
    begin = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    return not begin or begin[:1] in (b"{", b"[")


def _as_json(given: str, data: bytes, configuration: bool, limits: Limits) -> bytes:
    try:
        text = data.decode("utf-8")
        if configuration:
            made = read_configuration(configuration_text(text), CONFIGURATION) or {}
        else:
            made = read_objects(text, limits=limits)
        return json.dumps(made).encode()
    except UnicodeDecodeError as error:
        raise ImportFailure(
            f"{given}: byte {error.start} is 0x{data[error.start]:02x}, which is no UTF-8; "
            "expected UTF-8"
        ) from None
    except ImportFailure as failure:
        raise ImportFailure(f"{given}: {str(failure).removeprefix('dump: ')}") from None


def _with_names(command: Sequence[str], told: _Told) -> int:
    # Files that the shell opened, such as /dev/fd/63, stay open for the command.
    done = subprocess.run(command, check=False, stderr=subprocess.PIPE, close_fds=False)
    text = done.stderr.decode("utf-8", "surrogateescape")
    for made, given in told.names.items():
        text = text.replace(made, given)
    sys.stderr.write(text)
    return done.returncode
