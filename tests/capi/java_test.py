# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The Java package compiles, and its C part, without a warning; the first example prints what its
page shows, the second what the command line prints; and its version is the library's."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import languages
from languages import LIBRARY, ROOT

JAVA = languages.tool("java", "/usr/lib/jvm/java-17-openjdk-amd64/bin/java")
MUSTER = os.environ.get("MUSTER_CLI", "")
SOURCE = ROOT / "examples/java/src/main"


def home():
    """Of a JDK of at least 17 that compiles and has the headers of native code; None without."""
    if not JAVA:
        return None
    shown = subprocess.run([JAVA, "-XshowSettings:properties", "-version"], capture_output=True,
                           text=True, check=False).stderr
    release = re.search(r"java\.specification\.version = (\d+)", shown)
    folder = re.search(r"java\.home = (.*)", shown)
    if not release or int(release.group(1)) < 17 or not folder:
        return None
    found = pathlib.Path(folder.group(1))
    return found if (found / "bin/javac").exists() and (found / "include/jni.h").exists() else None


HOME = home()


@languages.needs_library
@unittest.skipUnless(HOME, "no JDK of 17 or later is installed")
class Java(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        library = pathlib.Path(LIBRARY).parent
        cls.shim = cls.work / "libmuster_jni.so"
        languages.run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-shared",
                      f"-I{ROOT}/capi", f"-I{HOME}/include", f"-I{HOME}/include/linux",
                      SOURCE / "c/muster_jni.c", f"-L{library}", "-lmuster_c",
                      f"-Wl,-rpath,{library}", "-Wl,-z,defs", "-o", cls.shim)
        languages.run(HOME / "bin/javac", "--release", "17", "-Xlint:all", "-Werror", "-d",
                      cls.work / "classes", *sorted((SOURCE / "java").rglob("*.java")))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def java(self, program, *arguments):
        return languages.run(HOME / "bin/java", f"-Dmuster.library={self.shim}", "-Xcheck:jni",
                             "-cp", self.work / "classes", program, *arguments)

    def test_first_plan(self):
        self.assertEqual(self.java(ROOT / "examples/java/FirstPlan.java"), languages.shown("Java"))

    def test_scenario(self):
        scenario = ROOT / "tests/scenarios/gang_undone.json"
        lines = self.java(ROOT / "examples/java/RunScenario.java", scenario).splitlines()
        wanted = languages.run(MUSTER, "run", scenario).splitlines()
        self.assertEqual(lines[:-1], wanted[:-1])
        self.assertEqual(lines[-1].split()[-1], wanted[-1].split()[-1])

    def test_what_a_loop_does(self):
        """Statuses, failed binds, removals, closed handles, texts beyond the basic plane."""
        program = self.work / "Loop.java"
        program.write_text(LOOP, encoding="utf-8")
        self.assertEqual(self.java(program), "done\n")

    def test_version(self):
        header = (ROOT / "include/muster/version.h").read_text(encoding="utf-8")
        version = re.search(r'MUSTER_VERSION_STRING "([0-9.]+)"', header).group(1)
        self.assertIn(f"<version>{version}</version>",
                      (ROOT / "examples/java/pom.xml").read_text(encoding="utf-8"))


LOOP = r"""
import example.muster.*;
import java.util.List;

public class Loop {
  static void check(boolean is) {
    if (!is) throw new AssertionError();
  }

  static void refused(Runnable call, int code, String words) {
    try {
      call.run();
    } catch (MusterException error) {
      check(error.code() == code);
      if (!error.getMessage().contains(words)) throw new AssertionError(error.getMessage());
      return;
    }
    throw new AssertionError("taken");
  }

  public static void main(String[] arguments) {
    Cluster cluster = new Cluster();
    Table nodes = new Table(Kind.NODES, 2);
    nodes.texts("name", "n0", "n\uD83D\uDE00").numbers("capacity.cpu", 1000, 1000);
    cluster.add(nodes);
    Table jobs = new Table(Kind.JOBS, 1);
    jobs.texts("name", "a").numbers("min_available", 1).numbers("group.count", 3)
        .numbers("group.shape.request.cpu", 1000);
    cluster.add(jobs);
    Plan plan = cluster.schedule("muster", 5);
    check(plan.binds().equals(List.of(new Placement("a-0", "n0"),
        new Placement("a-1", "n\uD83D\uDE00"))));
    check(plan.evictions().isEmpty() && plan.nominations().isEmpty());
    check(plan.toJson().contains("n\uD83D\uDE00"));
    check(cluster.apply(plan) >= 2);
    cluster.setTask("a-0", Status.RUNNING, "n0");
    cluster.bindFailed("a-1");
    cluster.setTask("a-0", Status.SUCCEEDED, null);
    try (Plan next = cluster.schedule("volcano")) {
      check(next.binds().size() == 2);
      cluster.remove(Kind.TASKS, "a-2");
      ApplyReport report = cluster.applyReport(next);
      check(report.applied() > 0);
      check(report.refused().size() == 1);
      check(report.refused().get(0).startsWith("bind \"a-2\" to \"n"));
      check(report.refused().get(0).endsWith("\": task is gone"));
      check(cluster.applyReport(next).refused().size() > 1);  // a-1 is bound already
    }
    String scenario = cluster.writeScenario();
    cluster.remove(Kind.JOBS, "a");
    check(cluster.readScenario(scenario).isEmpty());
    refused(() -> cluster.schedule("volcan\uD83D\uDE00"), -3, "volcan\uD83D\uDE00");
    refused(() -> cluster.remove(Kind.NODES, "n7"), -5, "n7");
    refused(() -> new Table(Kind.NODES, -1), -3, "rows");
    cluster.close();
    cluster.close();
    check(plan.digest().length() == 32);  // outlives its cluster
    plan.close();
    try {
      plan.binds();
      throw new AssertionError("read after close");
    } catch (IllegalStateException closed) {
      check(closed.getMessage().equals("closed"));
    }
    for (int i = 0; i < 1000; ++i) new Cluster();  // freed by nothing but the collector
    System.gc();
    System.out.println("done");
  }
}
"""


if __name__ == "__main__":
    languages.main()
