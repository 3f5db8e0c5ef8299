#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Builds the documentation site: the pages of docs/, the C++ and C headers, the Python package, a
search over all of it, and the files that pages link. Everything is in one folder and works from
file:// as it does from a server.

    tools/release/site/build.py --out build/dist/site

Needs markdown-it-py (Debian: python3-markdown-it). tools/release/site.sh brings it and then looks
at the site in a browser.
"""

import argparse
import html
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys

import headers
import python_api
from render import Markdown, Site, first_sentence, inline, prose

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
OTHER_PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md",
               "tests/fuzz/README.md", "examples/rust/README.md")


def page_url(path):
    """Where a page of Markdown is in the site."""
    return "index.html" if path == "README.md" else path.removesuffix(".md") + ".html"


class Builder:
    def __init__(self, out):
        version = re.search(r'MUSTER_VERSION_STRING "([0-9.]+)"',
                            (ROOT / "include/muster/version.h").read_text(encoding="utf-8"))
        self.site = Site(out, version.group(1))
        self.markdown = Markdown()
        listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True,
                                check=False).stdout.split()
        self.tracked = set(listed) or {str(path.relative_to(ROOT)) for path in ROOT.rglob("*")}
        self.pages = [*OTHER_PAGES, *sorted(f"docs/{path.name}"
                                            for path in (ROOT / "docs").glob("*.md"))]
        self.pages = [page for page in self.pages if (ROOT / page).exists()]
        self.cpp = {path: f"cpp/{path.removeprefix('include/muster/').removesuffix('.h')}.html"
                    for path in sorted(str(p.relative_to(ROOT))
                                       for p in (ROOT / "include/muster").rglob("*.h"))}
        self.c = {path: f"c/{path.removeprefix('capi/muster/').removesuffix('.h')}.html"
                  for path in sorted(str(p.relative_to(ROOT))
                                     for p in (ROOT / "capi/muster").glob("*.h"))}
        self.files = set()  # linked, and shown as they are
        self.links = {}  # name of the API -> HTML with a link

    # ---- links

    def target(self, page, link):
        """The URL, relative to the URL of `page`, that a link of a page leads to."""
        path, _, anchor = link.partition("#")
        anchor = f"#{anchor}" if anchor else ""
        if not path:
            return anchor
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if path in self.pages:
            to = page_url(path)
        elif path in self.cpp or path in self.c:
            to = self.cpp.get(path) or self.c[path]
        elif (ROOT / path).exists():
            self.files.add(path)
            to = f"files/{path}.html"
        else:
            raise ValueError(f"{page}: {link} leads nowhere")
        return posixpath.relpath(to, posixpath.dirname(page_url(page)) or ".") + anchor

    # ---- parts

    def write_pages(self):
        rendered = []
        for page in self.pages:
            text = (ROOT / page).read_text(encoding="utf-8")
            title, body, sections = self.markdown.render(text, lambda link, page=page:
                                                         self.target(page, link))
            rendered.append((page, title, body))
            for anchor, words, section in sections:
                self.site.find(words, f"page: {title}", f"{page_url(page)}#{anchor}",
                               section[:3000])
            if page.startswith("docs/"):
                self.site.manual.append((html.escape(title), page_url(page)))
        return rendered

    def write_headers(self, folder, sources, is_c):
        documents = {}
        for path, url in sources.items():
            opening, items = headers.document((ROOT / path).read_text(encoding="utf-8"), is_c)
            documents[path] = (opening, items)
            for item in items:
                for anchor, label, kind in item.names:
                    where = f"{url}#{anchor}"
                    self.site.find(label, f"{'C' if is_c else 'C++'} {kind}, {path_of(path)}",
                                   where, first_sentence(item.prose))
                    if kind in ("type", "function", "constant") and "::" not in label and (
                            is_c or kind != "function"):
                        self.links.setdefault((is_c, label), where)
        language = "C" if is_c else "C++"
        rows = []
        for path, (opening, items) in documents.items():
            url, name = sources[path], path_of(path)
            up = "../" * url.count("/")
            links = {label: f'<a href="{up}{to}">{label}</a>'
                     for (c, label), to in self.links.items() if c == is_c}
            body = [f"<h1><code>{name}</code></h1>", prose(opening)]
            for item in items:
                body.append(self.item_html(item, links))
            self.site.write(url, name, "\n".join(body))
            self.site.find(name, f"{language} header", url, first_sentence(opening))
            rows.append(f'<tr><td><a href="{url}"><code>{name}</code>'
                        f"</a></td><td>{inline(first_sentence(opening))}</td></tr>")
        first = "muster/c.h" if is_c else "muster/muster.h"
        self.site.write(f"{folder}.html", f"{language} interface",
                        f"<h1>The {language} interface</h1><p>The headers are the manual; begin "
                        f"with <code>{first}</code>.</p><table>" + "".join(rows) + "</table>")

    @staticmethod
    def item_html(item, links):
        if item.heading:
            return f"<h2>{html.escape(item.heading)}</h2>"
        marks = "".join(f'<a id="{anchor}"></a>' for anchor, _, _ in item.names)
        code = f"<pre>{headers.code_html(item.code, links)}</pre>" if item.code else ""
        style = f' style="margin-left:{item.indent * 12}px"' if item.indent else ""
        return f'<div class="item"{style}>{marks}{prose(item.prose)}{code}</div>'

    def write_python(self):
        text, entries, modules = python_api.package(ROOT / "python/muster")
        self.write_entries("python/index.html", "muster", text, entries, "muster.")
        for name, module in modules.items():
            self.write_entries(f"python/{name}.html", f"muster.{name}", module.text,
                               module.members, f"muster.{name}.")
            self.site.find(f"muster.{name}", "Python module", f"python/{name}.html",
                           first_sentence(module.text))

    def write_entries(self, url, title, text, entries, prefix):
        body = [f"<h1><code>{title}</code></h1>", prose(text)]
        for entry in entries:
            rows = [entry, *entry.members]
            for row in rows:
                kind = "class " if row.kind == "class" else ""
                heading = "h2" if row is entry else "h3"
                body.append(f'<div class="item" id="{row.name}"><{heading}><code>{row.name}</code>'
                            f"</{heading}>" if row.text or row is entry else
                            f'<div class="item" id="{row.name}">')
                body.append(f"<pre>{html.escape(kind + row.name + row.signature, quote=False)}</pre>"
                            f"{prose(row.text)}</div>")
                self.site.find(prefix + row.name, f"Python {row.kind}", f"{url}#{row.name}",
                               first_sentence(row.text))
        self.site.write(url, title, "\n".join(body))

    def write_files(self):
        """What pages link and is no page: shown as it is, a folder as a list."""
        done = set()
        while self.files - done:
            path = min(self.files - done)
            done.add(path)
            full, url = ROOT / path, f"files/{path}.html"
            title = f"<h1><code>{path}</code></h1>"
            if full.is_dir():
                inside = sorted(p for p in self.tracked if p.startswith(f"{path}/"))
                self.site.write(url, path, title + "<ul>" + "".join(
                    f"<li><code>{row}</code></li>" for row in inside) + "</ul>")
            elif full.suffix in (".svg", ".png"):
                raise ValueError(f"{path}: a picture is shown, not linked")
            else:
                text = html.escape(full.read_text(encoding="utf-8"), quote=False)
                self.site.write(url, path, f"{title}<pre>{text}</pre>")

    def build(self):
        rendered = self.write_pages()
        self.write_headers("cpp", self.cpp, False)
        self.write_headers("c", self.c, True)
        self.write_python()
        for page, title, body in rendered:
            self.site.write(page_url(page), title, self.with_pictures(page, body))
        self.write_files()
        for name in ("site.css", "search.js"):
            shutil.copy(HERE / name, self.site.out / name)
        self.site.finish()

    def with_pictures(self, page, body):
        """Copies the pictures of a page beside it; their links lead to files/ until then."""
        def copied(match):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page_url(page)),
                                                     match.group(1)))
            path = path.removeprefix("files/").removesuffix(".html")
            self.files.discard(path)
            to = self.site.out / "pictures" / pathlib.Path(path).name
            to.parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / path, to)
            up = "../" * page_url(page).count("/")
            return f'src="{up}pictures/{to.name}"'
        return re.sub(r'(?<=<img )src="([^"]+)"', copied, body)


def path_of(path):
    return path.removeprefix("include/").removeprefix("capi/")


def broken(out):
    """Links of the site that lead nowhere, and what it would load from elsewhere."""
    found, anchors, texts = [], {}, {}
    for path in out.rglob("*.html"):
        url = str(path.relative_to(out))
        texts[url] = path.read_text(encoding="utf-8")
        anchors[url] = set(re.findall(r'\bid="([^"]+)"', texts[url]))
    for url, text in texts.items():
        for name, link in re.findall(r'\b(href|src)="([^"]*)"', text):
            link = html.unescape(link)
            if re.match(r"(https?|mailto):", link):
                if name == "src" or f'<link rel="stylesheet" href="{link}' in text:
                    found.append(f"{url}: loads {link}")
                continue
            path, _, anchor = link.partition("#")
            to = posixpath.normpath(posixpath.join(posixpath.dirname(url), path)) if path else url
            if not (out / to).exists():
                found.append(f"{url}: {link}")
            elif anchor and anchor not in anchors.get(to, ()):
                found.append(f"{url}: {link}: no such place")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/dist/site")
    out = parser.parse_args().out.resolve()
    if out.exists():
        if any(out.iterdir()) and not (out / "search.js").exists():
            sys.exit(f"site: {out} is another folder; must be empty, absent or a site")
        shutil.rmtree(out)
    out.mkdir(parents=True)
    builder = Builder(out)
    builder.build()
    found = sorted(set(broken(out)))
    if found:
        sys.exit("site: links that lead nowhere:\n  " + "\n  ".join(found[:20]))
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    pages = len(builder.site.written)
    print(f"{os.path.relpath(out)}: {pages} pages, {len(builder.site.index)} rows of search, "
          f"{size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
