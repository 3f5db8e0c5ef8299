# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Reading dumps and scheduler configurations from text, for importers, which read JSON.

JSON is read by the standard library. YAML dumps need PyYAML. Scheduler configurations are small
enough for the reader below, which takes the part of YAML they are written in: block mappings and
lists, plain and quoted scalars, comments, and the flow forms [a, b] and {a: b} on one line. It
refuses everything else, with the line number. Configurations of YARN are XML (xml_reader).
"""

import json
import re
from typing import Any

from ..errors import expect
from ..limits import DEEPEST, DEFAULT, Limits
from .bounds import check
from .report import ImportFailure
from .xml_reader import read_xml


def read_objects(text: str, *, limits: Limits = DEFAULT) -> list[dict[str, Any]]:
    """Returns the objects of a dump: a List, a JSON array, one object, or a stream of YAML or JSON
    documents.

    Raises ImportFailure if they are more than `limits`. Each object is a row, and so is each value
    that an alias of YAML repeats.
    """
    expect(limits, Limits, "limits")
    expect(text, str, "dump")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > limits.bytes:
        raise ImportFailure(f"dump: {size} bytes in all; at most {limits.bytes} are read")
    objects: list[dict[str, Any]] = []
    documents = _documents(text, limits)
    check(documents, limits)
    for number, document in enumerate(documents, 1):
        _flatten(document, f"document {number}", objects)
    return objects


def _documents(text: str, limits: Limits) -> list[Any]:
    stripped = text.lstrip("\ufeff \t\r\n")
    if not stripped:
        return []
    if stripped[0] in "{[":
        return _json_stream(stripped)
    try:
        import yaml
    except ImportError:
        raise ImportFailure(
            "a YAML dump needs PyYAML (pip install pyyaml); JSON is read without it"
        ) from None
    try:
        from .yaml_loader import loader

        return [d for d in yaml.load_all(text, Loader=loader(limits)) if d is not None]
    except RecursionError:
        raise ImportFailure("dump: mappings that merge each other too deep") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}: " if mark else ""
        raise ImportFailure(
            f"dump: {line}not valid YAML: {getattr(error, 'problem', None) or error}"
        ) from None


def _json_stream(text: str) -> list[Any]:
    decoder, documents, position = json.JSONDecoder(parse_int=_integer), [], 0
    while position < len(text):
        try:
            document, position = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            raise ImportFailure(f"dump: line {error.lineno}: not valid JSON: {error.msg}") from None
        except _LongInteger as error:
            line = text.count("\n", 0, text.find(str(error), position)) + 1
            raise ImportFailure(
                f"dump: line {line}: a number of {len(str(error))} digits; {_SHORT}"
            ) from None
        except RecursionError:
            raise ImportFailure(
                f"dump: document {len(documents) + 1}: nested deeper than {DEEPEST}"
            ) from None
        documents.append(document)
        while position < len(text) and text[position].isspace():
            position += 1
    return documents


_ANSWERS = {"nodes", "apps", "scheduler", "containers"}  # of YARN's resource manager
_SHORT = "expected an integer of 64 bits"


class _LongInteger(Exception):
    """Its digits."""


def _integer(digits: str) -> int:
    if len(digits) > 40:
        raise _LongInteger(digits)
    return int(digits)


def _flatten(value: Any, place: str, out: list[dict[str, Any]]) -> None:
    if isinstance(value, list):
        for i, item in enumerate(value):
            _flatten(item, f"{place}[{i}]", out)
        return
    if not isinstance(value, dict):
        raise ImportFailure(f"{place}: expected an object, found {type(value).__name__}")
    if "MyType" in value or (len(value) == 1 and not _ANSWERS.isdisjoint(value)):
        out.append(value)  # an ad, or an answer, without a kind
        return
    kind = value.get("kind")
    if not isinstance(kind, str) or not kind:
        raise ImportFailure(f"{place}: the field kind is missing")
    if kind.endswith("List") and "items" in value:
        items = value["items"]
        if items is not None and not isinstance(items, list):
            raise ImportFailure(f"{place}.items: expected a list, found {type(items).__name__}")
        for i, item in enumerate(items or []):
            # The items of a typed list (PodList) need not repeat their kind.
            if isinstance(item, dict) and "kind" not in item and kind != "List":
                item = {
                    "kind": kind.removesuffix("List"),
                    "apiVersion": value.get("apiVersion", ""),
                } | item
            _flatten(item, f"{place}.items[{i}]", out)
        return
    out.append(value)


def configuration_text(text: str) -> str:
    """The scheduler's configuration: the text itself, or what the ConfigMap in it holds."""
    if not re.search(r"""(^|[{,])\s*"?kind"?\s*:\s*"?ConfigMap""", text, re.MULTILINE):
        return text
    found = []
    for obj in read_objects(text):
        data = obj.get("data") if obj["kind"] == "ConfigMap" else None
        if isinstance(data, dict):
            found += [(key, value) for key, value in data.items()
                      if key.endswith((".conf", ".yaml"))]
    if len(found) != 1 or not isinstance(found[0][1], str):
        keys = ", ".join(repr(key) for key, _ in found) or "none"
        raise ImportFailure(
            f"ConfigMap: expected one key that ends in .conf or .yaml, found {keys}")
    return found[0][1]


# --- scheduler configurations --------------------------------------------------------------------

_KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#'"\[\]{},&*!|>%@`-][^#]*?|-[^\s#][^#]*?)\s*:(?:\s+|$)"""
)
_INT = re.compile(r"[+-]?\d+")
_FLOAT = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?")


CONFIGURATION = "scheduler configuration"


def read_configuration(text: str, place: str = CONFIGURATION) -> Any:
    """The value of one small YAML (or JSON) document, or of YARN's XML."""
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return read_xml(text.lstrip("\ufeff"), place)
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text, parse_int=_integer)
        except json.JSONDecodeError as error:
            raise ImportFailure(
                f"{place}: line {error.lineno}: not valid JSON: {error.msg}"
            ) from None
        except _LongInteger as error:
            raise ImportFailure(
                f"{place}: a number of {len(str(error))} digits; {_SHORT}"
            ) from None
        except RecursionError:
            raise ImportFailure(f"{place}: nested deeper than {DEEPEST}") from None
    lines = []
    for number, raw in enumerate(text.splitlines(), 1):
        line = _uncomment(raw).rstrip()
        if not line.strip() or line == "---":
            continue
        indent = len(line) - len(line.lstrip(" "))
        if line[indent] == "\t":
            raise ImportFailure(f"{place}: line {number}: a tab cannot indent YAML")
        lines.append((indent, line[indent:], number))
    if not lines:
        return None
    parser = _Block(lines, place)
    value = parser.block(lines[0][0])
    if parser.position < len(lines):
        parser.fail("unexpected indentation")
    return value


def _uncomment(line: str) -> str:
    quote = ""
    for i, char in enumerate(line):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "#" and (i == 0 or line[i - 1] in " \t"):
            return line[:i]
    return line


class _Block:
    def __init__(self, lines: list[tuple[int, str, int]], place: str) -> None:
        self.lines, self.place, self.position = lines, place, 0

    def fail(self, why: str) -> None:
        number = self.lines[min(self.position, len(self.lines) - 1)][2]
        raise ImportFailure(f"{self.place}: line {number}: {why}")

    def block(self, indent: int) -> Any:
        line = self.lines[self.position][1]
        if line == "-" or line.startswith("- "):
            return self.sequence(indent)
        if _KEY.match(line):
            return self.mapping(indent)
        self.position += 1
        return self.scalar(line)

    def sequence(self, indent: int) -> list[Any]:
        out = []
        while self.position < len(self.lines):
            at, line, number = self.lines[self.position]
            if at != indent or not (line == "-" or line.startswith("- ")):
                break
            rest = line[1:].lstrip(" ")
            if not rest:
                self.position += 1
                out.append(self.nested(indent))
                continue
            # What follows the dash is a block of its own that begins in that column.
            inner = indent + len(line) - len(rest)
            self.lines[self.position] = (inner, rest, number)
            out.append(self.block(inner))
        return out

    def mapping(self, indent: int) -> dict[str, Any]:
        out: dict[str, Any] = {}
        while self.position < len(self.lines):
            at, line, _ = self.lines[self.position]
            if at != indent or line == "-" or line.startswith("- "):
                break
            match = _KEY.match(line)
            if match is None:
                self.fail(f"expected `key: value`, found {line!r}")
            key, rest = str(self.scalar(match[1], plain_text=True)), line[match.end() :]
            if key in out:
                self.fail(f"the key {key!r} is given twice")
            if rest:
                out[key] = self.scalar(rest)
                self.position += 1
                if self.position < len(self.lines) and self.lines[self.position][0] > indent:
                    self.fail("unexpected indentation")
            else:
                self.position += 1
                out[key] = self.nested(indent, lists_may_align=True)
        return out

    def nested(self, indent: int, lists_may_align: bool = False) -> Any:
        if self.position == len(self.lines):
            return None
        at, line, _ = self.lines[self.position]
        if at > indent:
            return self.block(at)
        if lists_may_align and at == indent and (line == "-" or line.startswith("- ")):
            return self.sequence(indent)
        return None

    def scalar(self, text: str, plain_text: bool = False) -> Any:
        text = text.strip()
        if text[0] == '"':
            try:
                return json.loads(text)
            except json.JSONDecodeError:
                self.fail(f"cannot read the quoted text {text}")
        if text[0] == "'":
            if len(text) < 2 or text[-1] != "'":
                self.fail(f"cannot read the quoted text {text}")
            return text[1:-1].replace("''", "'")
        if plain_text:
            return text
        if text[0] in "[{":
            return self.flow(text)
        if text[0] in "&*!|>%@`":
            self.fail(f"{text!r} uses YAML that scheduler configurations do not need")
        return _plain(text)

    def flow(self, text: str) -> Any:
        if text[-1] != {"[": "]", "{": "}"}[text[0]]:
            self.fail(f"{text!r} is not closed on its line")
        items = [item.strip() for item in text[1:-1].split(",") if item.strip()]
        if text[0] == "[":
            return [self.scalar(item) for item in items]
        out = {}
        for item in items:
            match = _KEY.match(item)
            if match is None:
                self.fail(f"expected `key: value`, found {item!r}")
            rest = item[match.end() :]
            out[str(self.scalar(match[1], plain_text=True))] = self.scalar(rest) if rest else None
        return out


def _plain(text: str) -> Any:
    if text in ("null", "~", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    if len(text) <= 40 and _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
