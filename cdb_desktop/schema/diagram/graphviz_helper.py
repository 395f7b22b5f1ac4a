"""A program that replaces ``dot`` with the Graphviz inside pygraphviz.

It runs as a child process, since that Graphviz cannot be cancelled and may crash.
"""

import re
import sys
from collections.abc import Sequence

from pygraphviz import AGraph

# Between graphs, as ``dot`` accepts several; parts of a graph are indented.
_GRAPH_END = re.compile(r"(?<=^\}\n)", re.MULTILINE)


def main(arguments: Sequence[str]) -> int:
    """Draws DOT from the standard input; accepts -Kengine, -Tformat and the options of the engine."""
    engine, form, others = "dot", "dot", []
    for argument in arguments:
        if argument.startswith("-K"):
            engine = argument.removeprefix("-K")
        elif argument.startswith("-T"):
            form = argument.removeprefix("-T")
        else:
            others.append(argument)
    for source in _GRAPH_END.split(sys.stdin.buffer.read().decode()):
        if source.strip():
            graph = AGraph(string=source)  # type: ignore[no-untyped-call]
            drawn = graph.draw(  # type: ignore[no-untyped-call]
                format=form, prog=engine, args=" ".join(others)
            )
            sys.stdout.buffer.write(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
