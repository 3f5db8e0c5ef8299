# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The C interface from Python's ctypes alone:  MUSTER_C=libmuster_c.so python3 first_plan.py"""
import ctypes
import os

lib = ctypes.CDLL(os.environ.get("MUSTER_C", "libmuster_c.so"))
for name in ("muster_text_data", "muster_plan_name"):
    getattr(lib, name).restype = ctypes.c_char_p


class Error(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("code", ctypes.c_int32),
                ("user_code", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("message", ctypes.c_char * 496)]


def call(function, *arguments):
    """Calls `function` with an error as last argument; returns its output, if `...` marks one."""
    error, out = Error(struct_size=ctypes.sizeof(Error)), ctypes.c_void_p()
    arguments = [ctypes.byref(out) if a is ... else a for a in arguments]
    if getattr(lib, "muster_" + function)(*arguments, ctypes.byref(error)):
        raise RuntimeError(error.message.decode())
    return out


NODES, TO_NUL = 1, ctypes.c_int64(-1)
cluster = call("cluster_new", None, ...)
table = call("table_new", NODES, ctypes.c_int64(3), None, ...)
names = (ctypes.c_char_p * 3)(b"n0", b"n1", b"n2")
cpu = (ctypes.c_int64 * 3)(8000, 8000, 4000)
call("table_set_strings", table, b"name", names, ctypes.c_int64(3))
call("table_set_numbers", table, b"capacity.cpu", cpu, ctypes.c_int64(3))
call("cluster_put", cluster, 0, table)
call("cluster_add_json", cluster, b"""{"muster": 1, "jobs": [{"name": "train", "min_available": 3,
    "groups": [{"count": 3, "shape": {"request": {"cpu": 4}}}]}]}""", TO_NUL)
plan = call("cluster_schedule", cluster, b"volcano", None, ...)
text = call("plan_to_text", plan, ...)
print(lib.muster_text_data(text).decode(), end="")
for kind, thing in (("text", text), ("plan", plan), ("table", table), ("cluster", cluster)):
    getattr(lib, f"muster_{kind}_free")(thing)
