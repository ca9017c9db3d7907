#!/usr/bin/env python3
"""Checks the tool-info modules with BenchExec's own classes; `python3 benchmarks/benchexec/test_modules.py`. Skips without BenchExec."""

import os, sys, tempfile, unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import benchexec.result as result
    from benchexec.tools.template import BaseTool2
except ImportError:
    print("skipped: BenchExec is not installed")
    sys.exit(0)
from prequel_tools import prequel, prequel_spin, spin


def ended(text, code=0):
    lines = BaseTool2.RunOutput([line + "\n" for line in text.split("\n")])
    return BaseTool2.Run(["x"], BenchExit(code), lines, None)


def BenchExit(code):
    from benchexec.util import ProcessExitCode

    return ProcessExitCode.create(value=code)


def task(property_file, files, options=None):
    return BaseTool2.Task.with_files(files, property_file=property_file, options=options)


class Modules(unittest.TestCase):
    def test_prequel_is_asked_what_the_property_file_says(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "q.prp")
            with open(path, "w") as words:
                words.write("--reach\na@1 & b@2\n")
            limits = BaseTool2.ResourceLimits(cputime=10, memory=2_000_000_000)
            line = prequel.Tool().cmdline("prequel", ["--engine", "icc"], task(path, ["m.exp"], {"words": ["-DN=3"]}), limits)
        self.assertEqual(line, ["prequel", "check", "m.exp", "--reach", "a@1 & b@2", "-DN=3", "--engine", "icc", "--time", "10s", "--memory", "2000M", "--json"])

    def test_prequel_before_spin_is_another_command(self):
        line = prequel_spin.Tool().cmdline("prequel", [], task(None, ["m.pml"]), BaseTool2.ResourceLimits())
        self.assertEqual(line, ["prequel", "spin", "m.pml", "--json"])

    def test_prequel_is_understood(self):
        of = lambda text, code=0: prequel.Tool().determine_result(ended(text, code))
        self.assertEqual(of('{"schema": 1, "verdict": "true"}'), result.RESULT_TRUE_PROP)
        self.assertEqual(of('{"verdict": "false"}', 1), result.RESULT_FALSE_PROP)
        self.assertEqual(of('{"verdict": "unknown", "reason": "late", "reason_kind": "time"}', 2), result.RESULT_TIMEOUT)
        self.assertEqual(of('{"verdict": "unknown", "reason": "no", "reason_kind": "refused"}', 2), result.RESULT_UNKNOWN)
        self.assertEqual(of("Segmentation fault", 139), result.RESULT_ERROR)
        states = prequel.Tool().get_value_from_output(['{"effort": {"states_total": 9}}'], "states_total")
        self.assertEqual(states, "9")

    def test_spin_is_not_believed_when_it_gave_up(self):
        of = lambda text: spin.Tool().determine_result(ended(text))
        whole = "State-vector 8 byte, depth reached 9, errors: %d\n  12 states, stored"
        self.assertEqual(of(whole % 0), result.RESULT_TRUE_PROP)
        self.assertEqual(of(whole % 1), result.RESULT_FALSE_PROP)
        self.assertEqual(of("error: max search depth too small\n" + whole % 0), result.RESULT_UNKNOWN)
        self.assertEqual(of("pan: out of memory\n" + whole % 0), result.RESULT_UNKNOWN)
        self.assertEqual(of("gcc: not found"), result.RESULT_ERROR)
        self.assertEqual(spin.Tool().get_value_from_output([whole % 0], "states"), "12")


unittest.main()
