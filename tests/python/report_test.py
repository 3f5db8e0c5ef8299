# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The report: well-formed, whole, and nothing in it that is loaded from elsewhere; the commands
that write it."""

import html
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec

from engine import muster, needs_engine
from replay_test import pool
from study_test import study

VOID = {"meta", "br", "hr", "img", "line", "rect"}  # SVG's are written as <line .../>


class Page(html.parser.HTMLParser):
    """Every element is closed in order; counts figures and keeps addresses."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.figures, self.drawn, self.addresses, self.words = [], [], 0, [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.addresses += [v for k, v in attributes
                           if k in ("href", "src", "xlink:href", "action", "data")]
        if tag == "svg":
            self.figures.append(told["aria-label"])
        self.drawn += tag in ("path", "rect")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.drawn += tag == "rect"

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag, tag

    def handle_data(self, text):
        self.words.append(text)


# Run in the browser alone: reports have no script. What each figure shows of itself, as a browser
# has laid it out.
PROBE = """
const figures = [...document.querySelectorAll("svg.figure")].map((svg) => {
  const parts = [...svg.querySelectorAll("path, rect")], view = svg.viewBox.baseVal;
  const inked = parts.filter((part) => {
    const box = part.getBBox(), style = getComputedStyle(part);
    const colour = style.fill === "none" ? style.stroke : style.fill;
    return box.width + box.height > 0 && colour !== "none" && colour !== "rgba(0, 0, 0, 0)";
  });
  const outside = parts.map((part) => part.getBBox()).filter((box) =>
    box.x < -1 || box.y < -1 || box.x + box.width > view.width + 1 || box.y + box.height > view.height + 1);
  const { width, height } = svg.getBoundingClientRect();
  return { name: svg.getAttribute("aria-label"), width, height, inked: inked.length, outside: outside.length };
});
const paper = getComputedStyle(document.body).backgroundColor;
document.body.dataset.told = JSON.stringify({ paper, figures });
"""


def mixed():
    return study(muster.traces.mix(jobs=300, nodes=8), ["muster", "volcano"], replicates=2)


@needs_engine
class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name, "report.html")
        cls.study = mixed()
        cls.study.report(cls.path, "muster study <mix>")
        cls.text = cls.path.read_text(encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_figure_is_there(self):
        page = Page(self.text)
        expected = ["Utilisation over time", "Pending jobs over time", "Distribution of waits",
                    "Fragmentation over time"]
        for label in ("muster", "volcano"):
            expected += [f"Queue shares under {label}", f"Mean wait by size and time under {label}"]
            expected += [f"Pending by reason under {label}", f"Nodes under {label}"]
        self.assertEqual(sorted(page.figures), sorted(expected))
        self.assertGreater(page.drawn, 30)

    def test_nothing_is_loaded(self):
        page = Page(self.text)
        self.assertEqual(page.addresses, [])
        self.assertNotRegex(self.text, r"https?://|url\(|@import|<script|<link")
        self.assertNotRegex(self.text, r"\bnan\b")

    def test_says_what_was_run_and_how_to_run_it_again(self):
        words = " ".join(Page(self.text).words)
        for part in ("a mix of 300 gangs", "muster study <mix>", self.study.digest,
                     "2 times with jobs drawn anew", "mean bounded slowdown"):
            self.assertIn(part, words)
        self.assertNotIn("Partial", words)

    def test_light_and_dark_have_the_same_colours_named(self):
        light, dark = (set(re.findall(r"(--\w+):#", part))
                       for part in self.text.split("@media")[:2])
        self.assertEqual(light, dark)

    def test_names_are_escaped(self):
        trace = pool(50).on(processors=16, name="<b>&")
        path = pathlib.Path(self.folder.name, "escaped.html")
        study(trace, replicates=0).report(path)
        self.assertIn("&lt;b&gt;&amp;", path.read_text())
        self.assertNotIn("<b>", path.read_text())

    def test_a_folder_that_is_not_there(self):
        with self.assertRaises(OSError):
            self.study.report(pathlib.Path(self.folder.name, "none/report.html"))

    @unittest.skipUnless(shutil.which("chromium"), "chromium is not installed")
    def test_in_a_browser(self):
        """Light and dark: a console without a word, and every figure of every kind with ink in
        it."""
        pooled = pathlib.Path(self.folder.name, "pool.html")
        study(pool(400), replicates=0).report(pooled)
        papers = set()
        for name, path in (("mix", self.path), ("pool", pooled)):
            for look in ("light", "dark"):
                with self.subTest(name=name, look=look):
                    told = self.look(path, f"{name}_{look}",
                                     ["--force-dark-mode"] if look == "dark" else [])
                    papers.add(told["paper"])
                    self.assertEqual([f["name"] for f in told["figures"]],
                                     Page(path.read_text()).figures)
                    for figure in told["figures"]:
                        self.assertGreater(min(figure["width"], figure["height"]), 50, figure)
                        self.assertGreater(figure["inked"], 0, figure)
                        self.assertEqual(figure["outside"], 0, figure)
        self.assertEqual(len(papers), 2)

    def look(self, path, name, more):
        folder = pathlib.Path(self.folder.name)
        probed = folder / f"{name}.html"
        probed.write_text(path.read_text().replace("</body>", f"<script>{PROBE}</script></body>"))
        run = lambda page, *words: subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             "--window-size=1300,2400",
             f"--user-data-dir={folder / 'profile'}", *more, *words, page.as_uri()],
            capture_output=True, text=True, timeout=120,
        )
        shot = folder / f"{name}.png"
        done = run(path, f"--screenshot={shot}")
        self.assertNotIn("CONSOLE", done.stderr)
        self.assertGreater(shot.stat().st_size, 50_000)
        kept = os.environ.get("MUSTER_ARTEFACTS")
        if kept:
            shutil.copy(shot, kept)
        found = re.search('data-told="([^"]*)"', run(probed, "--dump-dom").stdout)
        self.assertIsNotNone(found)
        return json.loads(html.unescape(found.group(1)))

    @unittest.skipUnless(find_spec("matplotlib"), "matplotlib is not installed")
    def test_figures_for_papers(self):
        for form, begin in (("svg", b"<?xml"), ("png", b"\x89PNG")):
            made = self.study.save_figures(pathlib.Path(self.folder.name, form), form)
            self.assertEqual([p.stem for p in made], ["0_utilisation", "0_pending", "0_waits"])
            self.assertTrue(all(p.read_bytes().startswith(begin) for p in made))


@needs_engine
class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        pool(300).save(self.folder / "pool.npz")

    def run_command(self, *words):
        path = os.pathsep.join(p for p in (str(pathlib.Path(muster.__file__).parents[1]),
                                           os.environ.get("PYTHONPATH")) if p)
        return subprocess.run(
            [sys.executable, "-m", "muster", *words], capture_output=True, text=True,
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": path, "MUSTER_CACHE": str(self.folder / "cache")},
        )

    def test_compare_reproduce_report(self):
        done = self.run_command(
            "study", "pool.npz", "--profile", "fcfs", "--profile",
            "easy:order=sjf,estimate=actual",
            "--replicates", "3", "--save", "study.json", "--report", "report.html",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("easy:order=sjf,estimate=actual", done.stdout)
        self.assertIn("8 of 8 replays", done.stderr)
        self.assertIn("muster study pool.npz",
                      (self.folder / "report.html").read_text())
        done = self.run_command("reproduce", "study.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("equal digests", done.stdout)
        self.assertNotIn("from the cache", done.stderr)
        done = self.run_command("report", "study.json", "-o", "again.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(8 from the cache)", done.stderr)
        self.assertEqual(len(Page((self.folder / "again.html").read_text()).figures), 9)

    def test_sweep(self):
        done = self.run_command("sweep", "pool.npz", "--profile", "volcano", "--vary",
                                "latency=0,60", "--replicates", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("volcano latency=60", done.stdout)

    def test_refusals(self):
        for words, rule in (
            (("study", "none.npz", "--profile", "easy"), "none.npz"),
            (("study", "tape", "--profile", "easy"), "trace 'tape' is not understood"),
            (("study", "hpc:a.csv:many", "--profile", "easy"), "many"),
            (("study", "pool.npz", "--profile", "eazy", "--replicates", "0"), "eazy"),
            (("reproduce", "none.json"), "none.json"),
        ):
            with self.subTest(words):
                done = self.run_command(*words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(rule, done.stderr)
                self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
