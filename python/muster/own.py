# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Policies and actions of the caller in studies: which profile has which, and what they are.

    own = load("mine.py")                         # those that the file makes
    named("volcano:+spread", own)                 # the ones that the spec string names
    identity(own[0])                              # what a manifest has of it
"""

import hashlib
import importlib.util
import inspect
import json
import os
import pathlib
import pickle
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .action import Action, words_of
from .errors import InvalidArgument, NotFound, expect
from .policy import Policy, check_revision

Own = Policy | Action


def checked(given: Iterable[Own], specs: Sequence[str], place: str) -> list[Own]:
    """Returns the policies and actions; refuses what is none, and what no spec string names."""
    if isinstance(given, Policy | Action):
        raise InvalidArgument(f"{place}: expected a list of policies; write policies=[...]")
    own: list[Own] = list(expect(given, Iterable, place))
    for one in own:
        if not isinstance(one, Policy | Action):
            raise InvalidArgument(
                f"{place}: expected a muster.Policy or muster.Action, got {one!r}"
            )
        check_revision(one, "policy" if isinstance(one, Policy) else "action")
        if not any(named(spec, [one]) for spec in specs):
            raise InvalidArgument(
                f'{place}: no profile names "{one.name}"; name it where it belongs, as in '
                f"volcano:+{one.name}"
            )
    names = [one.name for one in own]
    if len(set(names)) != len(names):
        raise InvalidArgument(f"{place}: two have one name; there are {', '.join(names)}")
    return own


def named(spec: str, own: Sequence[Own]) -> list[Own]:
    """Those that the spec string names, in their order. Options name none."""
    words = words_of(spec)
    return [one for one in own if one.name in words]


def identity(one: Own) -> dict[str, Any]:
    """What a manifest and a key of the cache have of it: name, class, revision, and a digest of the
    source of its class and of its attributes."""
    kind = type(one)
    sources = []
    for cls in kind.__mro__:
        if cls in (Policy, Action, object):
            continue
        try:
            sources.append(inspect.getsource(cls))
        except (OSError, TypeError):  # made where there is no file, as by exec
            sources.append(_code_of(cls))
    digest = hashlib.sha256("\n".join(sources).encode())
    digest.update(_state_of(one))
    return {
        "name": one.name,
        "class": f"{kind.__module__}:{kind.__qualname__}",
        "revision": one.revision,
        "digest": digest.hexdigest(),
    }


def source(one: Own) -> str | None:
    """The text of its class, for the readers of a manifest."""
    try:
        return inspect.getsource(type(one))
    except (OSError, TypeError):
        return None


def is_kept(own: Sequence[Own]) -> bool:
    """Whether finished runs may be kept: every one has a revision."""
    return all(one.revision > 0 for one in own)


def load(path: str | os.PathLike[str]) -> list[Own]:
    """Runs a Python file, and returns the policies and actions among its global names. Where it
    makes none, those of its classes that are constructed without arguments."""
    file = pathlib.Path(path)
    name = f"muster_own_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if not file.exists():
        raise NotFound(f"policies: there is no file {file}")
    if spec is None or spec.loader is None:
        raise InvalidArgument(f"{file}: its name does not end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # workers and inspect look there
    spec.loader.exec_module(module)
    values = list(vars(module).values())
    own: list[Own] = [value for value in values if isinstance(value, Policy | Action)]
    if not own:
        own = [
            value() for value in values if isinstance(value, type)
            and issubclass(value, (Policy, Action)) and value.__module__ == name
        ]
    if not own:
        raise InvalidArgument(f"{file}: it has no muster.Policy and no muster.Action")
    return own


def chosen(told: Sequence[Mapping[str, Any]], own: Sequence[Own], place: str) -> list[str]:
    """Lines about policies that differ from those of a manifest. Fails if one is missing."""
    known = {one.name: one for one in own}
    wrong = []
    for entry in told:
        one = known.get(entry["name"])
        if one is None:
            raise InvalidArgument(
                f'{place}: it has the policy "{entry["name"]}" of the caller (class '
                f"{entry['class']}); hand it in by policies=, or --policies FILE"
            )
        if identity(one)["digest"] != entry["digest"]:
            wrong.append(f'policy "{one.name}": its source or its attributes are others')
    return wrong


def _code_of(cls: type) -> str:
    parts = [cls.__qualname__]
    for name, value in sorted(vars(cls).items()):
        code = getattr(value, "__code__", None)
        if code is not None:
            parts.append(f"{name} {code.co_code.hex()} {code.co_consts!r} {code.co_names!r}")
    return "\n".join(parts)


def _state_of(one: Own) -> bytes:
    state = vars(one)
    try:
        return json.dumps(state, sort_keys=True).encode()
    except (TypeError, ValueError):
        pass
    try:
        return pickle.dumps(sorted(state.items()))
    except Exception:  # whatever an attribute's own __reduce__ raises
        return repr(sorted(state)).encode()
