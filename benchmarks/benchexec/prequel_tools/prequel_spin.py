"""BenchExec's tool-info module for `prequel spin`: reduce, then SPIN. `tool="prequel_tools.prequel_spin"`; the rest is as for Prequel."""

from . import prequel


class Tool(prequel.Tool):
    COMMAND = "spin"

    def name(self):
        return "Prequel and SPIN"
