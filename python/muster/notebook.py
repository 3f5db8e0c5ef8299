# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Parts of the HTML that notebooks show of results."""

from collections.abc import Sequence
from html import escape
from typing import Any

from .frames import Arrays


def bar(share: float) -> str:
    """A share of the whole as a bar with its number; above the whole it is red."""
    width = max(0.0, min(share, 1.0)) * 80 if share == share else 0.0
    colour = "#c44" if share > 1 else "#48a"
    return (
        f'<span style="display:inline-block;width:82px;border:1px solid #ccc">'
        f'<span style="display:inline-block;width:{width:.0f}px;height:8px;background:{colour}">'
        f"</span></span> {share:.3g}"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells are HTML already."""
    if not rows:
        return ""
    top = "".join(f"<th style='text-align:left'>{cell}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{c}</td>" for c in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def columns(data: Any, most: int = 20) -> str:
    """The first rows of a DataFrame or a dict of arrays."""
    arrays: Arrays = {str(name): data[name] for name in data}
    length = len(next(iter(arrays.values()))) if arrays else 0
    lists = [list(column[:most]) for column in arrays.values()]
    text = table([escape(name) for name in arrays],
                 [[escape(_cell(cell)) for cell in row] for row in zip(*lists)])
    return text + (f"<p>and {length - most} more rows</p>" if length > most else "")


def _cell(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def titled(title: str, *parts: str) -> str:
    return f"<div><b>{escape(title)}</b>{''.join(parts)}</div>"
