"""The program that draws with the Graphviz inside pygraphviz: DOT on standard input, a picture on output.

It is run as a child process, so that a crash or a hang in Graphviz does not affect the server.
"""

import sys


def main(form: str, engine: str) -> None:
    """Standard input: DOT. Standard output: the picture in ``form``, laid out by ``engine``."""
    from pygraphviz import AGraph  # noqa: PLC0415  # the server imports this module, but never needs pygraphviz

    graph = AGraph(string=sys.stdin.buffer.read().decode())  # type: ignore[no-untyped-call]
    sys.stdout.buffer.write(graph.draw(format=form, prog=engine))  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main(*sys.argv[1:])
