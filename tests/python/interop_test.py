# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""muster.interop: text in, scenarios out. The rules of reading are tested where they are written,
in tests/import."""

import importlib.util
import json
import pathlib
import tempfile
import unittest

from engine import muster, needs_engine, run_muster

from muster.interop import ImportFailure, read_objects, volcano
from muster.interop.reader import read_configuration

HAVE_YAML = importlib.util.find_spec("yaml") is not None
API = "scheduling.volcano.sh/v1beta1"
NODE = {"kind": "Node", "metadata": {"name": "n1"},
        "status": {"allocatable": {"cpu": "4", "pods": "10"}}}
QUEUE = {"kind": "Queue", "apiVersion": API, "metadata": {"name": "q"}, "spec": {"weight": 1},
         "status": {"state": "Open"}}
GROUP = {
    "kind": "PodGroup",
    "apiVersion": API,
    "metadata": {"name": "g", "namespace": "ns"},
    "spec": {"queue": "q", "minMember": 1},
}
POD = {
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "ns",
                 "annotations": {"scheduling.k8s.io/group-name": "g"}},
    "spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]},
}
SECRET = {"kind": "Secret", "metadata": {"name": "s"}}


class Texts(unittest.TestCase):
    """What needs no extension module."""

    def test_an_empty_list_has_no_objects(self):
        self.assertEqual(read_objects('{"kind": "List", "items": []}'), [])

    def test_text_that_is_no_dump_is_refused(self):
        for text, message in (
            ('{"kind": "List", "items": [', "dump: line 1: not valid JSON"),
            ("[1]", r"document 1\[0\]: expected an object, found int"),
            ("{}", "document 1: the field kind is missing"),
        ):
            with self.assertRaisesRegex(ImportFailure, message):
                read_objects(text)

    def test_answers_and_ads_have_no_kind(self):
        answers = [{"nodes": {"node": []}}, {"apps": None}, {"MyType": "Machine", "Name": "m"}]
        self.assertEqual(read_objects("\n".join(map(json.dumps, answers))), answers)
        with self.assertRaisesRegex(ImportFailure, "the field kind is missing"):
            read_objects('{"nodes": {}, "apps": {}}')

    def test_xml_configurations(self):
        self.assertEqual(
            read_configuration("""\ufeff<?xml version="1.0"?>
                <configuration>
                  <property><name> a </name><value>1</value></property><!-- no -->
                  <property><name>a</name><value> 2
                  </value><final>true</final></property>
                  <property><name>b</name><value/></property>
                </configuration>"""), {"a": "2", "b": ""})
        self.assertEqual(
            read_configuration("""<allocations>
                  <queue name="a" type="parent"><weight>2.0</weight><queue name="b"/></queue>
                  <pool name="c"/><user name="ann"><maxRunningApps>3</maxRunningApps></user>
                  <queueMaxAppsDefault>5</queueMaxAppsDefault><x>1</x><x>2</x><x>3</x>
                </allocations>"""),
            {"allocations": {
                "queue": [{"name": "a", "type": "parent", "weight": "2.0",
                           "queue": [{"name": "b"}]}],
                "pool": [{"name": "c"}], "user": [{"name": "ann", "maxRunningApps": "3"}],
                "queueMaxAppsDefault": "5", "x": ["1", "2", "3"]}})
        deep = "<allocations>" + "<queue>" * 300 + "</queue>" * 300 + "</allocations>"
        for text, message in (
            ("<a/>", "the root is <a>; expected <configuration> or <allocations>"),
            ("<a>", "scheduler configuration: not valid XML: "),
            ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "has a document type"),
            ("<configuration><property/></configuration>", "property 1: has no <name>"),
            (deep, "nested deeper than 256"),
        ):
            with self.assertRaisesRegex(ImportFailure, message):
                read_configuration(text)

    def test_unknown_elements_are_refused(self):
        named = "<configuration><property><name>a</name>%s</property>%s</configuration>"
        for text, message in (
            (named % ("", ""), 'property 1: "a" has no <value>'),
            (named % ("<valu>1</valu>", ""), "property 1: <valu> is not known"),
            (named % ("<value>1</value>", "<propert/>"), "<propert> is not known"),
            ("<configuration><property><value>1</value></property></configuration>",
             "property 1: has no <name>"),
        ):
            with self.subTest(text), self.assertRaisesRegex(ImportFailure, message):
                read_configuration(text)

    def test_lists_and_streams(self):
        typed = {"kind": "NodeList", "apiVersion": "v1", "items": [{"metadata": {"name": "n"}}]}
        nested = {"kind": "List", "items": [typed, NODE]}
        self.assertEqual(
            [o["kind"] for o in read_objects(json.dumps(nested) + "\n" + json.dumps([QUEUE]))],
            ["Node", "Node", "Queue"],
        )

    def test_yaml(self):
        text = "kind: Node\nmetadata:\n  name: n1\n  creationTimestamp: 2026-01-01T00:00:05Z\n---\nkind: Queue\nmetadata: {name: q}\n"
        if not HAVE_YAML:
            with self.assertRaisesRegex(ImportFailure, "PyYAML"):
                read_objects(text)
            return
        first, second = read_objects(text)
        self.assertEqual(first["metadata"]["creationTimestamp"], "2026-01-01T00:00:05Z")
        self.assertEqual(second["kind"], "Queue")
        with self.assertRaisesRegex(ImportFailure, "dump: line 3: not valid YAML"):
            read_objects("kind: Node\nmetadata: [1, \n")

    def test_the_reader_takes_the_yaml_of_configurations(self):
        self.assertEqual(
            read_configuration(
                "a: 'it''s' # x\nb:\n- 1\n- c: [x, 2]\n  d:\n-\n  e: 10:00-21:00\nf: -1.5\n"
            ),
            {
                "a": "it's",
                "b": [1, {"c": ["x", 2], "d": None}, {"e": "10:00-21:00"}],
                "f": -1.5,
            },
        )
        self.assertEqual(read_configuration('{"actions": "x"}'), {"actions": "x"})
        self.assertIsNone(read_configuration("# nothing\n"))

    def test_what_it_cannot_read_it_refuses_by_line(self):
        for text, message in (
            ("a: 1\n\tb: 2", "line 2: a tab cannot indent YAML"),
            ("a: &x 1", "line 1: '&x 1' uses YAML that scheduler configurations do not need"),
            ("a: 1\n  b: 2", "line 2: unexpected indentation"),
            ("a: [1", "line 1: '[1' is not closed on its line"),
            ("a: 1\na: 2", "line 2: the key 'a' is given twice"),
            ("a: 1\nb", "line 2: expected `key: value`, found 'b'"),
        ):
            with self.assertRaises(ImportFailure) as caught:
                read_configuration(text)
            self.assertEqual(str(caught.exception), f"scheduler configuration: {message}")


@needs_engine
class Scenarios(unittest.TestCase):
    def test_a_dump_becomes_a_scenario_that_runs(self):
        text = "actions: enqueue, allocate\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n"
        scenario, report = muster.interop.scenario([NODE, QUEUE, GROUP, POD, SECRET],
                                                   configuration=text, now=7)
        self.assertEqual(scenario["profile"],
                         "volcano:actions=admit+allocate,tiers=gang+predicates")
        self.assertEqual(scenario["options"], {"now": 7})
        self.assertEqual(
            [(str(entry), entry.severity) for entry in report],
            [("Secret s: objects of this kind are not considered", "ignored")],
        )
        self.assertEqual((len(report), str(report)), (1, str(next(iter(report)))))
        plan = muster.Cluster.from_scenario(scenario).schedule()
        self.assertEqual(plan.counts["bind"], 1)

    def test_options_are_handed_on(self):
        # Configurations that tests build by hand have off what they do not set.
        conf = {"tiers": [{"plugins": [{"name": "gang", "enableJobReady": True}]}]}
        scenario, _ = muster.interop.scenario([], profile="kube-batch", configuration=conf,
                                              unset_flags_on=False)
        self.assertIn("without=job_order|pipelined|task_order", scenario["profile"])
        bound = {**POD, "spec": POD["spec"] | {"nodeName": "n1"}}
        group = {**GROUP, "spec": {"minMember": 1}}
        scenario, _ = volcano.scenario([NODE, QUEUE, group, bound], default_queue="q",
                                       binding=["ns/p"])
        self.assertEqual(scenario["tasks"][0]["status"], "binding")
        self.assertEqual(scenario["jobs"][0]["queue"], "q")

    def test_refusals(self):
        for objects, options, message in (
            ([{"kind": "Node", "metadata": {}}], {}, "Node: metadata.name: missing"),
            ([{"kind": "Secret", "metadata": {"name": "s"}}], {"profile": ""},
             "dump: no object belongs to one scheduler alone"),
            ([NODE, {**POD, "spec": POD["spec"] | {"schedulerName": "other"}}], {"strict": True},
             "strict: something is left out; the first: Pod ns/p: spec.schedulerName"),
            ([], {"configuration": "- 1\n"}, "scheduler configuration: expected `actions`"),
            ([], {"configuration": {"actions": {1, 2}}},
             "scheduler configuration: holds what JSON cannot"),
            ([{"kind": "Node", "x": float("nan")}], {}, "dump: holds what JSON cannot"),
        ):
            with self.assertRaises(ImportFailure) as caught:
                volcano.scenario(objects, **options)
            self.assertTrue(str(caught.exception).startswith(message), caught.exception)


@needs_engine
class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dump, self.conf = (pathlib.Path(folder.name, name) for name in ("dump.json", "conf"))

    def run_main(self, *arguments):
        done = run_muster("import", "--profile", "volcano", *arguments)
        return done.returncode, done.stdout, done.stderr

    def test_a_dump_becomes_a_scenario_and_a_list(self):
        self.dump.write_text(json.dumps([NODE, SECRET]))
        self.conf.write_text("actions: allocate\n")
        code, out, err = self.run_main(self.dump, "--configuration", self.conf, "--now", "7")
        self.assertEqual((code, err), (
            0, "muster: ignored: Secret s: objects of this kind are not considered\n"))
        scenario = json.loads(out)
        self.assertEqual((scenario["profile"], scenario["options"]),
                         ("volcano:actions=allocate", {"now": 7}))
        self.dump.write_text("[")
        code, out, err = self.run_main(self.dump)
        self.assertEqual((code, out), (2, ""))
        self.assertTrue(
            err.startswith(f"muster: {self.dump}: dump: byte 1: unexpected end of input"), err)
        self.assertEqual(self.run_main("/no/such/file")[0], 2)

    def test_what_is_wrong_is_one_line(self):
        self.dump.write_bytes(b'[{"kind": "\xff"}]')
        self.conf.write_bytes(b"actions: \xff\n")
        bad_dump = f"{self.dump}: dump: byte 12: malformed JSON: invalid string: ill-formed UTF-8"
        good = self.dump.with_name("good.json")
        good.write_text(json.dumps([NODE]))
        large = "99999999999999999999"
        for words, message in (
            ((self.dump,), bad_dump),
            ((good, "--configuration", self.conf),
             f"{self.conf}: byte 9 is 0xff, which is no UTF-8"),
            ((good, "--now", large), f'import: --now: expected an integer, got "{large}"'),
            ((good, "--max-rows", "-1"), "import: --max-rows: must be above 0"),
            ((good, "--max-depth", large),
             f'import: --max-depth: expected an integer, got "{large}"'),
            ((good, "--max-bytes", "9"), f"{good}: "),
        ):
            with self.subTest(message):
                code, out, err = self.run_main(*words)
                self.assertEqual((code, out), (2, ""), err)
                self.assertIn(f"muster: {message}", err)
                said = [line for line in err.splitlines() if not line.startswith("usage: ")]
                self.assertEqual(len(said), 1, err)
        self.conf.write_text("#" * 2000)
        code, _, err = self.run_main(good, "--max-bytes", "1000", "--configuration", self.conf)
        self.assertEqual(code, 2)
        self.assertIn(f"{self.conf}: ", err)
        self.assertIn("at most 1000 are read", err)

    @unittest.skipUnless(HAVE_YAML, "PyYAML is not installed")
    def test_yaml_is_translated_and_named(self):
        dump = self.dump.with_name("dump.yaml")
        dump.write_text("kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '4'}}\n")
        code, out, err = self.run_main(dump)
        self.assertEqual((code, json.loads(out)["nodes"][0]["name"]), (0, "n1"), err)
        done = run_muster("import", "--profile", "volcano", "-", text=dump.read_text())
        self.assertEqual((done.returncode, done.stdout), (0, out), done.stderr)
        dump.write_text("kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 4x}}\n")
        code, out, err = self.run_main(dump)
        self.assertEqual((code, out), (2, ""))
        self.assertTrue(err.startswith(f"muster: {dump}: Node n1: status.allocatable.cpu: "), err)
        dump.write_text("a: [")
        code, out, err = self.run_main(dump)
        self.assertEqual((code, out), (2, ""))
        self.assertTrue(err.startswith(f"muster: {dump}: line 1: not valid YAML"), err)

    @unittest.skipUnless(HAVE_YAML, "PyYAML is not installed")
    def test_memory_follows_the_dump_and_not_the_limit(self):
        import resource

        dump = self.dump.with_name("dump.yaml")
        dump.write_text("kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '4'}}\n")
        for words, text in (((dump,), None), (("-",), dump.read_text())):
            done = run_muster(
                "import", "--profile", "volcano", *words, text=text,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)))
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_configuration_may_come_in_its_config_map(self):
        self.dump.write_text(json.dumps([NODE]))
        config_map = {"kind": "ConfigMap", "metadata": {"name": "c"}}
        self.conf.write_text(json.dumps(config_map |
                                        {"data": {
                                            "volcano-scheduler.conf": "actions: allocate\n"}}))
        code, out, _ = self.run_main(self.dump, "--configuration", self.conf)
        self.assertEqual((code, json.loads(out)["profile"]), (0, "volcano:actions=allocate"))
        self.conf.write_text(json.dumps(config_map | {"data": {"x": ""}}))
        code, out, err = self.run_main(self.dump, "--configuration", self.conf)
        self.assertEqual(
            (code, err),
            (2, f"muster: {self.conf}: ConfigMap: expected one key that ends in .conf or .yaml, "
             "found none\n")
        )


if __name__ == "__main__":
    unittest.main()
