# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Arguments of the commands that need Python: what is wrong with them, and what may stand there.

    parser = Parser("muster study", "Plays traces.")
    parser.add_argument("--executor")
    parser.values["executor"] = lambda word: ["processes", "ray", "here"]
    parser.candidates(["mix", "--executor", "r"])     # for a shell: ["processes", "ray", "here"]
"""

import argparse
import difflib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

Candidates = Callable[[str], Iterable[str]]


def files(word: str) -> list[str]:
    """In place of candidates: the shell lists files."""
    return [":files"]


class Parser(argparse.ArgumentParser):
    """Names a misspelled flag before one that is missing, and lists candidates for the last word.

    `values` has what an argument may be, by its `dest`. A candidate may have a tab and a text.
    """

    def __init__(
        self, prog: str, description: str = "", epilog: str = "", **options: Any
    ) -> None:
        super().__init__(prog=prog, description=description, epilog=epilog,
                         formatter_class=argparse.RawDescriptionHelpFormatter, **options)
        self.values: dict[str, Candidates] = {}

    def error(self, message: str) -> NoReturn:
        """What is wrong and what is needed, as the program of C++ prints it."""
        needed = [self.prog]
        for action in self._actions:
            if not action.option_strings and action.dest != argparse.SUPPRESS:
                name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
                needed.append(name + ("..." if action.nargs == "+" else ""))
            elif action.required:
                needed.append(f"{action.option_strings[0]} {action.metavar}")
        self.exit(2, f"{self.prog}: {message}\nusage: {' '.join(needed)} [flags]    "
                     f"(more: {self.prog} --help)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        for word in args or () if self._subparsers is None else ():
            flag = word.partition("=")[0]
            if word == "--":
                break
            if flag.startswith("--") and not any(one.startswith(flag) for one in self._flags()):
                near = difflib.get_close_matches(flag, self._flags(), 1)
                self.error(f"unknown flag {flag}" + (f", did you mean {near[0]}?" if near else ""))
        return super().parse_known_args(args, namespace)

    def candidates(self, words: Sequence[str]) -> list[str]:
        """What may stand in place of the last word."""
        *given, last = words or [""]
        others: list[int] = []
        waits: argparse.Action | None = None
        for place, word in enumerate(given):
            if waits is not None:
                waits = None
            elif word.startswith("-") and word != "-":
                flag = self._find(word)
                waits = flag if flag is not None and flag.nargs != 0 else None
            else:
                others.append(place)
        places = [action for action in self._actions if not action.option_strings]
        if others and places and isinstance(places[0], argparse._SubParsersAction):
            command = places[0].choices.get(words[others[0]])
            return command.candidates(words[others[0] + 1:]) if command is not None else []
        if waits is not None:
            return self._of(waits, last)
        if last.startswith("-"):
            return self._words(last)
        if len(others) >= len(places) and (not places or places[-1].nargs != "+"):
            return []
        return self._of(places[min(len(others), len(places) - 1)], last)

    def _flags(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings]

    def _words(self, word: str) -> list[str]:
        head, sign, value = word.partition("=")
        if sign:
            flag = self._find(head)
            return [f"{head}={one}" if one != ":files" else one
                    for one in (self._of(flag, value) if flag is not None else ())]
        return [f"{name}\t{action.help or ''}"
                for action in self._actions for name in action.option_strings]

    def _of(self, action: argparse.Action, word: str) -> list[str]:
        if isinstance(action, argparse._SubParsersAction):
            return [f"{one.dest}\t{one.help}" for one in action._choices_actions]
        return list(self.values.get(action.dest, lambda word: ())(word))

    def _find(self, flag: str) -> argparse.Action | None:
        return self._option_string_actions.get(flag)
