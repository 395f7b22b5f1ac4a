"""Takes an answer apart into JSON or a file, or raises what it stands for; knows no particular call."""

from __future__ import annotations

import msgspec

from cdb_desktop.client import lenient
from cdb_desktop.client.failures import answer_error, failure
from cdb_desktop.client.wire import Answer


def require_success(answer: Answer) -> Answer:
    """The answer itself when its status is 2xx; raises ServiceError or AnswerError otherwise."""
    if 200 <= answer.status < 300:
        return answer
    raise failure(answer)


def json_raw(answer: Answer) -> msgspec.Raw:
    """The body of a successful answer, checked to be JSON. Raises AnswerError for anything else."""
    found = lenient.document(require_success(answer).body)
    if found is None:
        raise answer_error(answer, "a web page instead of JSON" if answer.is_html else "not JSON")
    return found


def json_members(answer: Answer) -> lenient.Members:
    """The members of the JSON object in a successful answer. Raises AnswerError for anything else."""
    found = lenient.members(json_raw(answer))
    if found is None:
        raise answer_error(answer, "not a JSON object")
    return found


def json_mapping(answer: Answer) -> dict[str, object]:
    """The JSON object in a successful answer in Python's types. Raises AnswerError for anything else."""
    return {key: lenient.value(raw) for key, raw in json_members(answer).items()}


def count(answer: Answer) -> int:
    """The ``count`` of a successful answer (§4.5). Raises AnswerError where there is none."""
    found = lenient.value(json_members(answer).get("count"))
    if isinstance(found, int):
        return found
    raise answer_error(answer, "no number", "count")


def file(answer: Answer) -> bytes:
    """The bytes of a successful answer that is a file. Raises AnswerError for a web page or JSON instead."""
    if require_success(answer).is_html or answer.content_type == "application/json":
        raise answer_error(answer, f"{answer.content_type} instead of a file")
    return answer.body


def streamed(answer: Answer) -> None:
    """Checks that the answer is a file, whose body has gone elsewhere. Raises like ``file``."""
    file(answer)


def nothing(answer: Answer) -> None:
    """Checks success only; the interface does not show the body (§4.8)."""
    if require_success(answer).is_html:
        raise answer_error(answer, "a web page instead of an answer")
