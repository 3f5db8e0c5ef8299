# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The Go example: it builds against the library as it is, its tests pass, and it starts the same tasks as the C++ one."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = os.environ.get("MUSTER_C", "")
GO = shutil.which("go") or shutil.which("/usr/local/go/bin/go") or shutil.which("/usr/lib/go/bin/go")


@unittest.skipUnless(LIBRARY, "not run by ctest, or under sanitizers")
@unittest.skipUnless(GO, "go is not installed")
class Go(unittest.TestCase):
    def go(self, *arguments):
        folder = pathlib.Path(LIBRARY).parent
        environment = dict(os.environ, CGO_ENABLED="1", CGO_CFLAGS=f"-I{ROOT}/capi",
                           CGO_LDFLAGS=f"-L{folder} -Wl,-rpath,{folder}", GOPROXY="off", GOFLAGS="-mod=mod",
                           GOTOOLCHAIN="local", GOPATH=os.path.join(self.work, "path"))
        environment.setdefault("GOCACHE", os.path.join(tempfile.gettempdir(), "muster-go-cache"))
        done = subprocess.run([GO, *arguments], cwd=ROOT / "examples/go", env=environment, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = folder.name

    def test_vet_and_tests(self):
        self.go("vet", "./...")
        self.go("test", "./...")

    def test_the_miniature_scheduler(self):
        out = self.go("run", ".")
        for line in ("start train-0 on n", "start batch-1 on n", "start late-0 on n"):
            self.assertIn(line, out)


if __name__ == "__main__":
    unittest.main()
