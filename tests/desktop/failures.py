"""Errors that no test expects."""


def raise_error(error: Exception) -> None:
    """Handles an error of a task, or a refusal, by raising it, so that it is reported and the test fails."""
    raise error
