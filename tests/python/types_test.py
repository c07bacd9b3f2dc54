#!/usr/bin/python3
"""The Python package says what the C headers say: enumerations, limits, functions and their arguments."""
import ctypes
import inspect
import re
import sys
import unittest
from enum import IntEnum
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import xsched  # noqa: E402
from xsched import _bindings, types  # noqa: E402
from xsched._scheduler import POLICIES, WITHOUT_NUMBER  # noqa: E402

INCLUDE = ROOT / "include" / "xsched"


def header(name):
    """Returns the header's text without comments."""
    return re.sub(r"/\*.*?\*/", "", (INCLUDE / name).read_text(), flags=re.S)


def enumerations():
    """{name: {enumerator: value}}"""
    found = {}
    for body, name in re.findall(r"typedef enum \{(.*?)\} (\w+);", header("types.h"), re.S):
        found[name] = {key: int(value, 0) for key, value in re.findall(r"(\w+) = (-?\w+)", body)}
    return found


def functions(*names):
    """{function: [C types of its parameters]}"""
    found = {}
    for name in names:
        for function, parameters in re.findall(r"^XResult (\w+)\((.*?)\);", header(name), re.M | re.S):
            found[function] = [re.sub(r"\s*\w+$", "", one.strip()) for one in parameters.split(",") if one != "void"]
    return found


C_TYPES = {"XQueueHandle": ctypes.c_uint64, "HwQueueHandle": ctypes.c_uint64, "HwCommandHandle": ctypes.c_uint64,
           "XQueueHandle*": ctypes.POINTER(ctypes.c_uint64), "HwCommandHandle*": ctypes.POINTER(ctypes.c_uint64),
           "XQueueState*": ctypes.POINTER(ctypes.c_int32), "int32_t": ctypes.c_int32,
           "int64_t": ctypes.c_int64,
           "int64_t*": ctypes.POINTER(ctypes.c_int64), "Priority": ctypes.c_int32,
           "Priority*": ctypes.POINTER(ctypes.c_int32), "Utilization": ctypes.c_int32, "Timeslice": ctypes.c_int64,
           "Laxity": ctypes.c_int64, "Deadline": ctypes.c_int64, "XSchedulerType": ctypes.c_int32,
           "XPolicyType": ctypes.c_int32, "size_t": ctypes.c_size_t, "void*": ctypes.c_void_p,
           "LaunchCallback": _bindings._LaunchCallback}


class Types(unittest.TestCase):
    def test_every_enumeration_has_the_headers_names_and_values(self):
        expected = enumerations()
        self.assertGreater(len(expected), 10)
        ours = {name: {entry.name: entry.value for entry in value} for name, value in vars(types).items()
                if inspect.isclass(value) and issubclass(value, IntEnum) and value is not IntEnum}
        self.assertEqual(ours, expected)

    def test_every_limit_has_the_headers_value(self):
        limits = dict(re.findall(r"#define (?!XSCHED_)([A-Z]\w+) \(?(-?\w+)\)?", header("types.h")))
        self.assertGreater(len(limits), 12)
        for name, value in limits.items():
            expected = 2**64 - 1 if value == "UINT64_MAX" else int(value, 0)
            self.assertEqual(getattr(xsched, name), expected, name)

    def test_every_type_has_a_name_here(self):
        for name in re.findall(r"typedef u?int\d+_t (\w+);", header("types.h")):
            self.assertIs(getattr(xsched, name), int, name)

    def test_every_function_is_bound_with_its_types(self):
        expected = functions("xqueue.h", "hint.h")
        self.assertEqual(set(_bindings.SIGNATURES), set(expected))
        for name, parameters in expected.items():
            self.assertEqual([C_TYPES[one] for one in parameters], _bindings.SIGNATURES[name], name)

    def test_every_function_is_a_static_method_with_its_parameters(self):
        for name, parameters in functions("xqueue.h", "hint.h").items():
            method = inspect.getattr_static(xsched.XSched, name)
            self.assertIsInstance(method, staticmethod, name)
            written = [one for one in parameters if one.endswith("*")]  # come back in the result
            self.assertEqual(len(inspect.signature(method.__func__).parameters), len(parameters) - len(written), name)

    def test_the_platforms_functions_are_bound(self):
        for platform, owner in ((xsched.cuda, xsched.cuda.XSchedCuda), (xsched.hip, xsched.hip.XSchedHip),
                                (xsched.opencl, xsched.opencl.XSchedOpenCL)):
            name = platform.__name__.rsplit(".", 1)[1]
            declared = functions(f"{name}/hal.h")
            self.assertTrue(declared, name)
            self.assertEqual(set(platform.SIGNATURES), set(declared))
            for function in declared:
                self.assertTrue(callable(getattr(owner, function)))

    def test_every_policy_has_its_name(self):
        self.assertEqual(set(POLICIES.values()),
                         set(types.XPolicyType) - {types.XPolicyType.kPolicyUnknown, types.XPolicyType.kPolicyMax})

    def test_the_policies_that_are_built_have_their_names_here(self):
        registered = {}
        for file in (ROOT / "src/policy").glob("*/*.cpp"):
            for name, policy in re.findall(r'XSCHED_POLICY\(\w+,\s*"(\w+)",\s*(\w+)', file.read_text()):
                if policy != "kPolicyUnknown":  # it has no number: for xserver and xcli alone
                    registered[name] = types.XPolicyType[policy]
        self.assertTrue(registered)
        self.assertEqual({name: POLICIES.get(name) for name in registered}, registered)

    def test_policies_without_a_number_say_how_they_are_chosen(self):
        for name in WITHOUT_NUMBER:
            source = "".join(file.read_text() for file in (ROOT / "src/policy").glob("*/*.cpp"))
            self.assertRegex(source, rf'"{name}",\s*kPolicyUnknown')
            with self.assertRaisesRegex(ValueError, f"XSCHED_POLICY={name} before"):
                xsched.set_scheduler("local", name.lower())

    def test_everything_has_a_docstring(self):
        for thing in (xsched, xsched.XSched, xsched.Queue, xsched.priority, xsched.set_scheduler, xsched.XSchedError,
                      *(value for name, value in vars(xsched.Queue).items() if not name.startswith("_"))):
            self.assertTrue(inspect.getdoc(thing), thing)


if __name__ == "__main__":
    unittest.main()
