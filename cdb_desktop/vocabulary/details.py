"""All that is known about a failure, line by line and without secrets, for those who are asked for help."""

from __future__ import annotations

from cdb_desktop.client import (
    AnswerError,
    CertificateError,
    ClientError,
    GatewayError,
    NetworkOptionsError,
    ProxyLoginError,
    ServiceError,
    SlowAnswerError,
    UnreachableError,
)
from cdb_desktop.client.redaction import redact, redact_unforeseen


def details_of(error: BaseException) -> tuple[str, ...]:
    """``name: value`` for everything that the failure tells."""
    if isinstance(error, ServiceError):
        told = _of_service(error)
    elif isinstance(error, UnreachableError):
        told = {"unreachable": error.kind, "reason": error.reason}
        if isinstance(error, GatewayError):
            told["answer"] = error.excerpt
        if isinstance(error, ProxyLoginError):
            told |= {"proxy": error.proxy, "methods": ", ".join(error.methods)}
        if isinstance(error, CertificateError):
            told |= {"certificate": error.problem, "host": error.host}
    elif isinstance(error, NetworkOptionsError):
        told = {"option": error.option, "problem": error.problem, "file": error.file}
    elif isinstance(error, SlowAnswerError):
        told = {"seconds": f"{error.seconds:g}"}
    elif isinstance(error, AnswerError):
        told = _of_answer(error)
    else:
        told = {type(error).__name__: redact_unforeseen(str(error))}
    if isinstance(error, ClientError) and error.retry_after:
        told["retry after"] = f"{error.retry_after:g} s"
    return tuple(redact(f"{name}: {value}") for name, value in told.items() if value)


def _of_service(error: ServiceError) -> dict[str, str]:
    return {
        "code": error.code,
        "realm": error.realm,
        "status": str(error.status or ""),
        **{f"parameter {name}": value for name, value in error.parameters.items()},
        "description": error.description,
        "uuid": error.uuid,
    }


def _of_answer(error: AnswerError) -> dict[str, str]:
    return {
        "reason": error.reason,
        "status": str(error.status or ""),
        "content type": error.content_type,
        "place": error.place,
        "answer": error.excerpt,
    }
