#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Writes python/muster/rows.py: the fields of rows as TypedDicts, from docs/scenario.schema.json.

    tools/typed_rows.py            prints it
    tools/typed_rows.py --write    replaces the file

tests/python/typing_test.py compares the file with the output.
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGET = ROOT / "python/muster/rows.py"

HEAD = '''# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The fields of rows, for type checkers and for errors that name the nearest field.

    def gpu_node(name: str) -> muster.rows.NodeSpec:
        return {"name": name, "capacity": {"cpu": 64, "nvidia.com/gpu": 8}}

tools/typed_rows.py writes this file from docs/scenario.schema.json, where each field is explained.
What ends in Keywords is what methods of muster.Cluster take: the fields of the row but its name,
those of a task's shape where the row has one, and amounts by short names. What ends in Columns is
what methods in the plural take: a value for all rows, or a column.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict

Quantity = int | float | str
Resources = Mapping[str, Quantity]
Labels = Mapping[str, str]
'''

# Row kind -> its definition, whether it has a shape, and what a method takes besides.
AMOUNTS = ("cpu", "memory", "pods", "gpu", "ephemeral_storage")
KEYWORDS = {
    "Node": ("NodeSpec", False, {name: "Quantity" for name in AMOUNTS}),
    "Queue": ("QueueSpec", False, {}),
    "Job": ("JobSpec", True, {
        **{name: "Quantity" for name in AMOUNTS},
        "count": "int", "by_count": "ByCount", "group": "str", "shape": "TaskShape",
        "devices": "Sequence[DeviceRequest]"
    }),
    "Task": ("TaskSpec", True, {name: "Quantity" for name in AMOUNTS}),
    "Reservation": ("ReservationSpec", True, {name: "Quantity" for name in AMOUNTS}),
    "Domain": ("DomainSpec", False, {}),
    "Namespace": ("NamespaceSpec", False, {}),
    "Budget": ("DisruptionBudgetSpec", False, {}),
    "Flavor": ("FlavorSpec", False, {}),
    "Partition": ("PartitionSpec", False, {}),
}
# Keys of a scenario's row that are no field of the row itself.
ROWS_OF_FILES = {"Node": ("count",)}
PLURAL = ("Node", "Queue", "Job", "Task")
# Names of definitions that are written by hand above, or that rows of clusters do not reach.
GIVEN = ("Quantity", "Resources", "Labels")
# A shape may be the name of an entry in a scenario alone.
SAME = {"ShapeOrName": "TaskShape"}


def type_of(schema: dict) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return SAME.get(name, name)
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(word) for word in schema['enum'])}]"
    kind = schema.get("type")
    if kind == "array":
        return f"Sequence[{type_of(schema['items'])}]"
    if kind == "object":
        return f"Mapping[str, {type_of(schema['additionalProperties'])}]"
    plain = {"string": "str", "integer": "int", "boolean": "bool", "number": "float"}
    return plain.get(kind, "Any")


def references(schema) -> list[str]:
    if isinstance(schema, dict):
        found = [schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else []
        return found + [name for value in schema.values() for name in references(value)]
    if isinstance(schema, list):
        return [name for value in schema for name in references(value)]
    return []


def written(definitions: dict) -> list[str]:
    """The definitions that rows reach, each after those that it names."""
    order: list[str] = []

    def visit(name: str) -> None:
        name = SAME.get(name, name)
        if name in order or name in GIVEN:
            return
        for other in references(definitions[name]):
            visit(other)
        order.append(name)

    for definition, _, _ in KEYWORDS.values():
        visit(definition)
    return order


def wrapped(line: str) -> str:
    """Long Literals and definitions over several lines."""
    if len(line) <= 100 or "Literal[" not in line:
        return line
    head, words = line.split("Literal[", 1)
    words, tail = words.rsplit("]", 1)
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return f"{head}Literal[\n" + "".join(f"{indent}{word},\n"
                                         for word in words.split(", ")) + f"{indent[4:]}]{tail}"


def typed_dict(name: str, fields: dict[str, str], required: tuple[str, ...] = ()) -> str:
    for field in fields:
        assert field.isidentifier(), field
    lines = [f"class {name}(TypedDict, total=False):"]
    for field, kind in fields.items():
        lines.append(wrapped(f"    {field}: {f'Required[{kind}]' if field in required else kind}"))
    return "\n".join(lines if fields else [*lines, "    pass"])


def text() -> str:
    definitions = json.loads((ROOT / "docs/scenario.schema.json").read_text())["$defs"]
    parts = [HEAD.rstrip()]
    for name in written(definitions):
        schema = definitions[name]
        if "properties" in schema:
            fields = {key: type_of(value) for key, value in schema["properties"].items()}
            parts.append(typed_dict(name, fields, tuple(schema.get("required", ()))))
        else:
            parts.append(wrapped(f"{name} = {type_of(schema)}"))
    shape = definitions["TaskShape"]["properties"]
    for kind, (definition, has_shape, more) in KEYWORDS.items():
        own = definitions[definition]["properties"]
        fields = {key: type_of(value) for key, value in own.items() if key not in
                  ("name", *ROWS_OF_FILES.get(kind, ()))}
        if has_shape:
            fields |= {
                key: type_of(value) for key, value in shape.items() if key not in fields
            }
        parts.append(typed_dict(f"{kind}Keywords", fields | more))
        if kind in PLURAL:
            columns = dict.fromkeys(["name", *fields, *more], "Any")
            parts.append(typed_dict(f"{kind}Columns", columns))
    return "\n\n\n".join(parts) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        TARGET.write_text(text())
    else:
        print(text(), end="")
