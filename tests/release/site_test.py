# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The documentation site: headers and the Python package are read as they are, every page, header
and public name is there and found, no link leads nowhere, and the search works in a browser.

The site as a whole needs markdown-it-py, and the last Chromium; SKIP where one is absent."""

import ast
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/release/site"), str(ROOT / "tests/playground"),
                str(ROOT / "tests/capi")]

import browser  # noqa: E402 pylint: disable=wrong-import-position
import headers  # noqa: E402 pylint: disable=wrong-import-position
import languages  # noqa: E402 pylint: disable=wrong-import-position
import python_api  # noqa: E402 pylint: disable=wrong-import-position
import render  # noqa: E402 pylint: disable=wrong-import-position

HAVE_MARKDOWN = importlib.util.find_spec("markdown_it") is not None

HEADER = """// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Counts.
//
//   Count(3);
#ifndef MUSTER_COUNT_H_
#define MUSTER_COUNT_H_

#include <vector>

namespace muster {

// What is counted. Below 0: nothing.
struct Counted {
  // In units.
  int64_t amount = 0;
  std::vector<std::string> names;  // sorted
};

// Counts it.
MUSTER_EXPORT absl::StatusOr<Counted> Count(int64_t amount);

constexpr int kMost = 7;

}  // namespace muster

#endif  // MUSTER_COUNT_H_
"""

C_HEADER = """/* Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0. */
/*
 * Counts.
 */
#ifndef MUSTER_COUNT_H_
#define MUSTER_COUNT_H_

/* ---- words ----------------------------------------------------- */

#define MUSTER_MOST 7 /* of all */

typedef struct muster_counted {
  int64_t amount; /* in units */
} muster_counted;

/* Counts it. Cost: O(1). */
MUSTER_API muster_status muster_count(int64_t amount,
                                      muster_counted* out);
#endif
"""


class Parts(unittest.TestCase):
    def test_a_header(self):
        opening, items = headers.document(HEADER, is_c=False)
        self.assertEqual(opening, "Counts.\n\n  Count(3);")
        self.assertEqual([name for item in items for name in item.names], [
            ("Counted", "Counted", "type"), ("Counted-amount", "Counted::amount", "member"),
            ("Counted-names", "Counted::names", "member"), ("Count", "Count", "function"),
            ("kMost", "kMost", "constant")])
        self.assertEqual([item.prose for item in items if item.prose],
                         ["What is counted. Below 0: nothing.", "In units.", "Counts it."])
        code = "\n".join(line for item in items for line in item.code)
        for left_out in ("#include", "namespace", "#endif", "MUSTER_COUNT_H_"):
            self.assertNotIn(left_out, code)

    def test_a_header_of_c(self):
        opening, items = headers.document(C_HEADER, is_c=True)
        self.assertEqual(opening, "Counts.")
        self.assertEqual(items[0].heading, "words")
        self.assertEqual([name[1:] for item in items for name in item.names],
                         [("MUSTER_MOST", "constant"), ("muster_counted", "type"),
                          ("muster_count", "function")])

    def test_prose(self):
        self.assertEqual(
            render.prose("One `a<b>`\ntwo.\nCost. None.\n- x\n  y\n- z\n\n    code\n      more"),
            "<p>One <code>a&lt;b&gt;</code> two.</p>\n<p><b>Cost.</b> None.</p>\n"
            "<ul><li>x y</li><li>z</li></ul>\n<pre>code\n  more</pre>")

    def test_anchors_are_those_of_the_pages(self):
        taken = {}
        self.assertEqual([render.slug(text, taken) for text in
                          ("Go: the package", "What it is not", "Go: the package", "`x_y`, z")],
                         ["go-the-package", "what-it-is-not", "go-the-package-1", "x_y-z"])

    def test_the_python_package(self):
        _, entries, modules = python_api.package(ROOT / "python/muster")
        tree = ast.parse((ROOT / "python/muster/__init__.py").read_text(encoding="utf-8"))
        self.assertEqual({entry.name for entry in entries} | set(modules),
                         set(python_api.exported(tree)))
        cluster = next(entry for entry in entries if entry.name == "Cluster")
        schedule = next(row for row in cluster.members if row.name == "Cluster.schedule")
        self.assertIn("profile: ", schedule.signature)
        self.assertNotIn("self", schedule.signature)
        self.assertTrue(schedule.text)
        self.assertEqual([entry.name for entry in entries if not entry.text
                          and entry.kind not in ("class", "name")], [])


@unittest.skipUnless(HAVE_MARKDOWN, "markdown-it-py is not installed")
class Whole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import build  # pylint: disable=import-outside-toplevel

        cls.build = build
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.folder.name) / "site"
        cls.out.mkdir()
        with contextlib.redirect_stdout(io.StringIO()):
            build.Builder(cls.out).build()
        text = (cls.out / "index.js").read_text(encoding="utf-8")
        cls.rows = json.loads(text.removeprefix("const INDEX = ").removesuffix(";\n"))
        cls.found = {label for label, *_ in cls.rows}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_links(self):
        self.assertEqual(self.build.broken(self.out), [])
        (self.out / "x.html").write_text('<a href="nowhere.html"></a><a href="index.html#zz"></a>'
                                         '<img src="https://muster.example/x.png">')
        try:
            self.assertEqual(len(self.build.broken(self.out)), 3)
        finally:
            (self.out / "x.html").unlink()

    def test_everything_is_there(self):
        for page in (ROOT / "docs").glob("*.md"):
            self.assertTrue((self.out / f"docs/{page.stem}.html").exists(), page)
        for header in (ROOT / "include/muster").rglob("*.h"):
            self.assertIn(str(header.relative_to(ROOT / "include")), self.found)
        for name in ("capi/symbols.txt", "capi/symbols_experimental.txt"):
            for symbol in (ROOT / name).read_text(encoding="utf-8").split():
                self.assertIn(symbol, self.found)
        for label in ("Cluster::Schedule", "JobSpec::min_available", "muster.Cluster.schedule",
                      "muster.Plan.explain", "Fields no profile reads yet"):
            self.assertIn(label, self.found)

    def test_rows_lead_somewhere(self):
        texts = {}
        for label, _, url, _ in self.rows:
            path, _, anchor = url.partition("#")
            text = texts.setdefault(path, (self.out / path).read_text(encoding="utf-8"))
            if anchor:
                self.assertIn(f'id="{anchor}"', text, label)

    @unittest.skipUnless(browser.find_browser(), "no Chromium is installed")
    def test_search_in_a_browser(self):
        with browser.Browser(self.out / "docs/python.html") as page:
            page.wait("typeof list !== 'undefined'")

            def searched(words):
                return page.evaluate(
                    f"box.value = {json.dumps(words)}; box.dispatchEvent(new Event('input'));"
                    "[...list.querySelectorAll('a')].map(link => link.textContent)")

            self.assertEqual(searched("muster_plan_get_view")[0], "muster_plan_get_view")
            self.assertEqual(searched("CLUSTER::schedule")[0], "Cluster::Schedule")
            self.assertIn("sampling", searched("sampling"))
            self.assertEqual(searched("qqq no"), [])
            searched("muster_plan_get_view")
            page.evaluate("list.querySelector('a').click()")
            page.wait("location.hash === '#muster_plan_get_view'"
                      " && document.querySelector(location.hash) !== null")
            self.assertEqual(page.evaluate("performance.getEntriesByType('resource').filter("
                                           "entry => !entry.name.startsWith('file:')).length"), 0)


if __name__ == "__main__":
    # Debian's package is for Debian's Python.
    DEBIANS = "/usr/bin/python3"
    command = [DEBIANS, "-c", "import markdown_it"]
    if not HAVE_MARKDOWN and "MUSTER_ANOTHER_PYTHON" not in os.environ \
            and pathlib.Path(DEBIANS).exists() \
            and subprocess.run(command, capture_output=True, check=False).returncode == 0:
        os.execve(DEBIANS, [DEBIANS, *sys.argv], {**os.environ, "MUSTER_ANOTHER_PYTHON": "1"})
    languages.main()
