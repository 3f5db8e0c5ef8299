# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Public headers as documents: their opening, then comments as prose, each before the code that it
describes, in the order of the header. The headers are the manual, so nothing is left out but what
only the compiler reads."""

import html
import re
from dataclasses import dataclass, field

LICENSE = "Licensed under the Apache License"
# What only the compiler reads.
SKIPPED = re.compile(r"""
    \s*(?:\#(?:include|ifn?def|endif|undef)\b.*|\#define\ MUSTER_\w*_H_|namespace\ [\w:]*\ ?\{
    |\}\ \ //\ namespace.*|extern\ "C"\ \{|\})\s*""", re.VERBOSE)
WORDS = {"if", "for", "while", "switch", "return", "sizeof", "defined", "alignof", "operator",
         "MUSTER_EXPORT", "MUSTER_API", "uint32_t", "int64_t"}


@dataclass
class Item:
    """Prose, and the code that follows it; either may be empty."""
    prose: str = ""
    code: list = field(default_factory=list)
    indent: int = 0
    heading: str = ""
    names: list = field(default_factory=list)  # (anchor, label, kind)


def opening_and_body(lines):
    """The comment at the top, without the license line, and the rest."""
    lines = [line for line in lines if LICENSE not in line]
    top, rest = [], list(lines)
    if rest and rest[0].startswith("/*"):
        text = "\n".join(rest)
        end = text.index("*/")
        top = comment_text(text[:end + 2].split("\n"))
        rest = text[end + 2:].split("\n")
    else:
        while rest and (rest[0].startswith("//") or not rest[0].strip()):
            line = rest.pop(0)
            if not line.strip() and top:
                break
            top.append(line[3:] if line.strip() else "")
    return "\n".join(top).strip("\n"), rest


def comment_text(lines):
    """Lines of /* ... */ without its marks."""
    out = []
    for line in lines:
        line = re.sub(r"^\s*/\*+ ?", "", line)
        line = re.sub(r"\s*\*+/\s*$", "", line)
        out.append(re.sub(r"^\s*\* ?", "", line).rstrip())
    while out and not out[0]:
        out.pop(0)
    return out


def items(lines):
    """The items of a header's body."""
    made, item, i = [], Item(), 0

    def finish():
        nonlocal item
        while item.code and not item.code[-1].strip():
            item.code.pop()
        if item.prose or item.code or item.heading:
            made.append(item)
        item = Item()

    while i < len(lines):
        line = lines[i]
        bare = line.strip()
        if bare.startswith("//") and not SKIPPED.fullmatch(line):
            finish()
            item.indent = len(line) - len(line.lstrip())
            block = []
            while i < len(lines) and lines[i].strip().startswith("//"):
                block.append(lines[i].strip()[3:])
                i += 1
            item.prose = "\n".join(block)
            continue
        if bare.startswith("/*"):
            finish()
            item.indent = len(line) - len(line.lstrip())
            block = [line]
            while "*/" not in lines[i]:
                i += 1
                block.append(lines[i])
            i += 1
            text = "\n".join(comment_text(block))
            heading = re.fullmatch(r"-+ (.*?) -+", text)
            if heading:
                item.heading = heading.group(1)
                finish()
            else:
                item.prose = text
            continue
        if SKIPPED.fullmatch(line):
            pass
        elif bare or item.code:
            item.code.append(line)
        elif item.prose and not bare:
            finish()  # prose that belongs to no code
        i += 1
    finish()
    return made


def name_items(made, is_c):
    """Gives each item the names that its code declares."""
    scope, seen = "", set()
    for item in made:
        for line in item.code:
            for label, kind in declared(line, scope, is_c):
                anchor = label.replace("::", "-")
                if anchor not in seen:
                    seen.add(anchor)
                    item.names.append((anchor, label, kind))
            opened = re.match(r"(?:template .*>\s*)?(?:class|struct|enum class|enum)\s+"
                              r"(?:MUSTER_EXPORT\s+)?(\w+)[^;]*\{\s*$", line)
            if opened:
                scope = opened.group(1)
            elif re.match(r"typedef (?:struct|union) (\w+) \{", line):
                scope = re.match(r"typedef (?:struct|union) (\w+)", line).group(1)
            elif line.startswith("}"):
                scope = ""
    return made


def declared(line, scope, is_c):
    """(label, kind) of what a line of code declares."""
    if is_c:
        found = re.match(r"#define (MUSTER_\w+)", line)
        if found:
            return [(found.group(1), "constant")]
        found = re.match(r"typedef (?:struct|union) (\w+)", line)
        if found:
            return [(found.group(1), "type")]
        return [(name, "function") for name in re.findall(r"\b(muster_\w+)\(", line)
                if not line.lstrip().startswith(("typedef", "*"))]
    found = re.match(r"\s*(?:template .*>\s*)?(?:class|struct|enum class|enum)\s+"
                     r"(?:MUSTER_EXPORT\s+)?(\w+)\b(?!.*;|::)", line)
    if found:
        inner = line.startswith(" ") and scope
        return [(f"{scope}::{found.group(1)}" if inner else found.group(1), "type")]
    found = re.match(r"\s*using (\w+) =", line)
    if found:
        return [(found.group(1), "type")]
    # A parameter list opens behind a name that follows a type.
    found = re.match(r"\s*[\w:<>,*&\s\[\]\"]*?[\s*&>](~?\w+)\(", line)
    if found and found.group(1) not in WORDS and not line.strip().startswith(("return", ":", ".")):
        return [(f"{scope}::{found.group(1)}" if scope else found.group(1), "function")]
    found = re.match(r"\s+[\w:<>,*&\s]+?[\s*&>](\w+)(?: = .*|\{.*)?;", line)
    if found and scope and not line.strip().startswith(("return", "using", "friend")):
        return [(f"{scope}::{found.group(1)}", "member")]
    found = re.match(r"(?:inline )?constexpr [\w:<>\s]+? (k\w+)", line)
    return [(found.group(1), "constant")] if found else []


def document(text, is_c):
    """(opening, items) of a header."""
    opening, body = opening_and_body(text.split("\n"))
    return opening, name_items(items(body), is_c)


def code_html(lines, links):
    """Code with its comments set apart, and known names as links."""
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    out = []
    for line in lines:
        code, mark, comment = line[indent:].partition("//")
        if not mark and "/*" in code:
            code, mark, comment = code.partition("/*")
        text = re.sub(r"\b[A-Za-z_]\w+\b", lambda word: links.get(word.group(0), word.group(0)),
                      html.escape(code, quote=False).replace("&lt;", "\0").replace("&gt;", "\1")
                      .replace("&amp;", "\2"))
        text = text.replace("\0", "&lt;").replace("\1", "&gt;").replace("\2", "&amp;")
        if mark:
            text += f'<i class="comment">{html.escape(mark + comment, quote=False)}</i>'
        out.append(text)
    return "\n".join(out)
