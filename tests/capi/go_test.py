# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The Go package and its examples, linked with the library as it is; and the module that a release
publishes, used by a machine that has Go, a C compiler and nothing of Muster."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import languages
from languages import GO, LIBRARY, ROOT

needs_go = unittest.skipUnless(GO, "go is not installed")
STRANGER = ROOT / "tests/install/consumer/go/main.go"


@languages.needs_library
@needs_go
class Go(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        library = pathlib.Path(LIBRARY).parent
        self.environment = languages.go_environment(
            os.path.join(folder.name, "path"), CGO_CFLAGS=f"-I{ROOT}/capi",
            CGO_LDFLAGS=f"-L{library} -Wl,-rpath,{library}")

    def go(self, folder, command, *arguments):
        return languages.run(GO, command, "-tags", "muster_shared", *arguments, cwd=ROOT / folder,
                             env=self.environment)

    def test_the_package(self):
        self.go("go", "vet", "./...")
        self.go("go", "test", "./...")
        self.go("examples/go", "vet", "./...")

    def test_all_of_c(self):
        """Go calls each function of C, but those that it has otherwise."""
        text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "go").glob("*.go"))
        called = set(re.findall(r"\bC\.(muster_\w+)\(", text))
        listed = set((ROOT / "capi/symbols.txt").read_text(encoding="utf-8").split())
        self.assertEqual(listed - called, {
            "muster_snapshot_schedule_all",  # Snapshot.ScheduleAll: goroutines are its executor
            "muster_table_set_strings",  # Table.Texts
            "muster_threads_run",  # Cluster.SetThreads hands it over
        })

    def test_metrics(self):
        """The example's Prometheus text: names, types and labels; times differ."""
        out = self.go("examples/go", "run", "./metrics")
        for line in ('muster_cycles_total{profile="volcano"} 2\n',
                     '# TYPE muster_cycle_seconds_total counter\n',
                     '# TYPE muster_pending_tasks gauge\nmuster_pending_tasks{profile="volcano"} 20\n',
                     'muster_binds{profile="volcano"} 0\n',
                     '# TYPE muster_action_seconds_total counter',
                     'muster_action_decisions_total{profile="volcano",action="allocate"} 40',
                     'muster_searches_total{profile="volcano",way="table"}',
                     'muster_policy_questions_total{profile="volcano",policy="predicates"}',
                     '# why j0-0 is on n'):
            self.assertIn(line, out)
        for line in out.splitlines():
            self.assertRegex(line, r'^(# .*|muster_\w+\{[^}]*\} [0-9.e+-]+)$')

    def test_examples(self):
        self.assertEqual(self.go("examples/go", "run", "."),
                         languages.shown("Go: a miniature scheduler"))
        self.assertEqual(self.go("examples/go", "run", "./events"),
                         languages.shown("Go: a watch that cannot be relied on"))
        self.assertEqual(self.go("examples/go", "run", "./adopt"),
                         languages.shown("Go: what adopting costs"))

    def test_large_cycles_end(self):
        out = self.go("examples/go", "run", "./adopt", "-nodes", "200")
        self.assertEqual(out.count(": 2000 bound in"), 2, out)

    @unittest.skipUnless(shutil.which("gofmt") or GO
                         and (pathlib.Path(GO).parent / "gofmt").exists(), "no gofmt")
    def test_form(self):
        gofmt = shutil.which("gofmt") or pathlib.Path(GO).parent / "gofmt"
        self.assertEqual(languages.run(gofmt, "-l", ROOT / "go", ROOT / "examples/go"), "")


@languages.needs_library
@needs_go
@unittest.skipUnless(os.uname().machine == "x86_64", "the archive is for linux/amd64")
class Module(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        cls.build = pathlib.Path(LIBRARY).parent
        languages.run(sys.executable, ROOT / "tools/release/go_module.py", "--build", cls.build,
                      "--out", cls.work / "proxy")

    @classmethod
    def tearDownClass(cls):
        # Go's module cache is read-only
        subprocess.run(["chmod", "-R", "u+w", cls.folder.name], check=True)
        cls.folder.cleanup()

    def test_go_get(self):
        tools = self.work / "bin"  # the only programs there are
        tools.mkdir()
        for name in ("gcc", "as", "ld"):
            (tools / name).symlink_to(shutil.which(name))
        stranger = self.work / "stranger"
        stranger.mkdir()
        shutil.copy(STRANGER, stranger)
        environment = languages.go_environment(
            str(self.work / "path"), PATH=str(tools), GOPROXY=f"file://{self.work}/proxy",
            GONOSUMDB="*", GONOSUMCHECK="1",
            GOFLAGS="", GOSUMDB="off")
        for variable in ("CGO_CFLAGS", "CGO_LDFLAGS", "CC", "CXX"):
            environment.pop(variable, None)
        for arguments in (["mod", "init", "stranger.example/it"],
                          ["get", "muster.example/muster@v0.2.0"],
                          ["build", "-o", "it", "."]):
            languages.run(GO, *arguments, cwd=stranger, env=environment)
        self.assertIn('unknown profile "volcanoo"', languages.run(stranger / "it"))
        needed = languages.run("objdump", "-p", stranger / "it")
        for library in ("libmuster", "libabsl", "libstdc++", "libz."):
            self.assertNotIn(f"NEEDED               {library}", needed)

    def test_nothing_else_can_be_seen(self):
        sys.path.insert(0, str(ROOT / "tools/release"))
        import go_module  # pylint: disable=import-outside-toplevel

        archive = self.work / "libmuster.a"
        go_module.archive(self.build, archive)
        first = archive.read_bytes()
        seen = [line.split()[-1] for line in languages.run("nm", "-g", "--defined-only",
                                                           archive).splitlines()
                if len(line.split()) == 3]
        self.assertEqual(sorted(seen),
                         sorted((ROOT / "capi/symbols.txt").read_text(encoding="utf-8").split()))
        go_module.archive(self.build, archive)
        self.assertEqual(archive.read_bytes(), first)


if __name__ == "__main__":
    languages.main()
