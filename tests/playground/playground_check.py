#!/usr/bin/env python3
# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The playground in a headless Chromium, and its plans against those of the native build.

    tools/playground.sh && tests/playground/playground_check.py

Reads build/playground and build/release. A picture of the page is left in
build/playground/page.png.
"""
import gzip
import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import browser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILT = ROOT / "build" / "playground"
NATIVE = ROOT / "build" / "release" / "muster"
MOST_BYTES = 5_000_000

# Runs commands given as JSON on standard input, each in a module of its own.
RUNNER = """
const fs = require("fs");
const [folder] = process.argv.slice(1);
const make = require(folder + "/muster.js");
const wasm = fs.readFileSync(folder + "/muster.wasm");
(async () => {
  const answers = [];
  for (const {words, text} of JSON.parse(fs.readFileSync(0, "utf8"))) {
    const out = [];
    const module = await make({wasmBinary: wasm, print: (line) => out.push(line), printErr() {}});
    module.FS.writeFile("scenario.json", text);
    answers.push({code: module.callMain(words), out: out.join("\\n")});
  }
  fs.writeFileSync(1, JSON.stringify(answers));
  process.exitCode = 0;  // which a command that failed has set
})();
"""


def native(words, text):
    path = BUILT / "scenario.json"
    path.write_text(text)
    done = subprocess.run([NATIVE, *words], cwd=BUILT, capture_output=True, text=True, check=False)
    return {"code": done.returncode, "out": done.stdout.rstrip("\n")}


def in_node(commands):
    done = subprocess.run(["node", "-e", RUNNER, str(BUILT / "muster")], input=json.dumps(commands),
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def worlds():
    """Random clusters as the command line makes them."""
    for mix, seed in [("uniform", 1), ("uniform", 2), ("openb", 3), ("hpc", 4)]:
        yield subprocess.run(
            [NATIVE, "generate", "--mix", mix, "--nodes", "60", "--seed", str(seed),
             "--queues", "4", "--occupancy", "0.4", "--load", "1.3", "--priorities", "3"],
            capture_output=True, text=True, check=True).stdout


class Digests(unittest.TestCase):
    def test_plans_are_those_of_the_native_build(self):
        """Every pinned scenario under its own profile, and random clusters under every profile."""
        commands = [{"words": ["run", "scenario.json", "--digest"], "text": path.read_text()}
                    for path in sorted((ROOT / "tests" / "scenarios").glob("*.json"))]
        listed = json.loads(subprocess.run([NATIVE, "profiles", "--json"], capture_output=True,
                                           text=True, check=True).stdout)["profiles"]
        for text in worlds():
            words = ["run", "scenario.json", "--digest", "--profile"]
            commands += [{"words": [*words, profile["name"]], "text": text} for profile in listed]
        for command, answer in zip(commands, in_node(commands)):
            with self.subTest(words=command["words"], text=command["text"][:200]):
                self.assertEqual(answer, native(**command))

    def test_reasons_and_comparisons_are_those_of_the_native_build(self):
        text = (ROOT / "tests" / "scenarios" / "gang_undone.json").read_text()
        commands = [{"words": words, "text": text} for words in [
            ["explain", "scenario.json"], ["remedies", "scenario.json", "train"],
            ["compare", "scenario.json", "--format", "csv"],
            ["what-if", "scenario.json", "--plan", "--add-nodes", "cpu=8,nvidia.com/gpu=5"],
            ["run", "scenario.json", "--profile", "volcano:binpak"]]]
        for command in commands:
            command["words"] += ["--color", "never"]
        for command, answer in zip(commands, in_node(commands)):
            with self.subTest(words=command["words"]):
                self.assertEqual(answer, native(**command))


@unittest.skipUnless(browser.find_browser(), "no Chromium here")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = browser.Browser(f"{BUILT / 'index.html'}#example")
        cls.page.wait("at('#status').textContent.includes(' ms')")

    @classmethod
    def tearDownClass(cls):
        cls.page.__exit__()

    def schedule(self, text):
        self.page.evaluate(f"at('#status').textContent = ''; take({json.dumps(text)})")
        self.page.wait("at('#status').textContent.match(/ ms$/) || "
                       "at('#status').classList.contains('bad')")
        return self.page.evaluate("at('#status').textContent")

    def test_the_first_example_is_scheduled(self):
        self.schedule((ROOT / "tests" / "scenarios" / "gang_undone.json").read_text())
        self.page.screenshot(BUILT / "page.png")
        self.assertIn("train (6 tasks): 6 of 7 placed, undone",
                      self.page.evaluate("at('#decisions pre').textContent"))
        self.assertIn("8 nodes", self.page.evaluate("at('#page iframe').srcdoc"))
        self.assertIn("volcano", self.page.evaluate("at('#compare table').textContent"))

    def test_a_dump_says_what_it_leaves_out(self):
        self.schedule((ROOT / "tools" / "playground" / "kubectl.json").read_text())
        self.assertIn("read as profile kube-scheduler",
                      self.page.evaluate("at('#notes').textContent"))
        self.assertIn("shop/worker", self.page.evaluate("at('#reasons pre').textContent"))

    def test_remedies_and_changes(self):
        self.schedule((ROOT / "tests" / "scenarios" / "gang_undone.json").read_text())
        self.page.evaluate("at('#job').value = 'train'; at('#reasons form').requestSubmit()")
        self.page.wait("at('#reasons pre').textContent.includes('remedies (')")
        self.page.evaluate("""
            at('#changes [name=count]').value = 1;
            at('#changes [name=capacity]').value = 'cpu=8,memory=32Gi,pods=110,nvidia.com/gpu=5';
            at('#changes form').requestSubmit()""")
        self.page.wait("at('#changes pre').textContent.includes('starts train-worker-0')")

    def test_bad_input_is_one_line(self):
        self.assertIn("this is no JSON", self.schedule("{"))
        self.assertIn('key "name" is missing', self.schedule('{"muster": 1, "nodes": [{"nme": "a"}]}'))
        self.schedule('{"muster": 1, "nodes": []}')
        self.assertEqual(self.page.evaluate("at('#status').className"), "")

    def test_nothing_is_fetched(self):
        self.assertEqual(self.page.evaluate("performance.getEntriesByType('resource')"
                                            ".filter((entry) => !entry.name.startsWith('blob:'))"
                                            ".map((entry) => entry.name)"), [])


class Size(unittest.TestCase):
    def test_compressed(self):
        self.assertLess(len(gzip.compress((BUILT / "index.html").read_bytes())), MOST_BYTES)


if __name__ == "__main__":
    unittest.main()
