"""Decodes successful responses: JSON and files (§2.3)."""

from __future__ import annotations

import msgspec

from cdb_desktop.client import lenient_json
from cdb_desktop.client.error_responses import answer_error, failure
from cdb_desktop.client.request import Response


def require_success(answer: Response) -> Response:
    """Returns ``answer`` if its status is 2xx. Raises ServiceError or AnswerError otherwise."""
    if 200 <= answer.status < 300:
        return answer
    raise failure(answer)


def json_raw(answer: Response) -> msgspec.Raw:
    """The body of a successful answer, checked to be JSON. Raises AnswerError for anything else."""
    found = lenient_json.document(require_success(answer).body)
    if found is None:
        raise answer_error(answer, "web_page_for_json" if answer.is_html else "not_json")
    return found


def json_members(answer: Response) -> lenient_json.Members:
    """The members of the JSON object in a successful answer. Raises AnswerError for anything else."""
    found = lenient_json.members(json_raw(answer))
    if found is None:
        raise answer_error(answer, "not_object")
    return found


def json_mapping(answer: Response) -> dict[str, object]:
    """The JSON object in a successful answer in Python's types. Raises AnswerError for anything else."""
    return {key: lenient_json.value(raw) for key, raw in json_members(answer).items()}


def count(answer: Response) -> int:
    """The ``count`` of a successful response (§4.5). Raises AnswerError if there is none."""
    found = lenient_json.value(json_members(answer).get("count"))
    if isinstance(found, int):
        return found
    raise answer_error(answer, "no_number", "count")


def file(answer: Response) -> bytes:
    """The bytes of a successful answer that is a file. Raises AnswerError for a web page or JSON instead."""
    if require_success(answer).is_html or answer.content_type == "application/json":
        raise answer_error(answer, "not_file", value=answer.content_type)
    return answer.body


def streamed(answer: Response) -> None:
    """Checks that the response is a file; its body was streamed. Raises like `file`."""
    file(answer)


def nothing(answer: Response) -> None:
    """Checks for success only; the body is not specified (§4.8)."""
    if require_success(answer).is_html:
        raise answer_error(answer, "web_page")
