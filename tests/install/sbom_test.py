# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The bill of materials of a build (tools/sbom.py) lists whatever the build links: each library on
a linker's command line of MUSTER_BUILD, each one that a built shared object needs, each package
that the lists of CMake look for. SECURITY.md has the same table."""

import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MUSTER_BUILD", ""))
sys.path.insert(0, str(ROOT / "tools"))
import sbom  # noqa: E402

# What is looked for, and is no library.
TOOLS = {"Python", "Python3", "Threads"}


def linked(build):
    """File names of the libraries outside the build that its linker lines name."""
    text = (build / "build.ninja").read_text(encoding="utf-8")
    names = set()
    for line in re.findall(r"^  LINK_LIBRARIES = (.*)$", text, re.MULTILINE):
        for word in line.split():
            if word.startswith("/") and not word.startswith(str(build)):
                names.add(pathlib.PurePath(word).name)
            elif re.fullmatch(r"-l[\w+]+", word):
                names.add(f"lib{word[2:]}.so")
    return names


def needed(build):
    """What the programs and shared objects of the build load."""
    names = set()
    for path in [build / "muster", *build.glob("*.so"), *build.glob("python/muster/*.so")]:
        if path.exists():
            names |= set(re.findall(r"\(NEEDED\).*\[(.+)\]", sbom.output("readelf", "-d", path)))
    return names


def looked_for():
    names = set()
    for path in [ROOT / "CMakeLists.txt", *ROOT.glob("*/CMakeLists.txt")]:
        names |= set(re.findall(r"find_package\((\w+)", path.read_text(encoding="utf-8")))
    return names - TOOLS


def missing(bill, libraries):
    """Libraries that no component of the bill has."""
    starts = tuple(entry["value"] for part in bill["components"] for entry in part["properties"]
                   if entry["name"] == "muster:library")
    return sorted(name for name in libraries if not name.startswith(starts))


class Form(unittest.TestCase):
    def test_every_package_has_a_row(self):
        self.assertEqual(looked_for(), {row[0] for row in sbom.FOUND.values()})

    def test_every_module_has_a_row(self):
        text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        lists = re.findall(r"^(?:dependencies|\w+) = \[(\"[^\]]*)\]$", text, re.MULTILINE)
        modules = set(re.findall(r'"([a-z]+)>=', " ".join(lists)))
        self.assertEqual(modules, set(sbom.MODULES))

    def test_a_folder_that_is_no_build(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, ROOT / "tools/sbom.py", folder, folder + "/x"],
                                  capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"sbom: {folder}: not a configured build; run cmake first\n"))


@unittest.skipUnless((BUILD / "build.ninja").exists() and os.environ.get("MUSTER_BUILD"),
                     "not run by ctest, or not a build of Ninja")
class Bill(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bill = sbom.document(BUILD)
        cls.libraries = linked(BUILD)
        if shutil.which("readelf"):
            cls.libraries |= needed(BUILD)

    def test_form(self):
        self.assertEqual((self.bill["bomFormat"], self.bill["specVersion"]), ("CycloneDX", "1.5"))
        self.assertRegex(self.bill["serialNumber"], r"^urn:uuid:[0-9a-f-]{36}$")
        references = [part["bom-ref"] for part in self.bill["components"]]
        self.assertEqual(len(references), len(set(references)))
        for part in self.bill["components"]:
            self.assertRegex(part["version"], r"^\d", part["name"])
            self.assertIn(part["scope"], ("required", "optional", "excluded"))
            self.assertRegex(part["purl"], r"^pkg:(deb/debian|generic|pypi)/[\w.%+-]+@.")
            for entry in part["licenses"]:
                self.assertTrue(entry.get("expression") or entry["license"]["id"])
        self.assertLessEqual(set(self.bill["dependencies"][0]["dependsOn"]), set(references))
        self.assertEqual(json.dumps(sbom.document(BUILD)), json.dumps(self.bill))

    def test_every_library_is_in_it(self):
        self.assertGreater(len(self.libraries), 10)
        self.assertEqual(missing(self.bill, self.libraries), [])

    def test_what_is_left_out_is_found(self):
        for part in self.bill["components"]:
            starts = tuple(entry["value"] for entry in part["properties"]
                           if entry["name"] == "muster:library")
            if not starts or not any(name.startswith(starts) for name in self.libraries):
                continue
            less = copy.deepcopy(self.bill)
            less["components"] = [other for other in less["components"]
                                  if other["name"] != part["name"]]
            self.assertNotEqual(missing(less, self.libraries), [], part["name"])

    def test_what_cmake_found_is_in_it(self):
        entries = sbom.cache(BUILD)
        names = {part["name"] for part in self.bill["components"]}
        for name, row in sbom.FOUND.items():
            self.assertEqual(row[1] in entries, name in names, name)
        self.assertLessEqual({"abseil-cpp", "nlohmann-json", "eigen", "zlib"}, names)

    def test_the_page_has_the_same_table(self):
        page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
        for name, row in [*sbom.FOUND.items(), *sbom.RUNTIME.items(), *sbom.MODULES.items()]:
            license_id = row[2] if name in sbom.FOUND else row[1 if name in sbom.RUNTIME else 0]
            line = re.search(rf"^\| {re.escape(name)} \|.*$", page, re.MULTILINE)
            self.assertIsNotNone(line, name)
            self.assertIn(f" {license_id} |", line[0])


if __name__ == "__main__":
    unittest.main()
