"""BenchExec's tool-info module for SPIN: `spin -a`, the C compiler and `pan`, in one shell, for safety.

SPIN ends with 0 whatever it finds, and says `errors: 0` of searches that it gave up: an answer is taken from a search only that none
of SPIN's marks of an incomplete one is in.
"""

import re
import shlex

import benchexec.result as result
import benchexec.tools.template

INCOMPLETE = ("Search not completed", "max search depth too small", "out of memory", "reached -DMEMLIM", "VECTORSZ is too small")


class Tool(benchexec.tools.template.BaseTool2):
    def name(self):
        return "SPIN"

    def project_url(self):
        return "https://spinroot.com"

    def executable(self, tool_locator):
        return tool_locator.find_executable("spin")

    def version(self, executable):
        return self._version_from_tool(executable, arg="-V", line_prefix="Spin Version")

    def cmdline(self, executable, options, task, rlimits):
        more = list((task.options or {}).get("words", [])) if isinstance(task.options, dict) else []
        memory = f"-DMEMLIM={rlimits.memory // 1000000}" if rlimits.memory else ""
        model = task.single_input_file
        generate = shlex.join([executable, "-a", *more, *options])
        # pan.c and its friends go to a folder of their own, which is gone afterwards.
        script = (
            f'model=$(realpath {shlex.quote(model)}); d=$(mktemp -d) && trap "rm -rf $d" EXIT && cd "$d" && {generate} "$model" && '
            f"gcc -O2 -w -DSAFETY {memory} -o pan pan.c && ./pan -m1000000 -w20"
        )
        return ["/bin/sh", "-c", script]

    def determine_result(self, run):
        text = "\n".join(run.output)
        errors = re.search(r"errors: (\d+)", text)
        if errors and errors.group(1) != "0":
            return result.RESULT_FALSE_PROP
        if any(mark in text for mark in INCOMPLETE):
            return result.RESULT_UNKNOWN
        if errors:
            return result.RESULT_TRUE_PROP
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        """`states` or `transitions`, as pan counts them."""
        mark = {"states": r"(\d+) states, stored", "transitions": r"(\d+) transitions"}.get(identifier)
        found = re.search(mark, "\n".join(output)) if mark else None
        return found.group(1) if found else None
