"""A server that only does what the desktop needs: it listens, says where, and ends with its input.

Usage: stand_in.py DATABASE PORT [HOW], where HOW is ``mute`` (ends before it listens) or ``stubborn``.
"""

import signal
import socket
import sys
import time


def main(database: str, port: str, how: str = "") -> int:
    """Runs until the standard input closes."""
    sys.stderr.write(f"working on {database}\n")
    sys.stderr.flush()
    if how == "mute":
        return 3
    if how == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", int(port)))
    listening.listen()
    sys.stdout.write(f"Listening on http://127.0.0.1:{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    while sys.stdin.buffer.read(1):
        pass
    while how == "stubborn":
        time.sleep(0.1)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
