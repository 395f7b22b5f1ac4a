"""A program that replaces ``dot`` with the Graphviz inside pygraphviz.

It runs as a child process, since that Graphviz cannot be cancelled and may crash.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pygraphviz import AGraph


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
    graph = AGraph(string=sys.stdin.buffer.read().decode())  # type: ignore[no-untyped-call]
    drawn = graph.draw(format=form, prog=engine, args=" ".join(others))  # type: ignore[no-untyped-call]
    sys.stdout.buffer.write(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
