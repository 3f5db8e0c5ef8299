# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Pages of the site as HTML, from Markdown and from prose of comments; and what the search knows of
them."""

import html
import json
import re

NAVIGATION = (
    ("Start", (("Overview", "index.html"), ("Changes", "CHANGELOG.html"),
               ("Contributing", "CONTRIBUTING.html"))),
    ("API", (("C++", "cpp.html"), ("C", "c.html"), ("Python", "python/index.html"))),
)
# What the openings of headers state, each from a line of its own on.
HEADED = re.compile(r"(Promise|Failure|Ownership|Threads|Cost)\.(?= |$)")


def slug(text, taken):
    """The anchor of a heading, as the pages' links have it: that of GitHub."""
    made = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
    count = taken.get(made, 0)
    taken[made] = count + 1
    return f"{made}-{count}" if count else made


def plain(markup):
    """HTML as text."""
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def first_sentence(text):
    text = re.sub(r"\s+", " ", text.split("\n\n")[0]).strip()
    return re.split(r"(?<=[.:]) ", text)[0][:160]


def inline(text):
    """`code` of a comment."""
    text = html.escape(text, quote=False)
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", text)


def prose(text):
    """Text of a comment: paragraphs, lists (each row begins with a dash), and indented blocks,
    which are printed as they are."""
    out, lines, i = [], text.split("\n"), 0
    while i < len(lines):
        line = lines[i]
        if not line.strip():
            i += 1
        elif line.startswith("  "):
            block = []
            while i < len(lines) and (lines[i].startswith("  ") or not lines[i].strip()):
                block.append(lines[i])
                i += 1
            while not block[-1].strip():
                block.pop()
            indent = min(len(row) - len(row.lstrip()) for row in block if row.strip())
            text = "\n".join(row[indent:] for row in block)
            out.append(f"<pre>{html.escape(text, quote=False)}</pre>")
        elif line.startswith("- "):
            rows = []
            while i < len(lines) and (lines[i].startswith(("- ", "  ")) and lines[i].strip()):
                if lines[i].startswith("- "):
                    rows.append(lines[i][2:])
                else:
                    rows[-1] += " " + lines[i].strip()
                i += 1
            out.append("<ul>" + "".join(f"<li>{inline(row)}</li>" for row in rows) + "</ul>")
        else:
            block = [line]
            i += 1
            while i < len(lines) and lines[i].strip() and not lines[i].startswith(("  ", "- ")) \
                    and not HEADED.match(lines[i]):
                block.append(lines[i])
                i += 1
            text = HEADED.sub(r"<b>\1.</b>", inline(" ".join(block)), count=1)
            out.append(f"<p>{text}</p>")
    return "\n".join(out)


class Site:
    """Writes pages and collects what the search finds."""

    def __init__(self, out, version):
        self.out, self.version = out, version
        self.index = []  # [label, kind, url, text]
        self.manual = []  # (title, url) of docs/
        self.written = {}  # url -> anchors

    def find(self, label, kind, url, text=""):
        self.index.append([label, kind, url, re.sub(r"\s+", " ", text).strip()])

    def navigation(self, up, url):
        out = []
        for heading, rows in (*NAVIGATION[:1], ("Manual", self.manual), *NAVIGATION[1:]):
            links = "".join(
                f'<li><a href="{up}{to}"{" class=here" if to == url else ""}>{title}</a></li>'
                for title, to in rows)
            out.append(f"<h2>{heading}</h2><ul>{links}</ul>")
        return "".join(out)

    def write(self, url, title, body):
        up = "../" * url.count("/")
        text = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)} - Muster</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="{up}site.css"></head>
<body data-up="{up}">
<nav><a class="name" href="{up}index.html">Muster</a> <small>{self.version}</small>
<input id="search" type="search" placeholder="Search (press /)" aria-label="Search" autocomplete="off">
<ol id="found"></ol>{self.navigation(up, url)}</nav>
<main>{body}</main>
<script src="{up}index.js"></script><script src="{up}search.js"></script>
</body></html>
"""
        path = self.out / url
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.written[url] = set(re.findall(r'\bid="([^"]+)"', text))

    def finish(self):
        rows = json.dumps(self.index, ensure_ascii=False, separators=(",", ":"))
        (self.out / "index.js").write_text(f"const INDEX = {rows};\n", encoding="utf-8")


class Markdown:
    """Renders pages; `target(link)` returns the URL that a relative link leads to in the site."""

    def __init__(self):
        import markdown_it  # pylint: disable=import-outside-toplevel

        self.parser = markdown_it.MarkdownIt("commonmark", {"html": False}).enable("table")

    def render(self, text, target):
        """(title, HTML, [(anchor, heading, text)]) of a page."""
        tokens = self.parser.parse(text)
        taken, sections, title = {}, [], ""
        for i, token in enumerate(tokens):
            if token.type == "heading_open":
                inner = tokens[i + 1]
                words = "".join(child.content for child in inner.children)
                anchor = slug(words, taken)
                token.attrSet("id", anchor)
                title = title or words
                sections.append([anchor, words, []])
            elif token.type == "inline":
                if sections and tokens[i - 1].type != "heading_open":
                    sections[-1][2].append(" ".join(child.content for child in token.children))
                for child in token.children:
                    for name in ("href", "src"):
                        link = child.attrGet(name)
                        if link and not re.match(r"[a-z]+:", link):
                            child.attrSet(name, target(link))
            elif token.type in ("fence", "code_block") and sections:
                sections[-1][2].append(token.content)
        body = self.parser.renderer.render(tokens, self.parser.options, {})
        return title, body, [(a, words, " ".join(parts)) for a, words, parts in sections]
