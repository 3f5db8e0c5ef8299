# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What pages name is there: every file in backquotes and every link of README.md, CONTRIBUTING.md
and docs/*.md, with its anchor (`page.md#heading`, `#heading`); every `Name::Name` of NAMING pages;
and the policies of docs/policies.md have a file. That page names every slot of the memory.

A path is looked up from the root, beside the page, and, where it is a bare name such as
`scoreboard.h`, anywhere. `<name>` and `*` stand for any text.
"""

import fnmatch
import pathlib
import re
import unittest

import source

FOLDERS = ("bench", "capi", "cmake", "docs", "examples", "go", "include", "lib", "python", "tests",
           "tools")
NAMING = ("docs/design.md", "CONTRIBUTING.md")
SUFFIXES = "h|cc|c|py|md|sh|json|txt|cmake|go|rs"
PATH = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./<>*-]*|[\w<>*-]+\.(?:{SUFFIXES})")
# What readers make, by the steps of README.md and CONTRIBUTING.md.
MADE = {
    "lib/policy/spare_gpus.cc", "tests/policy/spare_gpus_test.cc",
    "tests/scenarios/spare_gpus.json", "train.json",
}
NAME = re.compile(r"\b([A-Z]\w+)::(\w+)")


def pages():
    return [source.ROOT / "README.md", source.ROOT / "CONTRIBUTING.md",
            *sorted((source.ROOT / "docs").glob("*.md"))]


def prose(text):
    """The page without its blocks of code."""
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^    .*$", "", text, flags=re.MULTILINE)


def quoted(text):
    return re.findall(r"`([^`\n]+)`", text)


def paths(text):
    """What a page names as files and folders."""
    return [quote for quote in quoted(text) if PATH.fullmatch(quote)]


def names(text):
    return {pair for quote in quoted(text) for pair in NAME.findall(quote)}


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found, count = set(), {}
    for heading in re.findall(r"^#+ +(.*?) *$", prose(text), re.MULTILINE):
        words = re.sub(r"\]\([^)]*\)", "", heading)  # a link's target
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        number = count[slug] = count.get(slug, -1) + 1
        found.add(f"{slug}-{number}" if number else slug)
    return found


def slots(text):
    """The slots of the memory that a source declares."""
    found = set(re.findall(r'\bk\w*Slot = "([\w-]+)"', text))
    for declaration in re.findall(r"\b(?:MemoryDecl|KeptSlots) k[^;]*;", text):
        found |= set(re.findall(r'[{,]\s*"([\w-]+)"', declaration))
    return found


class Tree:
    def __init__(self, root):
        self.root = root
        self.files = [path.relative_to(root) for folder in FOLDERS
                      for path in (root / folder).rglob("*")]
        self.files += [path.relative_to(root) for path in root.iterdir() if path.is_file()]
        self.bare = {path.name for path in self.files}
        self.sources = [set(re.findall(r"\w+", (root / path).read_text(encoding="utf-8")))
                        for path in source.files(root, ("include", "lib", "capi", "tools"))]

    def has(self, path, page):
        pattern = re.sub(r"<\w+>\*?", "*", path).rstrip("/")
        if "/" not in pattern and fnmatch.filter(self.bare, pattern):
            return True
        if "*" in pattern:
            return any(self.root.glob(pattern))
        return (self.root / pattern).exists() or (page.parent / pattern).exists()

    def has_name(self, scope, name):
        return any({scope, name} <= words for words in self.sources)


class Pages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.tree = Tree(source.ROOT)

    def test_files(self):
        found, count = [], 0
        for page in pages():
            named = set(paths(prose(page.read_text(encoding="utf-8")))) - MADE
            count += len(named)
            found += [f"{page.name}: {path}" for path in sorted(named)
                      if not self.tree.has(path, page)]
        self.assertEqual(found, [])
        self.assertGreater(count, 100)

    def test_links(self):
        found = []
        for page in pages():
            text = prose(page.read_text(encoding="utf-8"))
            for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
                if not (page.parent / link).exists():
                    found.append(f"{page.name}: {link}")
        self.assertEqual(found, [])

    def test_anchors(self):
        found, count = [], 0
        for page in pages():
            text = prose(page.read_text(encoding="utf-8"))
            for link, anchor in re.findall(r"\]\(([^)#:]*)#([^)]*)\)", text):
                to = page.parent / link if link else page
                if to.suffix == ".md" and to.exists():
                    count += 1
                    if anchor not in anchors(to.read_text(encoding="utf-8")):
                        found.append(f"{page.name}: {link}#{anchor}")
        self.assertEqual(found, [])
        self.assertGreater(count, 50)

    def test_anchors_are_those_of_headings(self):
        text = "# A `b_c`, d\n\n## [Go](go.md): it\n\n## A\n\n```sh\n# no\n```\n\n    # no\n\n## A\n"
        self.assertEqual(anchors(text), {"a-b_c-d", "go-it", "a", "a-1"})

    def test_names(self):
        for page in NAMING:
            named = names((source.ROOT / page).read_text(encoding="utf-8"))
            self.assertGreater(len(named), 5, page)
            missing = [f"{scope}::{name}" for scope, name in sorted(named)
                       if not self.tree.has_name(scope, name)]
            self.assertEqual(missing, [], page)

    def test_policies_have_a_file(self):
        text = (source.ROOT / "docs/policies.md").read_text(encoding="utf-8")
        body = text[text.index("\n## Policies\n"):text.index("\n## Words of the peers")]
        sections = re.findall(r"^### (\S+)\n\n- \*\*File\.\*\* `(\S+)`$", body, re.MULTILINE)
        self.assertEqual(len(sections), body.count("\n### "))
        for name, path in sections:
            self.assertIn(f'"{name}"', (source.ROOT / path).read_text(encoding="utf-8"), path)

    def test_slots_of_the_memory(self):
        declared = set()
        for path in source.files(source.ROOT, ("lib",)):
            declared |= slots((source.ROOT / path).read_text(encoding="utf-8"))
        self.assertGreater(len(declared), 60)
        page = (source.ROOT / "docs/policies.md").read_text(encoding="utf-8")
        named = {word for section in re.findall(r"^- \*\*Memory\.\*\*.*\n(?:  .*\n)*", page, re.M)
                 for word in quoted(section)}
        named |= set(re.findall(r"[Ss]lot `([\w-]+)`", " ".join(page.split())))
        # docs/memory.md has that of ties.
        self.assertEqual(sorted(declared - named - {"ties"}), [])

    def test_declared_slots_are_found(self):
        self.assertEqual(slots('constexpr MemoryDecl kA = {"a-b", 1}, kC = {"c"};\n'
                               'constexpr std::string_view kDSlot = "d";\n'
                               'constexpr KeptSlots kE = {"e", "f"};\nstd::string g = {"g"};\n'),
                         {"a-b", "c", "d", "e", "f"})

    def test_what_is_not_there_is_found(self):
        page = source.ROOT / "docs/design.md"
        text = prose("`lib/peer/muster/fair_walk.cc`, `FairWalk::Next`, `fair_walk.h`, `lib/part`,"
                     " `queue_tree_walk.h`, `lib/peer/<name>`, `tests/scenarios/*.json`\n")
        self.assertEqual([path for path in paths(text) if not self.tree.has(path, page)],
                         ["lib/peer/muster/fair_walk.cc", "fair_walk.h"])
        self.assertEqual(names(text), {("FairWalk", "Next")})
        self.assertFalse(self.tree.has_name("FairWalk", "Next"))
        self.assertTrue(self.tree.has_name("QueueTreeWalk", "Next"))


if __name__ == "__main__":
    unittest.main()
