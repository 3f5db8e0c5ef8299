# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Every function of muster/c.h and muster/c_experimental.h with every argument wrong, through
ctypes.

The prototypes and structs are read from the headers, so that a new function is called from the day
it is there: first with one argument wrong and all others good, then in random sequences with any
number of them wrong. Wrong are NULL, sizes and counts that are negative, zero or not those of the
columns, struct sizes of all kinds, indices and kinds that do not exist, texts that are no UTF-8, no
name or no JSON. Whatever comes back: the status is one of the header's, the error says something,
what was to be handed out is NULL, and after a failure the cluster is as it was. Its snapshot never
changes. MUSTER_SEEDS says how many sequences.
"""

import ctypes
import os
import pathlib
import random
import re
import unittest

import c_header

LIBRARY = os.environ.get("MUSTER_REPLAY_C", "")  # has the functions of both
SEEDS = int(os.environ.get("MUSTER_SEEDS", "60"))
ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = re.sub(r"/\*.*?\*/", "",
                c_header.text()
                + (ROOT / "capi/muster/c_experimental.h").read_text(encoding="utf-8"),
                flags=re.DOTALL)
NUMBERS = {"int8_t": ctypes.c_int8, "uint8_t": ctypes.c_uint8, "int32_t": ctypes.c_int32,
           "uint32_t": ctypes.c_uint32,
           "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64, "double": ctypes.c_double,
           "float": ctypes.c_float,
           "uintptr_t": ctypes.c_void_p, "muster_status": ctypes.c_int32}
INVALID = -3
OBJECTS = b'[{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "q"}}]'
SCENARIO = (
    b'{"muster": 1, "nodes": [{"name": "n", "count": 3, "capacity": {"cpu": 8, "memory": "8Gi"},'
    b' "devices": [{"name": "g", "kind": "gpu"}]}], "queues": [{"name": "q"}],'
    b' "jobs": [{"name": "j", "queue": "q", "min_available": 2, "groups": [{"count": 2, "shape":'
    b' {"request": {"cpu": 4}, "devices": [{"kind": "gpu"}]}}]}]}')
COUNTS = (b'{"muster": 1, "jobs": [{"name": "counts", "groups": [{"name": "w",'
          b' "by_count": {"count": 5}}]}]}')
CHANGES = b'{"changes": [{"queue": {"name": "q", "weight": 3}}]}'
MEMORY = (b'{"version": 1, "slots": {"sampling": {"version": 1, "generation": 7,'
          b' "rows": {"next": [3]}}}}')
ROWS = 64  # that all arrays have at least
EXECUTOR = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p,
                            ctypes.c_void_p)
RUN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
ACTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
# Functions that only callbacks may call, and one that is handed in as a callback.
INSIDE = ("muster_cycle_", "muster_workbench_", "muster_threads_run")
SCORE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
                         ctypes.c_void_p, ctypes.c_void_p)


def prototypes():
    """Function -> what it returns, and [(type, parameter)]."""
    found = {}
    for returns, name, said in re.findall(r"^MUSTER_API ([^;]*?)\b(muster_\w+)\(([^;]*)\);", HEADER,
                                          re.MULTILINE):
        parameters = [re.fullmatch(r"(.*?)\s*(\w+)(?:\[\d+\])?", " ".join(p.split()))
                      for p in said.split(",")]
        found[name] = (returns.strip(), [] if said == "void"
                       else [(p[1], p[2]) for p in parameters])
    return found


def structs():
    """Struct -> ctypes.Structure; pointers of all kinds are c_void_p."""
    found = {}
    for name, body in re.findall(r"typedef struct (muster_\w+) \{(.*?)\} \1;", HEADER, re.DOTALL):
        fields = []
        for said in (" ".join(part.split()) for part in body.split(";")[:-1]):
            callback, kind = re.match(r"[\w* ]+\(\*(\w+)\)", said), said.split()[0]
            if callback:
                fields.append((callback[1], ctypes.c_void_p))
            elif "*" in said or kind not in (*NUMBERS, "char"):
                fields.append((re.search(r"(\w+)$", said)[1], ctypes.c_void_p))
            elif kind == "char":
                fields.append(("message", ctypes.c_char * int(re.search(r"\[(\d+)\]", said)[1])))
            else:
                fields += [(each.strip(), NUMBERS[kind]) for each in said[len(kind):].split(",")]
        found[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
    return found


FUNCTIONS, STRUCTS = prototypes(), structs()
HANDLES = {name[:-len("_free")] for name in FUNCTIONS if name.endswith("_free")}


def room(struct, size=None, **values):
    """A struct in more bytes than any size that is accepted, so that whatever it says can be read
    and written."""
    bytes_ = ctypes.create_string_buffer((1 << 16) + 64)
    made = STRUCTS[struct].from_buffer(bytes_)
    made.struct_size = ctypes.sizeof(STRUCTS[struct]) if size is None else size
    for key, value in values.items():
        setattr(made, key, value)
    return made


def numbers(kind, *values):
    return (NUMBERS[kind] * (1 << 13))(*values)


class World:
    """One handle of each kind, and what to put in for a parameter."""

    def __init__(self, test):
        self.test, self.lib, self.handles, self.kept = test, test.lib, {"muster_cycle": None, "muster_workbench": None}, []
        times = numbers("int64_t", 1, 2)
        self.kept.append(times)
        self.trace = dict(processors=4, count=2, submit=ctypes.addressof(times),
                          run=ctypes.addressof(times),
                          tasks=ctypes.addressof(times))
        self.make("muster_cluster", "cluster_new", None)
        self.cluster = self.handles["muster_cluster"]
        self.ok("cluster_add_json", self.cluster, SCENARIO, ctypes.c_int64(-1))
        self.make("muster_snapshot", "cluster_freeze", self.cluster)
        self.make("muster_plan", "snapshot_schedule", self.handles["muster_snapshot"], b"muster",
                  ctypes.byref(room("muster_schedule_options", measure=3)))
        self.make("muster_table", "table_new", 4, ctypes.c_int64(2), None)
        names = (ctypes.c_char_p * 2)(b"t0", b"t1")
        self.ok("table_set_strings", self.handles["muster_table"], b"name", names,
                ctypes.c_int64(2))
        self.ok("table_set_numbers", self.handles["muster_table"], b"shape.request.cpu", times,
                ctypes.c_int64(2))
        self.make("nodes", "table_new", 1, ctypes.c_int64(2), None)
        self.ok("table_set_strings", self.handles["nodes"], b"name", names, ctypes.c_int64(2))
        self.ok("table_set_numbers", self.handles["nodes"], b"capacity.cpu", times,
                ctypes.c_int64(2))
        self.ok("cluster_apply", self.cluster, self.handles["muster_plan"], None, None)
        self.make("muster_text", "plan_to_text", self.handles["muster_plan"])
        self.make("muster_stop", "stop_new")
        self.make("muster_threads", "threads_new", ctypes.c_int64(2))
        self.make("muster_policies", "policies_new", None, 0)
        self.make("muster_replay", "replay_pool",
                  ctypes.byref(room("muster_pool_trace", **self.trace)), b"easy", None)
        self.make("muster_forecast", "forecast_trace",
                  ctypes.byref(room("muster_pool_trace", **self.trace)), b"easy", None, None)
        self.make("muster_episodes", "episodes_new",
                  ctypes.byref(room("muster_pool_trace", **self.trace)), None, None,
                  ctypes.byref(room("muster_episodes_options", jobs=2)), ctypes.c_int64(1))
        self.make("muster_outlook", "cluster_what_if", self.cluster, b"muster", CHANGES,
                  ctypes.c_int64(-1))
        self.state = self.text("state_save")
        self.digest = self.snapshot_digest()

    def ok(self, function, *arguments):
        error = room("muster_error")
        self.test.assertEqual(getattr(self.lib, "muster_" +
                                      function)(*arguments, ctypes.byref(error)), 0, error.message)

    def make(self, kind, function, *arguments):
        made = ctypes.c_void_p()
        self.ok(function, *arguments, ctypes.byref(made))
        self.handles[kind] = made

    def text(self, function, *arguments):
        out = ctypes.c_void_p()
        self.ok(function, self.cluster, *arguments, ctypes.byref(out))
        words = ctypes.string_at(self.lib.muster_text_data(out))
        self.lib.muster_text_free(out)
        return words

    def rows(self):
        return self.text("cluster_write_scenario", None)

    def snapshot_digest(self):
        plan, digest = ctypes.c_void_p(), ctypes.create_string_buffer(33)
        self.ok("snapshot_schedule", self.handles["muster_snapshot"], b"muster", None,
                ctypes.byref(plan))
        self.ok("plan_digest", plan, digest)
        self.lib.muster_plan_free(plan)
        return digest.value

    def free(self):
        self.lib.muster_table_free(self.handles["nodes"])
        for kind, handle in self.handles.items():
            if kind in HANDLES and handle is not None:
                getattr(self.lib, kind + "_free")(handle)

    def run_here(self, _user, count, run, work):
        for i in range(count):
            RUN(run)(work, i)
        return 0

    def options(self, **texts):
        """Options of a cycle with these texts."""
        words = {field: ctypes.c_char_p(text) for field, text in texts.items()}
        self.kept += words.values()
        return room("muster_schedule_options", **{field: ctypes.cast(word, ctypes.c_void_p).value
                                                  for field, word in words.items()})

    def texts(self, function, name):
        """Good and bad texts of a parameter."""
        if name == "job":  # only this call meets it: profiles refuse tasks that are counts
            self.lib.muster_cluster_add_json(self.cluster, COUNTS, ctypes.c_int64(-1), None)
        good = {"json": b'{"priority": 1}' if function.endswith("defaults") else
                        SCENARIO if function.endswith("read_scenario")
                        else b'{"muster": 1, "queues": [{"name": "more"}]}',
                "state": self.state, "memory": MEMORY, "changes": CHANGES,
                "question": b'{"drain": {"nodes": ["n1"]}}',
                "column": b"priority", "profile": b"muster", "node": b"n1",
                "key": b"zone", "policy": b"easy", "bytes": b"abcd", "objects": OBJECTS,
                "job": b"counts", "group": b"w", "waiting_group": b"w",
                "name": {"muster_cluster_remove": b"j", "muster_plan_explain": b"j",
                         "muster_has_feature": b"columns"}.get(function, b"j-0")}
        if name in ("bytes", "objects"):  # have a size
            return [good[name]], [None, b"\xff\xfe\xff\xfe", b"x" * 5000]
        return [good[name]], [None, b"", b"\xff\xfe", b"{", b"x" * 5000, b"name"]

    def choices(self, function, kind, name):
        """Good and bad arguments for a parameter, by its type and name."""
        bare = kind.replace("const ", "").replace(" const", "").rstrip("*")
        if kind == "muster_error*":
            return [room(bare)], [None, *(room(bare, size)
                                          for size in (0, 7, 16, 17, 100, 1 << 31))]
        if kind == "const char*":
            return self.texts(function, name)
        if kind == "muster_executor":
            return [EXECUTOR(self.run_here)], [EXECUTOR(), EXECUTOR(lambda *_: -7)]
        if kind in ("char", "char*"):
            return [ctypes.create_string_buffer(33)], [None]
        if kind.endswith("* const*") or kind.startswith("const char* const*"):
            one, two = {"const char* const*": (b"muster", b"volcano"),
                        "const muster_table* const*": (self.handles["muster_table"],) * 2,
                        "const muster_policy* const*": (room("muster_policy", name=None), None),
                        "const muster_action* const*": (room("muster_action", name=None), None),
                        "const muster_schedule_options* const*": (
                            None, room("muster_schedule_options"))}[kind]
            if kind in ("const muster_policy* const*", "const muster_action* const*"):
                word = ctypes.c_char_p(b"mine" if "policy" in kind else b"my-action")
                one.name = ctypes.cast(word, ctypes.c_void_p).value
                self.kept.append(word)
            if kind == "const muster_action* const*":
                run = ACTION(lambda *_: 0)
                one.run = ctypes.cast(run, ctypes.c_void_p).value
                self.kept.append(run)
            self.kept += [one, two]
            address = lambda it: ctypes.cast(it if not isinstance(it, ctypes.Structure)
                                             else ctypes.pointer(it), ctypes.c_void_p)
            first, second = (ctypes.c_void_p() if it is None else address(it) for it in (one, two))
            rows = ctypes.c_void_p * ROWS
            return [rows(first, second)], [None, rows(), rows(second, first)]
        if kind.endswith("**"):
            return [(ctypes.c_void_p * ROWS)()], [None]
        if function == "muster_episodes_new" and bare == "muster_table":
            return [None], [self.handles[bare]]  # on nodes alone
        if bare in HANDLES or bare in ("muster_cycle", "muster_workbench"):
            return [self.handles["nodes" if name == "nodes" else bare]], [None]
        if bare in STRUCTS:
            values = {"muster_pool_trace": dict(self.trace,
                                                **({"processors": 0}
                                                   if function == "muster_replay_nodes" else {})),
                      "muster_limits": {"depth": 9, "rows": 99, "bytes": 9999},
                      "muster_episodes_options": {"jobs": 2}}.get(bare, {})
            size = ctypes.sizeof(STRUCTS[bare])
            wrong = [room(bare, each, **values) for each in (0, 7, 8, size - 4, 1 << 16,
                                                             (1 << 16) + 1, (1 << 32) - 1)]
            more = room(bare, size + 8, **values)
            ctypes.memset(ctypes.addressof(more) + size, 1, 8)
            wild = room(bare, **values)
            for field, of in STRUCTS[bare]._fields_[1:]:
                if of in (ctypes.c_int32, ctypes.c_uint32, ctypes.c_int64) and field != "count":
                    setattr(wild, field, -3)
            goods = [room(bare, **values)]
            if bare == "muster_forecast_options":
                run = EXECUTOR(self.run_here)
                self.kept.append(run)
                wrong += [room(bare, executor=ctypes.cast(run, ctypes.c_void_p).value,
                               executor_width=width) for width in (2, 1 << 62, (1 << 63) - 1)]
            if bare == "muster_schedule_options":
                goods.append(self.options(turn=b'{"decisions": 1}', memory=MEMORY))
                wrong += [self.options(**{field: text}) for field in ("turn", "memory")
                          for text in (b"", b"\xff\xfe", b"{", b"x" * 5000, b'{"name": 1}')]
            less = room(bare, **{**values, **({"count": -1} if "count" in values else {})})
            return goods, [None, *wrong, more, wild, less,
                           room(bare, **({"count": 2} if "count" in values else {}))]
        if kind.endswith("*"):
            good = (5, 5) if name == "statuses" else (0, 1, 2)
            return [numbers(bare, *good)], [None, numbers(bare,
                                                          *([-5] * ROWS if bare[0] != "u"
                                                            else [255] * ROWS)),
                                              numbers(bare, *([77] * ROWS))]
        good = {"size": len(OBJECTS) if function == "muster_import" else 4
                if "bytes" in (n for _, n in FUNCTIONS[function][1]) else -1, "node_size": -1,
                "job_size": -1, "group_size": -1,
                "kind": 4, "rows": 2,
                "count": 2, "texts": 2, "status": 5, "user": 0, "index": 0, "episode": 0,
                "generation": 9}.get(name, 0)
        good = {"muster_cluster_remove": {"kind": 3}, "muster_policies_new": {"count": 1},
                "muster_extensions_new": {"policy_count": 1, "action_count": 1},
                "muster_cluster_reconcile": {"count": 1},
                "muster_cluster_set_executor": {"width": 2}, "muster_threads_new": {"width": 2},
                "muster_episodes_new": {"count": 1}}.get(function, {}).get(name, good)
        bad = [-2, 0, 1, -(1 << 31)] + ([] if "size" in name else [-1, 7])
        if name in ("index", "kind", "status", "mode", "first", "episode"):
            bad += [9, 99, (1 << 31) - 1]
        if name == "width":
            bad += [1 << 62, (1 << 63) - 1]
        return [NUMBERS[kind](good)], [NUMBERS[kind](b) for b in bad]


@unittest.skipUnless(LIBRARY, "not run by ctest, or under sanitizers")
class AnyArguments(unittest.TestCase):
    def setUp(self):
        self.lib, self.called = ctypes.CDLL(LIBRARY), set()
        for name, (returns, _) in FUNCTIONS.items():
            function = getattr(self.lib, name)
            is_pointer = "*" in returns
            function.restype = (None if returns == "void"
                                else ctypes.c_void_p if is_pointer else NUMBERS[returns])

    def call(self, world, function, arguments):
        """The call, and what holds after any."""
        returns, parameters = FUNCTIONS[function]
        before = world.rows()
        result = getattr(self.lib, function)(*(ctypes.byref(a) if isinstance(a, ctypes.Structure)
                                               else a for a in arguments))
        self.called.add(function)
        if function.endswith("_free") and arguments[0] is not None:
            world.handles[parameters[0][0].rstrip("*")] = None
        by_name = {name: argument for (_, name), argument in zip(parameters, arguments)}
        for (kind, _), argument in zip(parameters, arguments):
            if kind.endswith("**") and "const*" not in kind and argument is not None:
                for i, made in enumerate(argument):
                    if made is not None:
                        self.assertEqual(result, 0, f"handed out number {i}")
                        getattr(self.lib, kind.rstrip("*") + "_free")(ctypes.c_void_p(made))
        if returns != "muster_status":
            return result
        self.assertIn(result, (0, *range(-13, 0), -15, -100))
        self.assertNotIn(result, (-2, -13), "a defect of the library")
        error = by_name["error"]
        if result != 0 and error is not None and 24 < error.struct_size:
            self.assertEqual(error.code, result)
            self.assertNotEqual(error.message, b"")
        for (kind, _), argument in zip(parameters, arguments):
            if kind.replace("const ",
                            "").rstrip("*") in HANDLES and kind.count(
                                "*") == 1 and argument is None and \
                    not (kind == "const muster_stop*" or function in ("muster_episodes_new",)):
                self.assertEqual(result, INVALID)
        # Deltas go row by row: those before the one that was refused stay.
        by_row = ("muster_cluster_apply_deltas", "muster_cluster_take_deltas")
        if result != 0 and function not in by_row and world.handles[
            "muster_cluster"] is not None:
            self.assertEqual(world.rows(), before)
        return result

    def one_wrong(self, world_of, functions):
        for function in functions:
            for place in range(len(FUNCTIONS[function][1])):
                for number in range(40):
                    world = world_of()
                    choices = [world.choices(function, *parameter)
                               for parameter in FUNCTIONS[function][1]]
                    bad = choices[place][1]
                    if number >= len(bad):
                        world.free()
                        break
                    with self.subTest(function=function, parameter=FUNCTIONS[function][1][place][1],
                                      wrong=number):
                        arguments = [good[0] for good, _ in choices]
                        arguments[place] = bad[number]
                        self.call(world, function, arguments)
                        if world.handles["muster_snapshot"] is not None:
                            self.assertEqual(world.snapshot_digest(), world.digest)
                    world.free()

    def test_all_good(self):
        """The base of all others: with good arguments each function does what it is for."""
        for function, (returns, parameters) in FUNCTIONS.items():
            if function.startswith(INSIDE):
                continue
            world = World(self)
            arguments = [world.choices(function, *parameter)[0][0] for parameter in parameters]
            if function == "muster_cluster_report_evict_failed":
                world.ok("cluster_set_task", world.cluster, arguments[1], ctypes.c_int64(-1), 6,
                         None, ctypes.c_int64(0))
            with self.subTest(function=function):
                result = self.call(world, function, arguments)
                if returns == "muster_status":
                    error = arguments[-1]
                    self.assertEqual(result, 0, error.message)
            world.free()

    def test_one_wrong(self):
        self.one_wrong(lambda: World(self), (name for name in FUNCTIONS
                                             if not name.startswith(INSIDE)))
        listed = {name for list_ in ("symbols.txt", "symbols_experimental.txt")
                  for name in (ROOT / "capi" / list_).read_text(encoding="utf-8").split()}
        takes_nothing = {name for name, (_, parameters) in FUNCTIONS.items() if not parameters}
        self.assertEqual(listed - self.called, takes_nothing |
                         {name for name in listed if name.startswith(INSIDE)})

    def test_one_wrong_inside_a_cycle(self):
        """What callbacks may ask, and a cluster that callbacks may not touch."""
        world, asked = World(self), []

        def score(_user, cycle, _task_class, _nodes, _out):
            if asked:
                return 0
            asked.append(cycle)
            for function in (name for name in FUNCTIONS if name.startswith("muster_cycle_")):
                parameters = FUNCTIONS[function][1]
                for place in range(len(parameters)):
                    world.handles["muster_cycle"] = ctypes.c_void_p(cycle)
                    choices = [world.choices(function, *parameter) for parameter in parameters]
                    for bad in choices[place][1]:
                        arguments = [good[0] for good, _ in choices]
                        arguments[place] = bad
                        result = getattr(self.lib, function)(
                            *(ctypes.byref(a) if isinstance(a, ctypes.Structure) else a
                              for a in arguments))
                        self.called.add(function)
                        if FUNCTIONS[function][0] == "muster_status":
                            self.assertIn(result, (0, -3, -5, -9, -11))
            self.assertEqual(self.lib.muster_cluster_add_json(world.cluster, SCENARIO,
                                                              ctypes.c_int64(-1), None), -9)
            asked.append("done")
            return 0

        policy, word, callback = room("muster_policy"), ctypes.c_char_p(b"mine"), SCORE(score)
        policy.name, policy.score = ctypes.cast(word,
                                                ctypes.c_void_p).value, ctypes.cast(
                                                    callback, ctypes.c_void_p).value
        world.ok("cluster_add_json", world.cluster,
                 b'{"muster": 1, "jobs": [{"name": "k", "groups": [{"count": 1}]}]}',
                 ctypes.c_int64(-1))
        list_, policies, plan = (ctypes.c_void_p * 1)(
            ctypes.addressof(policy)), ctypes.c_void_p(), ctypes.c_void_p()
        world.ok("policies_new", list_, 1, ctypes.byref(policies))
        options = room("muster_schedule_options", policies=policies.value)
        world.ok("cluster_schedule", world.cluster, b"volcano", ctypes.byref(options),
                 ctypes.byref(plan))
        self.assertEqual(asked[1:], ["done"])
        self.assertEqual({name for name in FUNCTIONS
                          if name.startswith("muster_cycle_")} - self.called, set())
        self.lib.muster_plan_free(plan)
        world.free()
        self.lib.muster_policies_free(policies)

    def with_action(self, world, run):
        """The status of a cycle with an action that is `run`."""
        action, callback = room("muster_action"), ACTION(run)
        word = ctypes.c_char_p(b"mine")
        action.name = ctypes.cast(word, ctypes.c_void_p).value
        action.run = ctypes.cast(callback, ctypes.c_void_p).value
        list_, extensions, plan = (ctypes.c_void_p * 1)(
            ctypes.addressof(action)), ctypes.c_void_p(), ctypes.c_void_p()
        world.ok("extensions_new", None, 0, list_, 1, ctypes.byref(extensions))
        options, error = room("muster_schedule_options", policies=extensions.value), \
            room("muster_error")
        result = self.lib.muster_snapshot_schedule(
            world.handles["muster_snapshot"], b"muster:actions=mine", ctypes.byref(options),
            ctypes.byref(plan), ctypes.byref(error))
        self.assertEqual(result == 0, plan.value is not None)
        self.assertEqual(result == 0, error.message == b"")
        self.lib.muster_plan_free(plan)
        self.lib.muster_policies_free(extensions)
        return result

    def test_one_wrong_inside_an_action(self):
        """A workbench's functions, each with one argument wrong, in a cycle of its own."""
        world = World(self)
        for function in (name for name in FUNCTIONS if name.startswith("muster_workbench_")):
            parameters = FUNCTIONS[function][1]
            for place in range(len(parameters)):
                choices = [world.choices(function, *parameter) for parameter in parameters]
                for bad in (*choices[place][1], choices[place][0][0]):
                    arguments = [good[0] for good, _ in choices]
                    arguments[place] = bad

                    def run(_user, bench):
                        arguments[0] = ctypes.c_void_p(bench)
                        getattr(self.lib, function)(*arguments)
                        self.called.add(function)
                        return 0

                    with self.subTest(function=function, wrong=parameters[place][1]):
                        self.assertIn(self.with_action(world, run), (0, -3, -9, -11))
        self.assertEqual({name for name in FUNCTIONS
                          if name.startswith("muster_workbench_")} - self.called, set())
        self.assertEqual(self.with_action(world, lambda *_: 7), -100)
        self.assertEqual(world.snapshot_digest(), world.digest)
        world.free()

    def test_any_wrong(self):
        names = sorted(name for name in FUNCTIONS if not name.startswith(INSIDE))
        for seed in range(SEEDS):
            rng, world = random.Random(seed), World(self)
            with self.subTest(seed=seed):
                for _ in range(50):
                    function = rng.choice(names)
                    if any(world.handles[kind] is None for kind in HANDLES):
                        world.free()
                        world = World(self)
                    arguments = []
                    for parameter in FUNCTIONS[function][1]:
                        good, bad = world.choices(function, *parameter)
                        arguments.append(rng.choice(bad if rng.random() < 0.2 else good))
                    self.call(world, function, arguments)
                    if world.handles["muster_snapshot"] is not None:
                        self.assertEqual(world.snapshot_digest(), world.digest)
            world.free()


if __name__ == "__main__":
    unittest.main()
