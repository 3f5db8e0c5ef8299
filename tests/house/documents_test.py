# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The examples in C and C++ of the public headers, README.md, CONTRIBUTING.md and docs/ compile as
they are printed.

What an example leaves to its reader - a trace, a file's bytes, an own function - is what LEFT
declares for it. Statuses may be dropped in them: headers say so. Python's examples are run by
tests/python/docs_test.py, those of docs/languages.md by tests/capi/*_test.py, that of muster/c.h by
tests/capi/abi_test.py.
"""

import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Headers without an example, and those with lines that are no statements.
WITHOUT = {"export.h", "loadable.h", "quantity.h", "version.h"}
LEFT = {
    "action.h": "Cluster cluster; auto extensions = std::make_shared<Extensions>();",
    "bound.h": "Snapshot snapshot; Plan plan; auto Report = [](auto&&...) {};",
    "cycle_metrics.h": "Cluster cluster; int64_t now = 0; auto Export = [](auto&&...) {};",
    "event.h": "extern const Cycle& cycle;",
    "episodes.h": "std::shared_ptr<const Trace> trace; size_t e = 0, first = 0, action = 0; float *jobs, *machine; int8_t* mask;",
    "memory.h": "Cluster cluster; Snapshot snapshot; std::string text, profile;"
                " extern const Cycle& cycle;",
    "metrics.h": "Trace trace; absl::StatusOr<ReplayResult> result = Replay(trace, \"easy\"); auto Print = [](auto&&...) {};",
    "packing.h": "OpenbFiles files; auto Use = [](auto&&...) {};",
    "plan.h": "Cluster cluster; auto Start = [](auto&&...) {}; auto Stop = [](auto&&...) {};",
    "policy.h": "Cluster cluster;",
    "policy/columns.h": "StateColumns states; size_t begin = 0, end = 0; double* order = nullptr;",
    "policy/cycle.h": "const internal::CycleData* data = nullptr; const Cycle cycle(data);"
                      " NodeIndex node = 0; JobIndex job = 0; auto Consider = [](auto&&...) {};",
    "policy/sub_group.h": "JobIndex job = 0;",
    "policy/verdict.h": "int64_t held = 0, request = 0, limit = 0; auto Report = [](auto&&...) {};",
    "executor.h": "Cluster cluster; std::vector<NodeOffer> offers;",
    "forecast.h": "Cluster cluster; Trace history; int64_t now = 0;",
    "replay.h": "Trace trace; auto Use = [](auto&&...) {};",
    "rehearsal.h": "Cluster cluster; auto Report = [](auto&&...) {};",
    "remedy.h": "Cluster cluster; auto Report = [](auto&&...) {};",
    "schedule.h": "Cluster cluster; auto Start = [](auto&&...) {};"
                  " auto Report = [](auto&&...) {};",
    "snapshot.h": "Cluster cluster;",
    "statistics.h": "auto Use = [](auto&&...) {};",
    "trace_bound.h": "Trace trace; auto Report = [](auto&&...) {};",
    "turn.h": "Cluster cluster;",
    "index.h": "Snapshot snapshot; std::vector<std::string> names; auto Visit = [](auto&&...) {};",
    "types.h": "Snapshot snapshot; Decision decision{DecisionKind::kBind};"
               " auto Visit = [](auto&&...) {};",
    "upkeep.h": "Cluster cluster; NodeSpec big, small; auto Show = [](auto&&...) {};",
    "what_if.h": "Snapshot snapshot;",
    "docs/quota.md": """QuotaTask task; Sparse request, used, runtime; bool preemptible = true; int64_t now = 0;
        std::vector<RevocableTask> revocable; QuotaRules::Tasks owners; QuotaEdit quota; CapacityTask capacity_task;
        QuotaProfile profile; std::vector<ProfiledNode> nodes;
        auto Evict = [](auto&&...) {};""",
    "docs/capi.md": "void pool_submit(uintptr_t, muster_run, uintptr_t, int64_t); muster_status pool_wait(uintptr_t);",
}


def opening(header):
    """The examples of the comment that a header begins with, as code: indented lines behind an
    empty one. Indented lines that follow prose are lists, or output."""
    lines, is_code = [], False
    for line in header.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        if line == "//":
            is_code = True
        elif not line.startswith("//   "):
            is_code = False
        elif is_code and not line.startswith("//   #"):
            lines.append(re.sub(r" \.\.\.(?= |$)", " {}", line[5:].replace("= ...;", "= {};")))
    return "\n".join(lines)


def blocks(page, kind=None):
    """The blocks of a page: fenced ones of a kind, or indented ones."""
    text = (ROOT / page).read_text(encoding="utf-8")
    if kind is not None:
        return re.findall(rf"^```{kind}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [re.sub("^    ", "", block, flags=re.MULTILINE)
            for block in re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)]


def compile_(test, compiler, name, text, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / name
        source.write_text(text, encoding="utf-8")
        done = subprocess.run([compiler, "-fsyntax-only", f"-I{ROOT}/include", f"-I{ROOT}/capi",
                               f"-I{ROOT}", *arguments, source],
                              capture_output=True, text=True, check=False)
        test.assertEqual(done.returncode, 0, done.stderr)


def function(number, where, code):
    return f"void Example{number}() {{\n{LEFT.get(where, '')}\n#line 1 \"{where}\"\n{code}\n}}\n"


@unittest.skipUnless(shutil.which("c++") and shutil.which("cc"), "there are no compilers")
class Documents(unittest.TestCase):
    def test_cpp(self):
        public = sorted((ROOT / "include/muster").rglob("*.h"))
        paths = [header.relative_to(ROOT / "include/muster").as_posix() for header in public]
        examples = [(path, opening(header)) for path, header in zip(paths, public)
                    if path not in WITHOUT]
        self.assertTrue(all(";" in code for _, code in examples), examples)
        quota = [block for block in blocks("docs/quota.md") if ";" in block]
        self.assertEqual(len(quota), 6)
        # One after the other: the second speaks of the first's tree.
        examples.append(("docs/quota.md", "\n".join([
            "{", quota[0], quota[1].replace("tasks)", "revocable)"), "}{",
            quota[2].replace("tasks)", "owners)"), "}{",
            quota[3], "}{", quota[4].replace("(task)", "(capacity_task)"), "}{", quota[5], "}"])))
        headers = [f"muster/{path}" for path in paths] + [
            f"lib/peer/{name}.h" for name in (
                "koordinator/quota/elastic_forest", "koordinator/quota/elastic_revoke",
                "koordinator/quota/elastic_tree",
                "koordinator/quota/quota_profile", "koordinator/quota/quota_rules",
                "scheduler_plugins/capacity_preemption", "transwarp/drf_tree")]
        text = "#include <algorithm>\n#include <iostream>\n" + "".join(f'#include "{header}"\n'
                                                 for header in headers) + "namespace muster {\n"
        text += "".join(function(i, where, code) for i, (where,
                                                         code) in enumerate(examples)) + "}\n"
        compile_(self, "c++", "examples.cc", text, "-std=c++20", "-w")

    def test_readme(self):
        """The program of the first page compiles as it is, and no compiler warns."""
        programs = [block for block in blocks("README.md", "cpp") if "int main()" in block]
        self.assertEqual(len(programs), len(blocks("README.md", "cpp")))
        self.assertEqual(len(programs), 1)
        for compiler in filter(shutil.which, ("c++", "clang++", "clang++-14")):
            compile_(self, compiler, "readme.cc", programs[0], "-std=c++20", "-Wall", "-Wextra",
                     "-Werror")

    def test_contributing(self):
        """The policy of the steps is a file of its own. Another class gets the methods of the score
        that depends on the node alone."""
        policy, constant = [textwrap.dedent(block) for block in re.findall(
            r"^   ```cpp\n(.*?)^   ```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
            re.MULTILINE | re.DOTALL)]
        base = policy[policy.index("class SpareGpus"):policy.index("  Scope ScoreScope")]
        members = policy[policy.index(" private:"):policy.index("}  // namespace\n")]
        other = (base + constant + members).replace("SpareGpus", "OnSsd")
        text = (policy + '#include "lib/kube/selectors.h"\nnamespace muster {\nnamespace {\n'
                + other + "OnSsd Made(const Options& o) { return OnSsd(o); }\n"
                "PolicyDecl Declared() { return SpareGpusPolicy(); }\n}}\n")
        self.assertIn("ScoreStates", policy)
        compile_(self, "c++", "spare_gpus.cc", text.replace(
            "PolicyDecl SpareGpusPolicy() {",
            "PolicyDecl SpareGpusPolicy();\nPolicyDecl SpareGpusPolicy() {"), "-std=c++20", "-Wall",
            "-Wextra", "-Werror", "-Wno-unused")

    def test_c(self):
        pool = [block for block in blocks("docs/capi.md")
                if block.startswith("static muster_status")]
        readme = blocks("README.md", "c")
        self.assertEqual((len(pool), len(readme)), (1, 1))
        text = "#include <muster/c.h>\n" + LEFT["docs/capi.md"] + "\n" + pool[
            0] + "muster_executor used = on_my_pool;\n"
        text += (
            "void readme(muster_cluster* cluster, muster_table* nodes) {\n  muster_error error = MUSTER_ERROR_INIT;\n"
            "  muster_plan* plan = NULL;\n  muster_plan_view view = MUSTER_PLAN_VIEW_INIT;\n"
            + readme[0].replace("#include <muster/c.h>\n", "") + "}\n")
        compile_(self, "cc", "examples.c", text, "-std=c99", "-Wall", "-Wextra", "-Werror",
                 "-pedantic")


if __name__ == "__main__":
    unittest.main()
