# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The safe loader of PyYAML with bounds, for texts from anywhere.

Timestamps stay text, as in JSON. Nesting, and what merge keys (`<<`) copy, is limited as it is
read. A tag that its text does not fit is an error with its line.
"""

from typing import Any

import yaml

from ..limits import DEEPEST, Limits

_MERGE = "tag:yaml.org,2002:merge"
_BROKEN = (ValueError, KeyError, IndexError, AttributeError, TypeError, OverflowError)


def loader(limits: Limits) -> Any:
    class Loader(_Bounded):
        rows = limits.rows
        deepest = min(limits.depth, DEEPEST)

    return Loader


class _Bounded(yaml.SafeLoader):
    rows = 0
    deepest = 0

    yaml_implicit_resolvers = {
        first: [(tag, form) for tag, form in entries if tag != "tag:yaml.org,2002:timestamp"]
        for first, entries in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self.depth = 0
        self.merged = 0

    def fail(self, node: Any, rule: str) -> None:
        raise yaml.constructor.ConstructorError(None, None, rule, node.start_mark)

    def compose_node(self, parent: Any, index: Any) -> Any:
        opens = self.check_event(yaml.SequenceStartEvent, yaml.MappingStartEvent)
        if opens and self.depth >= self.deepest:
            self.fail(self.peek_event(), f"nested deeper than {self.deepest}")
        self.depth += opens
        node = super().compose_node(parent, index)
        self.depth -= opens
        return node

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except _BROKEN:
            self.fail(node, f"its text is no {node.tag.rpartition(':')[2]}")

    def flatten_mapping(self, node: Any) -> None:
        """As PyYAML does it, but the copies are counted before they are made."""
        merged, kept = [], []
        for key, value in node.value:
            if key.tag != _MERGE:
                kept.append((key, value))
                continue
            sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
            parts = []
            for source in sources:
                if not isinstance(source, yaml.MappingNode):
                    self.fail(source, "expected a mapping to merge")
                if source is node:
                    self.fail(source, "a mapping is merged into itself")
                self.flatten_mapping(source)
                self.merged += len(source.value)
                if self.merged > self.rows:
                    self.fail(key, f"{self.merged} keys are merged in all; at most {self.rows} are read")
                parts.append(source.value)
            for part in reversed(parts):
                merged.extend(part)
        for key, _ in kept:
            if key.tag == "tag:yaml.org,2002:value":
                key.tag = "tag:yaml.org,2002:str"
        node.value = merged + kept
