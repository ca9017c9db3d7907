"""BenchExec's tool-info module for Prequel: `tool="prequel_tools.prequel"`, with the folder above in PYTHONPATH.

`prequel bench SUITE --executor benchexec -o DIR` writes tasks for it: the property file holds the words of the query, one a line.
"""

import json

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    COMMAND = "check"

    def name(self):
        return "Prequel"

    def executable(self, tool_locator):
        return tool_locator.find_executable("prequel", subdir="target/release")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="prequel")

    def cmdline(self, executable, options, task, rlimits):
        query = []
        if task.property_file:
            with open(task.property_file) as words:
                query = [line for line in words.read().splitlines() if line]
        more = list((task.options or {}).get("words", [])) if isinstance(task.options, dict) else []
        limits = []
        if rlimits.walltime or rlimits.cputime:
            limits += ["--time", f"{rlimits.walltime or rlimits.cputime}s"]
        if rlimits.memory:
            limits += ["--memory", f"{rlimits.memory // 1000000}M"]
        return [executable, self.COMMAND, *task.input_files, *query, *more, *options, *limits, "--json"]

    def determine_result(self, run):
        # One JSON object on standard output; `unknown` has a reason.
        text = "\n".join(run.output)
        start, end = text.find("{"), text.rfind("}")
        try:
            answer = json.loads(text[start : end + 1])
        except ValueError:
            return result.RESULT_ERROR
        verdict = answer.get("verdict")
        if verdict == "true":
            return result.RESULT_TRUE_PROP
        if verdict == "false":
            return result.RESULT_FALSE_PROP
        kind = answer.get("reason_kind")
        if kind == "time":
            return result.RESULT_TIMEOUT
        if kind == "memory":
            return "OUT OF MEMORY"
        return result.RESULT_UNKNOWN

    def get_value_from_output(self, output, identifier):
        """A field of `effort`, as `states_total`."""
        text = "\n".join(output)
        try:
            answer = json.loads(text[text.find("{") : text.rfind("}") + 1])
        except ValueError:
            return None
        value = answer.get("effort", {}).get(identifier)
        return None if value is None else str(value)
