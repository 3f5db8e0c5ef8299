# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The command line: `muster`, and `python -m muster`. Its commands are those of the program of C++,
and these, which need Python:

    muster study philly --profile muster --profile volcano --report report.html
    muster study philly --profile muster --profile volcano --save study.json
    muster sweep mix --profile volcano --vary latency=0,5,30
    muster reproduce study.json
    muster report study.json -o report.html
    muster traces fetch philly --to ~/traces
"""

import difflib
import os
import sys
from collections.abc import Callable, Iterable, Sequence

from . import HAVE_ENGINE
from .fetch import KINDS
from .fetch import candidates as _of_traces
from .fetch import main as _traces
from .program import run as _run


def _study(name: str) -> Callable[[Sequence[str]], int]:
    def command(arguments: Sequence[str]) -> int:
        if not HAVE_ENGINE:
            print(f"muster {name}: the extension module muster._core is not built", file=sys.stderr)
            return 2
        from .commands import main

        return main(name, arguments)

    return command


_ABOUT = {
    "study": "play traces under several profiles and rank them",
    "sweep": "play traces under every combination of profiles and options",
    "reproduce": "make a study again and compare digests",
    "report": "write the report of a study",
    "traces": "list and fetch recorded traces",
}
_COMMANDS = {name: _study(name) for name in ("study", "sweep", "reproduce", "report")}
_COMMANDS |= {"traces": _traces}


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in _COMMANDS:
        return _COMMANDS[words[0]](words[1:])
    if words and words[0] == "complete":
        return _complete(words[2 if words[1:2] == ["--"] else 1:])
    if not words or words[0] in ("-h", "--help", "help"):
        code = _run(words)
        lines = "".join(f"  {name:<11} {about}\n" for name, about in _ABOUT.items())
        out = sys.stdout if words else sys.stderr
        print(f"\nof the Python package:\n{lines}", end="", file=out)
        return code
    if words[0] == "compare" and any(_is_trace(word) for word in words[1:2]):
        print("muster compare: it compares profiles on one scenario; muster study plays traces",
              file=sys.stderr)
        return 2
    if words[0] == "replay" and any(word.partition("=")[0] == "--policies" for word in words):
        print("muster replay: --policies: it plays profiles of C++; muster study TRACE --profile "
              "SPEC --replicates 0 --policies FILE.py plays policies of Python", file=sys.stderr)
        return 2
    # The program of C++ knows none of these, and none of its commands is so near to one of them.
    if meant := difflib.get_close_matches(words[0], _COMMANDS, 1, 0.8):
        print(f'muster: unknown command "{words[0]}", did you mean "{meant[0]}"?', file=sys.stderr)
        return 2
    return _run(words, replace=arguments is None)


def _complete(words: Sequence[str]) -> int:
    """What a shell may put in place of the last word: a line each, as the program of C++ prints."""
    lines: Iterable[str] = ()
    code = 0
    if len(words) < 2:
        code = _run(["complete", "--", *words])
        lines = (f"{name}\t{about}" for name, about in _ABOUT.items())
    elif words[0] == "traces":
        lines = _of_traces(words[1:])
    elif words[0] not in _COMMANDS:
        return _run(["complete", "--", *words])
    elif HAVE_ENGINE:
        from .commands import candidates

        lines = candidates(words[0], words[1:])
    print("".join(f"{line}\n" for line in lines), end="")
    return code


def _is_trace(word: str) -> bool:
    return not os.path.exists(word) and word.partition(":")[0] in KINDS


if __name__ == "__main__":
    sys.exit(main())
