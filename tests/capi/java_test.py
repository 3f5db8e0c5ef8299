# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The Java example compiles and prints what its page says, where there is a JDK 17 for its foreign
functions."""

import pathlib
import re
import subprocess
import unittest

import languages
from languages import LIBRARY, ROOT

JAVA = languages.tool("java", "/usr/lib/jvm/java-17-openjdk-amd64/bin/java")


def release():
    """Of the JDK; 0 where there is none, or only what runs and does not compile."""
    if not JAVA:
        return 0
    modules = subprocess.run([JAVA, "--list-modules"], capture_output=True, text=True,
                             check=False).stdout
    found = re.search(r"^jdk\.compiler@(\d+)", modules, re.MULTILINE)
    return int(found.group(1)) if found else 0


@languages.needs_library
@unittest.skipUnless(release() == 17, "no JDK 17 is installed")
class Java(unittest.TestCase):
    def test_first_plan(self):
        out = languages.run(JAVA, "--add-modules", "jdk.incubator.foreign",
                            "--enable-native-access=ALL-UNNAMED",
                            f"-Djava.library.path={pathlib.Path(LIBRARY).parent}",
                            ROOT / "examples/java/FirstPlan.java")
        self.assertEqual(out, languages.shown("Java"))


if __name__ == "__main__":
    languages.main()
