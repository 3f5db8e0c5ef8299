# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Typed access to decoded objects, so that every refusal names the object and the field."""

from datetime import datetime, timezone
from typing import Any

from .report import ImportFailure

_WORDS = {dict: "a mapping", list: "a list", str: "text", int: "an integer", bool: "true or false"}
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def get(mapping: dict[str, Any], key: str, kind: type, place: str, default: Any = None) -> Any:
    """mapping[key] if it is given and not null; refused when it is of another kind."""
    value = mapping.get(key)
    if value is None:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ImportFailure(f"{place}.{key}: expected {_WORDS[kind]}, found {value!r}")
    return value


def section(mapping: dict[str, Any], key: str, place: str) -> dict[str, Any]:
    return get(mapping, key, dict, place, {})


def items(mapping: dict[str, Any], key: str, place: str) -> list[Any]:
    """The mappings of a list, each with its place: [(place, mapping)]."""
    out = []
    for i, item in enumerate(get(mapping, key, list, place, [])):
        where = f"{place}.{key}[{i}]"
        if not isinstance(item, dict):
            raise ImportFailure(f"{where}: expected a mapping, found {item!r}")
        out.append((where, item))
    return out


def texts(mapping: dict[str, Any], key: str, place: str) -> list[str]:
    values = get(mapping, key, list, place, [])
    for i, value in enumerate(values):
        if not isinstance(value, str):
            raise ImportFailure(f"{place}.{key}[{i}]: expected text, found {value!r}")
    return values


def labels(mapping: dict[str, Any], key: str, place: str) -> dict[str, str]:
    values = section(mapping, key, place)
    for name, value in values.items():
        if not isinstance(value, str):
            raise ImportFailure(f"{place}.{key}[{name!r}]: expected text, found {value!r}")
    return values


def seconds(mapping: dict[str, Any], key: str, place: str) -> int:
    """A time stamp in whole seconds since 1970; an absent one is 0."""
    value = get(mapping, key, str, place)
    if not value:
        return 0
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise ImportFailure(f"{place}.{key}: {value!r} is not a time (RFC 3339)") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    elapsed = moment - _EPOCH
    return elapsed.days * 86400 + elapsed.seconds


class Object:
    """One API object with what every kind has."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.kind: str = raw["kind"]
        self.group = str(raw.get("apiVersion") or "").rpartition("/")[0]
        self.metadata = section(raw, "metadata", f"{self.kind}")
        name = get(self.metadata, "name", str, f"{self.kind}: metadata")
        if not name:
            raise ImportFailure(f"{self.kind}: metadata.name is missing")
        self.name: str = name
        self.namespace: str = get(
            self.metadata, "namespace", str, f"{self.kind} {name}: metadata", ""
        )
        self.key = f"{self.namespace}/{name}" if self.namespace else name
        self.place = f"{self.kind} {self.key}"
        self.labels = labels(self.metadata, "labels", f"{self.place}: metadata")
        self.annotations = labels(self.metadata, "annotations", f"{self.place}: metadata")
        self.created = seconds(self.metadata, "creationTimestamp", f"{self.place}: metadata")
        self.spec = section(raw, "spec", f"{self.place}:")
        self.status = section(raw, "status", f"{self.place}:")

    def at(self, path: str) -> str:
        return f"{self.place}: {path}"

    def in_namespace(self) -> "Object":
        """Gives an object of a namespaced kind the namespace that an omission stands for."""
        if not self.namespace:
            self.namespace = "default"
            self.key = f"default/{self.name}"
            self.place = f"{self.kind} {self.key}"
        return self
