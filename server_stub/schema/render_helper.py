"""A program of its own: reads DOT, writes a picture with the Graphviz inside pygraphviz; knows nothing else.

A child process, because what crashes or hangs in there must not take the server along.
"""

from __future__ import annotations

import sys

from pygraphviz import AGraph


def main() -> None:
    """Arguments: the format. Standard input: DOT. Standard output: the picture."""
    graph = AGraph(string=sys.stdin.buffer.read().decode())  # type: ignore[no-untyped-call]
    sys.stdout.buffer.write(graph.draw(format=sys.argv[1], prog="dot"))  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
