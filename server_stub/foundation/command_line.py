"""What all commands have in common: ends without tracebacks, examples in the help, and ranges of numbers."""

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any

# As shells report a program that SIGPIPE or SIGINT has ended.
CLOSED, INTERRUPTED = 141, 130


def run_quietly(command: Callable[[], int]) -> int:
    """Runs a command and returns its exit code.

    It is CLOSED if nobody reads what is printed any more, as behind ``head``, and INTERRUPTED after Ctrl+C.
    """
    try:
        try:
            return command()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED


class CommandParser(argparse.ArgumentParser):
    """A parser whose help ends with examples, which are given without the name of the program."""

    def __init__(self, *given: Any, examples: tuple[str, ...] = (), **named: Any) -> None:
        super().__init__(*given, **named)
        self.examples = examples

    def format_help(self) -> str:
        """The help with the examples."""
        program = self.prog.split()[0]
        lines = [f"  {program} {example}".rstrip() for example in self.examples]
        return "\n".join((super().format_help(), "examples:", *lines, "")) if lines else super().format_help()


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """The type of an option whose value is a whole number from ``least`` to ``most``."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least or (most is not None and value > most):
            limits = f"of at least {least}" if most is None else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number {limits}")
        return value

    return parse


def number(least: float, most: float, unit: str) -> Callable[[str], float]:
    """The type of an option whose value is a number from ``least`` to ``most``, such as of seconds."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no number of {unit} from {least:g} to {most:g}")
        return value

    return parse
