# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""What the linker sees: the public API and nothing else is exported, and no state outlives a call.

MUSTER_SHARED_CHECK names the scheduler linked once more as a shared object, without replays and
zlib. Its exports are compared with the MUSTER_EXPORT marks of its headers in both directions: an
export without a mark leaks, a mark without an export has no definition. MUSTER_ARCHIVE_CHECK names
the static library, which may hold code and constants but no variable: neither at namespace scope
nor static in a function, constant after start-up or not. A header that declares a function and
neither defines nor marks it is found by reading it. MUSTER_REPLAY_SHARED_CHECK has
muster_replay inside, too, and all marks of include/muster; MUSTER_REPLAY_ARCHIVE_CHECK is
muster_replay's archive.
"""

import os
import re
import subprocess
import unittest

import source
from includes_test import EXPERIMENTAL

# Instances of the standard library's templates keep its visibility whatever we compile with. They
# are weak.
FOREIGN_WEAK = re.compile(
    r"^(?:(?:typeinfo|typeinfo name|vtable) for )?(?:[\w:<>, *&]+ )?(?:std|__gnu_cxx)::")
_OWN = re.compile(r"^(?:(?:typeinfo|typeinfo name|vtable|VTT) for )?(?:.*? )?muster::(\w+)")
_MARK = re.compile(
    r"\b(?:class|struct)\s+MUSTER_EXPORT\s+(\w+)|\bMUSTER_EXPORT\b[^;{}()]*?(\w+)\s*\(")
_CLASS = re.compile(r"(?<!enum )\b(?:class|struct)\s+(MUSTER_EXPORT\s+)?(\w+)[^()]*$")


def marked(headers):
    """Names that carry MUSTER_EXPORT in the texts of the public headers."""
    names = set()
    for text in headers:
        text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", source.blank(text), flags=re.MULTILINE)
        for match in _MARK.finditer(text):
            names.add(match.group(1) or match.group(2))
    return names


def _declares(statement):
    """The name of the function that a statement declares without defining it, or None."""
    plain = statement
    while re.search(r"<[^<>]*>", plain):
        plain = re.sub(r"<[^<>]*>", "", plain)
    if re.search(r"\b(using|typedef|friend|template|constexpr|inline|static_assert)\b", plain):
        return None
    if re.search(r"=\s*(default|delete|0)\s*$", plain):
        return None
    match = re.search(r"(operator\s*\S+?|~?\w+)\s*\(", re.sub(r"\bMUSTER_EXPORT\b", "", plain))
    if match is None or "=" in plain[: plain.find("(")] or re.search(r"\(\s*\*", plain):
        return None
    return match.group(1)


def unmarked(text):
    """Names of functions that a header declares, but neither defines nor marks for export."""
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", source.blank(text), flags=re.MULTILINE)
    found, scopes, start = [], [], 0  # scopes: (kind, name, exported)
    for i, c in enumerate(text):
        inside = scopes[-1][0] if scopes else "namespace"
        if c == "{":
            head = text[start:i]
            space = re.search(r"\bnamespace\b\s*([\w:]*)\s*$", head)
            kind = _CLASS.search(head)
            if inside == "body":
                scopes.append(("body", "", True))
            elif space:
                hidden = space.group(1).endswith("internal") or (scopes and scopes[-1][2])
                scopes.append(("namespace", space.group(1), bool(hidden)))
            elif kind:
                exported = kind.group(1) or "template" in head or (scopes and scopes[-1][2])
                scopes.append(("class", kind.group(2), bool(exported)))
            else:
                scopes.append(("body", "", True))
                continue
            start = i + 1
        elif c == "}":
            kind = scopes.pop()[0]
            following = text[i + 1 :].lstrip()[:1]
            if kind != "body" or (scopes[-1][0] != "body" and following not in ";,)="):
                start = i + 1
        elif c == ";" and inside != "body":
            statement, start = re.sub(r"\b(public|private|protected):", "", text[start:i]), i + 1
            name = _declares(statement)
            hidden = scopes and scopes[-1][2]
            if name and not hidden and "MUSTER_EXPORT" not in statement:
                path = [scope[1] for scope in scopes if scope[0] == "class"]
                found.append("::".join([*path, name]))
    return found


def owner(symbol):
    """Schedule for `muster::Schedule(muster::Snapshot const&)`, Plan for a member of Plan, None if
    foreign."""
    bare = re.sub(r"\[abi:\w+\]", "", symbol).split("(")[0]
    match = _OWN.match(bare)
    return match.group(1) if match else None


def compare(exports, marks):
    """Complaints about (kind, symbol) pairs as nm prints them against the set of marked names."""
    complaints, seen = [], set()
    for kind, symbol in exports:
        name = owner(symbol)
        if name in marks:
            seen.add(name)
        elif not (kind in "WVu" and FOREIGN_WEAK.match(symbol)):
            complaints.append(f"exported without a mark: {kind} {symbol}")
    complaints += [f"marked but never defined: {name}" for name in sorted(marks - seen)]
    return complaints


def state(symbols):
    """Complaints about (section, symbol) pairs of variables, thread-local ones too."""
    complaints = []
    for section, symbol in symbols:
        if section.startswith((".data.rel.ro", ".data.rel.local.DW.ref")) or symbol.startswith("."):
            continue
        if symbol == "std::__ioinit":  # absl/status/status.h includes <iostream>
            continue
        if re.match(r"\.(data|bss|tdata|tbss)\b", section):
            complaints.append(f"{section}: {symbol}")
    return complaints


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exports_of(path):
    lines = run("nm", "-D", "--defined-only", "-C", path).splitlines()
    return [tuple(line.split(" ", 2)[1:]) for line in lines if " " in line]


def sections_of(path):
    found = []
    for line in run("objdump", "-t", "-C", path).splitlines():
        match = re.match(r"^[0-9a-f]{16} .{7} (\S+)\t[0-9a-f]+\s+(.*)$", line)
        if match:
            found.append(match.groups())
    return found


@unittest.skipUnless("MUSTER_SHARED_CHECK" in os.environ,
                     "sanitizers add symbols of their own, or not run by ctest")
class Library(unittest.TestCase):
    def test_exports_are_the_marks(self):
        headers = sorted((source.ROOT / "include/muster").rglob("*.h"))
        marks = marked(path.read_text(encoding="utf-8") for path in headers
                       if path.stem not in EXPERIMENTAL)
        self.assertIn("Cluster", marks)
        self.assertNotIn("Replay", marks)
        self.assertEqual(compare(exports_of(os.environ["MUSTER_SHARED_CHECK"]), marks), [])
        marks = marked(path.read_text(encoding="utf-8") for path in headers)
        self.assertIn("Replay", marks)
        self.assertEqual(compare(exports_of(os.environ["MUSTER_REPLAY_SHARED_CHECK"]), marks), [])

    def test_the_scheduler_knows_no_zlib(self):
        names = run("nm", os.environ["MUSTER_ARCHIVE_CHECK"])
        self.assertIsNone(re.search(r" (inflate|deflate|gz|crc32)\w*$", names, re.MULTILINE))
        self.assertRegex(run("nm", os.environ["MUSTER_REPLAY_ARCHIVE_CHECK"]), r" U inflate\n")

    def test_no_state(self):
        for archive in ("MUSTER_ARCHIVE_CHECK", "MUSTER_REPLAY_ARCHIVE_CHECK"):
            sections = sections_of(os.environ[archive])
            self.assertGreater(len(sections), 100)
            self.assertEqual(state(sections), [])


class Headers(unittest.TestCase):
    def test_functions_that_are_not_defined_are_marked(self):
        for path in sorted((source.ROOT / "include/muster").rglob("*.h")):
            with self.subTest(header=path.name):
                self.assertEqual(unmarked(path.read_text(encoding="utf-8")), [])


class SeededViolations(unittest.TestCase):
    HEADER = """
        // MUSTER_EXPORT Ghost(
        #define MUSTER_EXPORT __attribute__((visibility("default")))
        class MUSTER_EXPORT Plan { Plan(); };
        MUSTER_EXPORT absl::StatusOr<std::vector<Plan>>
            Schedule(const Plan& plan);
        struct Plain { int x; };
    """

    def test_marks(self):
        self.assertEqual(marked([self.HEADER]), {"Plan", "Schedule"})

    def test_missing_marks_are_seen(self):
        self.assertEqual(unmarked(self.HEADER), [])
        bare = self.HEADER.replace("MUSTER_EXPORT absl", "absl")
        self.assertEqual(unmarked(bare), ["Schedule"])
        self.assertEqual(unmarked(self.HEADER.replace("class MUSTER_EXPORT", "class")), ["Plan::Plan"])
        self.assertEqual(unmarked("""
            namespace muster {
            namespace internal { const Data& DataOf(const Cycle& cycle); }
            std::string_view NameOf(Kind kind);
            inline int Sign(int x) { return x > 0; }
            enum class Kind { kOne, kTwo };
            struct Options {
              std::function<bool(int)> stop = {};
              void (*needs)(int) = nullptr;
              int size() const { return 1; }
              virtual void Open(int /*cycle*/) {}
              virtual int name() const = 0;
              friend bool operator==(const Options&, const Options&) = default;
              bool Holds(int x) const;
              static Options Default();
            };
            template <class T>
            void Write(const T& value);
            class MUSTER_EXPORT Plan {
             public:
              struct Part { int Size() const; };
              explicit Plan(int x);
            };
            }  // namespace muster
        """), ["NameOf", "Options::Holds", "Options::Default"])

    def test_public_api_passes(self):
        exports = [("T", "muster::Plan::Plan()"), ("V", "vtable for muster::Plan"),
                   ("T", "muster::Schedule[abi:cxx11](muster::Plan const&)"),
                   ("W", "std::vector<muster::Plan, std::allocator<muster::Plan> >::~vector()"),
                   ("W",
                    "void std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int&&)")]
        self.assertEqual(compare(exports, {"Plan", "Schedule"}), [])

    def test_leaks_are_seen(self):
        good = ("T", "muster::Plan::Plan()")
        for leak in (("T", "muster::Ledger::Bind(unsigned int)"), ("T", "helper(int)"),
                     ("W", "nlohmann::json::dump()"),
                     ("W", "absl::Status::Status()"), ("V", "typeinfo for muster::Ledger"),
                     ("T", "std::helper()"),
                     ("B", "muster::counter"), ("W", "muster::Ledger::~Ledger()")):
            self.assertEqual(len(compare([good, leak], {"Plan"})), 1, leak)

    def test_a_mark_needs_a_definition(self):
        self.assertEqual(compare([("T", "muster::Plan::Plan()")], {"Plan", "Gone"}),
                         ["marked but never defined: Gone"])

    def test_state_is_seen(self):
        self.assertEqual(state([(".text", "f()"), (".data.rel.ro", "kTable"),
                                (".rodata", "kPrimes"), (".bss", ".bss")]), [])
        self.assertEqual(len(state([(".bss", "counter"), (".data", "x"), (".tbss", "t"),
                                    (".bss.kTable", "k"),
                                    (".bss", "guard variable for f()::table")])), 5)


if __name__ == "__main__":
    unittest.main()
