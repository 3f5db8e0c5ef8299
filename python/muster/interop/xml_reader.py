# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Configurations of YARN's schedulers, which are XML, as what the importers read.

    read_xml("<configuration><property><name>k</name><value>v</value></property></configuration>")
    # {"k": "v"}
    read_xml("<allocations><queue name='a'><weight>2</weight></queue></allocations>")
    # {"allocations": {"queue": [{"name": "a", "weight": "2"}]}}

Of two properties of one name the last counts. An element becomes an object of its attributes and
elements, or its text if it has neither; elements of one name become a list. Documents with a type
declaration are refused, so no entity is expanded. Time is linear in the text.
"""

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from ..limits import DEEPEST
from .report import ImportFailure

_LISTS = ("queue", "pool", "user")
_PARTS = ("name", "value", "final", "source", "description", "tag")  # of a property


def read_xml(text: str, place: str) -> dict[str, Any]:
    """Returns the properties, or the allocations; raises ImportFailure for any other text."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ImportFailure(f"{place}: has a document type; expected elements alone")
    try:
        root = ElementTree.fromstring(text.strip())
    except ElementTree.ParseError as error:
        raise ImportFailure(f"{place}: not valid XML: {error}") from None
    if root.tag == "configuration":
        return _properties(root, place)
    if root.tag == "allocations":
        return {"allocations": _element(root, place, 1)}
    raise ImportFailure(
        f"{place}: the root is <{root.tag}>; expected <configuration> or <allocations>"
    )


def _properties(root: ElementTree.Element, place: str) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    number = 0
    for element in _parts(root, ("property",), place):
        number += 1
        at = f"{place}: property {number}"
        parts = {part.tag: part for part in _parts(element, _PARTS, at)}
        name = (parts["name"].text or "").strip() if "name" in parts else ""
        if not name:
            raise ImportFailure(f"{at}: has no <name>")
        if "value" not in parts:
            raise ImportFailure(f'{at}: "{name}" has no <value>; an empty one is blank')
        properties[name] = (parts["value"].text or "").strip()
    return properties


def _parts(
    element: ElementTree.Element, known: tuple[str, ...], place: str
) -> Iterator[ElementTree.Element]:
    for part in element:
        if not isinstance(part.tag, str):  # a comment
            continue
        if part.tag not in known:
            raise ImportFailure(
                f"{place}: <{part.tag}> is not known; expected one of "
                + ", ".join(f"<{tag}>" for tag in known)
            )
        yield part


def _element(element: ElementTree.Element, place: str, depth: int) -> Any:
    if depth > DEEPEST:
        raise ImportFailure(f"{place}: nested deeper than {DEEPEST}")
    if not len(element) and not element.attrib and depth > 1:
        return (element.text or "").strip()
    value: dict[str, Any] = dict(element.attrib)
    for child in element:
        if not isinstance(child.tag, str):  # a comment
            continue
        made = _element(child, place, depth + 1)
        if child.tag in _LISTS:
            value.setdefault(child.tag, []).append(made if isinstance(made, dict) else {})
        elif child.tag not in value:
            value[child.tag] = made
        elif isinstance(value[child.tag], list):
            value[child.tag].append(made)
        else:
            value[child.tag] = [value[child.tag], made]
    return value
