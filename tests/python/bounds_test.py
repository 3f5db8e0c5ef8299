# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What dumps from anywhere may hold: every refusal names the place and the rule, none takes memory
or time out of proportion, and no output is torn."""

import importlib.util
import json
import os
import pathlib
import stat
import tempfile
import unittest

from engine import muster, needs_engine, run_muster

from muster.interop import ImportFailure, read_objects
from muster.limits import Limits
from muster.whole_files import replacing, write_whole

HAVE_YAML = importlib.util.find_spec("yaml") is not None
NODE = {"kind": "Node", "metadata": {"name": "n"}, "status": {}}
BESIDE = pathlib.Path(__file__).resolve().parents[3] / "shared/hostile"
HOSTILE = pathlib.Path(os.environ.get("MUSTER_HOSTILE", BESIDE))


class Bounds(unittest.TestCase):
    def refused(self, text, message, limits=Limits()):
        with self.subTest(text=text[:60]), self.assertRaisesRegex(ImportFailure, message):
            read_objects(text, limits=limits)

    def test_json(self):
        digits = "7" * 5000
        for text, message in (
            ('{"kind": "List", "items": 5}', r"document 1.items: expected a list, found int"),
            ('{"kind": "List", "items": true}', r"document 1.items: expected a list, found bool"),
            ('{"kind": "List", "items": "ab"}', r"document 1.items: expected a list, found str"),
            ('{"kind": "Node",\n "x": %s}' % digits, "dump: line 2: a number of 5000 digits; expected an integer"),
            ('{"kind": "Node", "x": "\\ud800"}', r"document 1\.x: the text has U\+D800, half of a character"),
            ('{"kind": "Node", "\\udfff": 1}', r"document 1: the text has U\+DFFF"),
            ('{"kind": "Node", "x": NaN}', r"document 1\.x: nan is no number of JSON"),
            ('{"kind": "Node", "x": -Infinity}', r"document 1\.x: -inf is no number of JSON"),
            ('{"kind": "Node", "x": ' + "[" * 100_000, "nested deeper than 256"),
            ('{"kind": "Node", "x": ' + "[" * 256 + "]" * 256 + "}", "nested deeper than 256"),
        ):
            self.refused(text, message)
        text = '{"kind": "Node", "x": ' + "[" * 255 + "]" * 255 + "}"
        self.assertEqual(len(read_objects(text)), 1)

    def test_limits(self):
        text = json.dumps(NODE)
        self.refused(text, f"dump: {len(text)} bytes in all; at most 10 are read", Limits(bytes=10))
        self.refused(text, "nested deeper than 1", Limits(depth=1))
        self.assertEqual(len(read_objects(text, limits=Limits(bytes=len(text), depth=2))), 1)

    @unittest.skipUnless(HAVE_YAML, "no PyYAML")
    def test_yaml(self):
        head = "kind: Node\nmetadata: "
        for text, message in (
            ("&a\nkind: List\nitems: [*a]", r"document 1\.items\[0\]: an alias of what it is inside of"),
            (head + "[" * 300, "line 2: not valid YAML: nested deeper than 256"),
            (head + "{1: a}", r"document 1\.metadata: the key 1 is no text; expected it in quotes"),
            (head + "{? [a] : b}", "line 2: not valid YAML"),
            (head + "!!int x", "line 2: not valid YAML: its text is no int"),
            (head + "!!int ''", "line 2: not valid YAML: its text is no int"),
            (head + "!!float x", "line 2: not valid YAML: its text is no float"),
            (head + "!!bool x", "line 2: not valid YAML: its text is no bool"),
            (head + "!!timestamp x", "line 2: not valid YAML: its text is no timestamp"),
            (head + "!!binary aGk=", r"document 1\.metadata: a bytes, which JSON does not have"),
            (head + '"\\ud800"', r"document 1\.metadata: the text has U\+D800"),
            (head + ".inf", r"document 1\.metadata: inf is no number of JSON"),
            (head + "&a {<<: *a}", "line 2: not valid YAML: a mapping is merged into itself"),
            (head + "{<<: 5}", "line 2: not valid YAML: expected a mapping to merge"),
        ):
            self.refused(text, message)

    @unittest.skipUnless(HAVE_YAML, "no PyYAML")
    def test_aliases_and_merges_that_multiply(self):
        laugh, merge = ["kind: Node", "a0: &a0 [x]"], ["kind: Node", "m0: &m0 {a: 1, b: 2}"]
        for i in range(1, 12):
            laugh.append(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]")
            merge.append(f"m{i}: &m{i} {{<<: [{', '.join([f'*m{i - 1}'] * 10)}]}}")
        self.refused("\n".join(laugh), r"dump: \d+ values that aliases repeat; at most 4000000 are read")
        self.refused("\n".join(merge), r"\d+ keys are merged in all; at most 4000000 are read")
        few = "\n".join(laugh[:4])
        self.assertEqual(len(read_objects(few)), 1)
        self.refused(few, "values that aliases repeat; at most 9 are read", Limits(rows=9))
        same = read_objects("kind: Node\nb: &b {a: 1, c: 2}\nd: {<<: *b, a: 3}")
        self.assertEqual(same[0]["d"], {"a": 3, "c": 2})


class WholeFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "f"

    def test_what_fails_leaves_the_file_as_it_was(self):
        self.path.write_text("old")
        with self.assertRaises(ZeroDivisionError), replacing(self.path, text=True) as file:
            file.write("new")
            1 / 0  # noqa: B018
        with self.assertRaises(UnicodeEncodeError):
            write_whole(self.path, "x" * 100_000 + "\ud800")
        self.assertEqual(self.path.read_text(), "old")
        self.assertEqual(os.listdir(self.path.parent), ["f"])

    def test_modes_links_and_devices(self):
        self.path.write_text("old")
        self.path.chmod(0o640)
        link = self.path.with_name("link")
        link.symlink_to(self.path)
        write_whole(link, "new")
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.path.read_text(), "new")
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o640)
        mode = os.umask(0o027)
        try:
            write_whole(self.path.with_name("n" * 250), "new")
        finally:
            os.umask(mode)
        made = self.path.with_name("n" * 250)
        self.assertEqual(stat.S_IMODE(made.stat().st_mode), 0o640)
        write_whole("/dev/null", "new")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))


@needs_engine
class Commands(unittest.TestCase):
    def run_main(self, *arguments):
        done = run_muster("import", "--profile", "volcano", *arguments)
        return done.returncode, done.stderr

    def test_a_refused_dump_leaves_the_output_as_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            dump, out = pathlib.Path(folder) / "d.json", pathlib.Path(folder) / "s.json"
            out.write_text("old")
            for text in ('{"kind": "List", "items": 5}', json.dumps(NODE | {"spec": 5}), "{}"):
                dump.write_text(text)
                code, said = self.run_main(dump, "-o", out)
                self.assertEqual((code, said.count("\n"), out.read_text()), (2, 1, "old"), said)
            dump.write_text(json.dumps(NODE))
            self.assertEqual(self.run_main(dump, "-o", out, "--max-rows", 1)[0], 0)
            self.assertEqual(json.loads(out.read_text())["muster"], 1)
            code, said = self.run_main(dump, "-o", out, "--max-bytes", 5)
            self.assertEqual((code, "at most 5 are read" in said), (2, True), said)

    def test_limits_of_scenarios_and_traces(self):
        text = json.dumps({"muster": 1, "nodes": [{"name": "n", "count": 7}]})
        digest = muster.Cluster.from_scenario(text).schedule().digest
        limited = muster.Cluster.from_scenario(text, limits=Limits(rows=7))
        self.assertEqual(limited.schedule().digest, digest)
        with self.assertRaisesRegex(muster.ResourceExhausted, "7 rows in all; at most 6 are read"):
            muster.Cluster.from_scenario(text, limits=Limits(rows=6))
        with tempfile.TemporaryDirectory() as folder:
            jobs, nodes = pathlib.Path(folder) / "j.csv", pathlib.Path(folder) / "n.csv"
            jobs.write_text("submit,run\n0,1\n")
            nodes.write_text("name,count\nn,7\n")
            self.assertEqual(len(muster.traces.csv(jobs, nodes, limits=Limits(rows=8))), 1)
            with self.assertRaisesRegex(muster.ResourceExhausted, "j.csv:2: 8 rows in all"):
                muster.traces.csv(jobs, nodes, limits=Limits(rows=7))

    @unittest.skipUnless(HOSTILE.is_dir(), f"no hostile inputs: {HOSTILE} (MUSTER_HOSTILE)")
    def test_the_folder_of_hostile_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "s.json"
            for path in sorted(HOSTILE.iterdir()):
                scenario = path.suffix == ".json" and '"muster"' in path.read_text(encoding="utf-8")
                dump = path.suffix in (".json", ".yaml") and not path.name.startswith("slow_")
                if scenario or not dump:
                    continue
                with self.subTest(file=path.name):
                    out.write_text("old")
                    code, said = self.run_main(path, "-o", out)
                    self.assertIn(code, (0, 2))
                    if code == 2:
                        self.assertEqual((said.count("\n"), out.read_text()), (1, "old"), said)


if __name__ == "__main__":
    unittest.main()
