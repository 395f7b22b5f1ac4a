"""A program of its own: reads DOT, writes a picture with the Graphviz inside pygraphviz; knows nothing else.

A child process, because what crashes or hangs in there must not take the server along.
"""

from __future__ import annotations

import sys


def main(form: str, engine: str) -> None:
    """Standard input: DOT. Standard output: the picture in ``form``, laid out by ``engine``."""
    from pygraphviz import AGraph  # noqa: PLC0415  # not wanted by a server that only names this program

    graph = AGraph(string=sys.stdin.buffer.read().decode())  # type: ignore[no-untyped-call]
    sys.stdout.buffer.write(graph.draw(format=form, prog=engine))  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main(*sys.argv[1:])
