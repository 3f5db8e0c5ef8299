# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The laws of the core that can be read off its text: no output, clock, chance, environment, abort,
exit or exception; no threads but those that a caller asks for; no engine or distribution with
values that differ between standard libraries; no hash table but those of lib/base; exp, log and pow
from lib/base alone; no sort of the standard library by what policies answer. And no name of a type
in two headers: the linker would take the members of one for those of the other, without a word.
"""

import pathlib
import re
import tempfile
import unittest

import source

FOLDERS = ("lib", "include")

LAWS = [
    (r"\bstd\s*::\s*(cout|cerr|clog|cin)\b", "no output or input"),
    (r"\b(printf|fprintf|vfprintf|puts|putchar|fopen|getenv)\s*\(",
     "no output, file or environment"),
    (r"\bstd\s*::\s*rand\b|\bs?rand\s*\(|\brandom_device\b|\bmt19937|\b\w+_distribution\b|\bBitGen\b",
     "chance comes from lib/base/rng.h and a seed"),
    (r"\btime\s*\(\s*(nullptr|NULL|0|&)|\b(system|steady|high_resolution)_clock\b|\bclock_gettime\b"
     r"|\babsl\s*::\s*Now\b", "time is an input"),
    (r"\b(abort|_Exit|quick_exit)\s*\(|\bstd\s*::\s*(exit|terminate)\b|(?<![\w:.>])exit\s*\(|\bassert\s*\(",
     "the core never ends the process"),
    (r"\bthrow\b", "errors are values"),
    (r"\bstd\s*::\s*(thread|jthread|async)\b|\bthread_local\b",
     "no threads of its own, no thread-local state"),
    (r"\b(?:flat_hash|node_hash|unordered)_(?:map|set)\s*<",
     "hash tables come from lib/base: they have an order, and survive a growth without memory"),
]
# Where MakeThreads is.
THREADS = pathlib.PurePath("lib/base/threads.cc")
# Their last bit differs between C libraries, so that lib/base has its own.
TRANSCENDENTAL = (r"\bstd\s*::\s*(exp|exp2|expm1|log|log2|log10|log1p|pow|tanh|sin|cos|cbrt)\s*\(",
                  "exp, log and pow come from lib/base")


def violations(root):
    found = []
    for path in source.files(root, FOLDERS):
        raw = (root / path).read_text(encoding="utf-8")
        text = source.blank(raw)
        lines = raw.splitlines()

        def report(offset, why):
            line = text.count("\n", 0, offset) + 1
            found.append(f"{path}:{line}: {why}: {lines[line - 1].strip()}")

        laws = LAWS if path.parts[:2] == ("lib", "base") else LAWS + [TRANSCENDENTAL]
        for pattern, why in laws:
            if path == THREADS and "threads" in why:
                continue
            for match in re.finditer(pattern, text):
                report(match.start(), why)
    return found


# A policy of the caller may give any answer, and these run past the end of the list if the answers
# are no order. lib/base/go_sort.h does not.
_ASKS = r"\bdispatcher_?\s*(?:\.|->)\s*(?:\w*Before|Compare\w+)\s*\("
_LAMBDA = re.compile(r"\bauto (?P<name>\w+) = \[[^\]]*\][^{;]*\{[^}]*?" + _ASKS)
_SORT = re.compile(r"\bstd::(?:ranges::)?(?:sort|stable_sort|partial_sort|nth_element)\(")


def sorts_by_answers(root):
    """Sorts of the standard library by what policies answer."""
    found = []
    for path in source.files(root, FOLDERS):
        text = source.blank((root / path).read_text(encoding="utf-8"))
        asking = {match["name"] for match in _LAMBDA.finditer(text)}
        for match in _SORT.finditer(text):
            depth, end = 1, match.end()
            while depth > 0:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            call = text[match.start():end]
            if re.search(_ASKS, call) or asking & set(re.findall(r"\w+", call)):
                found.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}")
    return found


_TYPE = re.compile(r"^(namespace (?P<opens>[\w:]+) \{|(?P<closes>\}.*)"
                   r"|(struct|class|enum class)\s+(MUSTER_EXPORT\s+)?"
                   r"(?P<name>\w+)\b(?!::)[^;{]*\{)",
                   re.MULTILINE)


def types_twice(root):
    """Names of types that headers define more than once, with the headers."""
    where = {}
    for path in source.files(root, FOLDERS, (".h",)):
        spaces = []
        raw = (root / path).read_text(encoding="utf-8")
        for match in _TYPE.finditer(source.blank(raw)):
            if match["opens"]:
                spaces.append(match["opens"])
            elif match["closes"]:
                if raw[match.start():match.end() + 20].startswith("}  // namespace") and spaces:
                    spaces.pop()
            else:
                where.setdefault("::".join([*spaces, match["name"]]), set()).add(str(path))
    return {name: sorted(paths) for name, paths in where.items() if len(paths) > 1}


class Repository(unittest.TestCase):
    maxDiff = None

    def test_every_type_is_defined_once(self):
        self.assertEqual(types_twice(source.ROOT), {})

    def test_core_keeps_the_laws(self):
        self.assertGreater(len(source.files(source.ROOT, FOLDERS)), 10)
        self.assertEqual(violations(source.ROOT), [])


    def test_no_sort_trusts_the_order_of_a_policy(self):
        self.assertEqual(sorts_by_answers(source.ROOT), [])


class SeededViolations(unittest.TestCase):
    def check(self, code, path="lib/search/a.cc"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / path).parent.mkdir(parents=True)
            (root / path).write_text(code, encoding="utf-8")
            return violations(root)

    def test_each_law_is_seen(self):
        for code in (
            "std::cout << 1;", "std::cerr << 1;", 'printf("x");', "int r = std::rand();",
            "srand(1);",
            "auto t = time(nullptr);", "std::chrono::system_clock::now();",
            "std::chrono::steady_clock::now();",
            "std::random_device d;", "std::uniform_int_distribution<int> d;", "absl::BitGen g;",
            "abort();",
            "std::abort();", "std::exit(1);", "exit(1);", "throw 1;", "assert(x > 0);",
            "thread_local int x;",
            "std::thread t;", "double y = std::exp(x);", "getenv(name);",
            "absl::flat_hash_map<int, int> m;", "std::unordered_set<int> s;",
        ):
            self.assertEqual(len(self.check("int a;\n" + code + "\n")), 1, code)

    def test_types_twice_are_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, code in {
                "include/muster/a.h": "namespace muster {\nclass Told;\nstruct Part {\n};\n}  // namespace muster\n",
                "lib/fit/b.h": "namespace muster {\nclass Told {\n};\nclass Part : public Told {\n};\n}  // namespace muster\n",
                "lib/fit/c.h": "namespace muster::other {\nstruct Part {\n};\n}  // namespace muster::other\n",
            }.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(code, encoding="utf-8")
            self.assertEqual(types_twice(root),
                             {"muster::Part": ["include/muster/a.h", "lib/fit/b.h"]})

    def test_sorts_by_answers_are_seen(self):
        body = "[&](JobIndex a, JobIndex b) { return dispatcher_.JobBefore(a, b); }"
        for code, number in (
            (f"std::sort(jobs.begin(), jobs.end(), {body});", 1),
            (f"const auto before = {body};\nstd::ranges::stable_sort(jobs, before);", 1),
            (f"const auto before = {body};\nGoSort(jobs, before);\nstd::sort(a.begin(), b());", 0),
            ("std::sort(jobs.begin(), jobs.end(), [](int a, int b) { return a > b; });", 0),
        ):
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / "lib").mkdir()
                (root / "lib" / "a.cc").write_text(code + "\n", encoding="utf-8")
                self.assertEqual(len(sorts_by_answers(root)), number, code)

    def test_words_are_not_deeds(self):
        for code in (
            "// never throws, never calls abort()", "/* std::cout\n throw */",
            'Error("throw time(nullptr)");',
            "snprintf(buffer, size, format);", "int n = 1'000'000; // throw", "x.exit(); DoExit();",
            "int64_t runtime(int x);", 'R"(std::cout " throw)";',
            "static_assert(sizeof(int) == 4);",
        ):
            self.assertEqual(self.check(code + "\n"), [], code)

    def test_threads_have_their_file(self):
        self.assertEqual(self.check("std::thread t;\n", "lib/base/threads.cc"), [])
        self.assertEqual(len(self.check("throw 1;\n", "lib/base/threads.cc")), 1)

    def test_base_owns_exp(self):
        self.assertEqual(self.check("double y = std::exp(x);\n", "lib/base/real.cc"), [])


if __name__ == "__main__":
    unittest.main()
