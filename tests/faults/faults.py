"""Faults that a proxy can put in place of a response; each function creates one."""

import asyncio
import json
import zlib

from tests.faults.proxy import Fault, Forward, ReceivedRequest

_OK = b"HTTP/1.1 200 OK\r\n"
_JSON = b"content-type: application/json\r\n"
_CHUNKED = b"transfer-encoding: chunked\r\n\r\n"


def reply(
    code: int, body: bytes = b"", content_type: str = "text/plain", *, headers: dict[str, str] | None = None
) -> Fault:
    """A complete response."""

    async def fault(_request: ReceivedRequest, writer: asyncio.StreamWriter, _forward: Forward) -> None:
        # The proxy closes each connection; a client could otherwise try to reuse it.
        lines = [f"HTTP/1.1 {code} Fault", f"content-length: {len(body)}", "connection: close"]
        lines += [f"content-type: {content_type}"] if content_type else []
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    return fault


def status(code: int, *, retry_after: float | str | None = None) -> Fault:
    """A gateway's error page without an error object."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    page = f"<html><title>{code}</title><h1>{code} by the gateway</h1></html>".encode()
    return reply(code, page, "text/html", headers=headers)


def refusal(realm: str, name: str, code: int = 400, *, retry_after: float | None = None) -> Fault:
    """An error object of the service (§2.3)."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    body = json.dumps({"realm": realm, "code": f"error.{realm}.{name}", "statuscode": code}).encode()
    return reply(code, body, "application/json", headers=headers)


def web_page() -> Fault:
    """The page of a portal, with status 200."""
    return reply(200, b"<html><body>Welcome to the guests' network</body></html>", "text/html")


def latency(seconds: float) -> Fault:
    """The response after a delay."""

    async def fault(_request: ReceivedRequest, writer: asyncio.StreamWriter, forward: Forward) -> None:
        await asyncio.sleep(seconds)
        writer.write(await forward())

    return fault


def reset() -> Fault:
    """Resets the connection before the response."""

    async def fault(_request: ReceivedRequest, writer: asyncio.StreamWriter, _forward: Forward) -> None:
        writer.transport.abort()

    return fault


def half() -> Fault:
    """The first half of the response."""

    async def fault(_request: ReceivedRequest, writer: asyncio.StreamWriter, forward: Forward) -> None:
        answer = await forward()
        writer.write(answer[: max(1, len(answer) - len(answer.partition(b"\r\n\r\n")[2]) // 2 - 1)])

    return fault


def drip(pause: float = 1.0) -> Fault:
    """The response, one byte of its body at a time."""

    async def fault(_request: ReceivedRequest, writer: asyncio.StreamWriter, forward: Forward) -> None:
        head, end, body = (await forward()).partition(b"\r\n\r\n")
        writer.write(head + end)
        for place in range(len(body)):
            writer.write(body[place : place + 1])
            await writer.drain()
            await asyncio.sleep(pause)

    return fault


def gzip_bomb(megabytes: int = 2048) -> Fault:
    """A small body that decompresses to a huge list of blanks."""

    async def fault(_request: ReceivedRequest, writer: asyncio.StreamWriter, _forward: Forward) -> None:
        writer.write(_OK + _JSON + b"content-encoding: gzip\r\n" + _CHUNKED)
        packer, blank = zlib.compressobj(9, zlib.DEFLATED, 31), b" " * 2**20
        pieces = (
            packer.compress(b"[") if number == 0 else packer.compress(blank) for number in range(megabytes)
        )
        for piece in pieces:
            if piece:
                await _chunk(writer, piece)
            await asyncio.sleep(0)
        await _chunk(writer, packer.compress(b"]") + packer.flush())
        await _chunk(writer, b"")

    return fault


def endless(pause: float = 0.0) -> Fault:
    """An endless chunked body."""

    async def fault(_request: ReceivedRequest, writer: asyncio.StreamWriter, _forward: Forward) -> None:
        writer.write(_OK + _JSON + _CHUNKED)
        await _chunk(writer, b"[")
        while not writer.is_closing():
            await _chunk(writer, b" " * 2**16)
            await asyncio.sleep(pause)

    return fault


def huge_events(number: int, size: int, *, listed: bool = False) -> Fault:
    """Events of this size, up to ``limit`` of them."""

    async def fault(asked: ReceivedRequest, writer: asyncio.StreamWriter, _forward: Forward) -> None:
        query = dict(part.partition("=")[::2] for part in asked.target.partition("?")[2].split("&"))
        limit, first = int(query.get("limit", 0)) or 1000, int(query.get("offset", 0))
        last = int(asked.path.rpartition("/")[2]) if asked.path.rpartition("/")[2].isdigit() else 0
        places = range(first, min(number, first + limit))
        writer.write(_OK + _JSON + _CHUNKED)
        await _chunk(writer, b'{"objects":[' if listed else b"[")
        for place in places:
            comma = b"," if place > places.start else b""
            record = json.dumps({"event": {"_id": last + place + 1, "type": "SEARCH"}}).encode()
            info = b',"info":{"search":"' + b"x" * size + b'"}}}'
            await _chunk(writer, comma + record[:-2] + info)
        await _chunk(writer, b"]}" if listed else b"]")
        await _chunk(writer, b"")

    return fault


def huge_csv(number: int, size: int) -> Fault:
    """A CSV file of events with an info of this size, up to ``limit`` of them."""

    async def fault(asked: ReceivedRequest, writer: asyncio.StreamWriter, _forward: Forward) -> None:
        query = dict(part.partition("=")[::2] for part in asked.target.partition("?")[2].split("&"))
        first, limit = int(query["offset"]), int(query["limit"])
        writer.write(_OK + b"content-type: text/csv\r\n" + _CHUNKED)
        await _chunk(writer, b"_id,type,session,info\r\n")
        for place in range(first, min(number, first + limit)):
            row = b'%d,SEARCH,token,"%b\n%b"\r\n' % (place + 1, b"x" * (size // 2), b"y" * (size // 2))
            await _chunk(writer, row)
        await _chunk(writer, b"")

    return fault


def nested_events(depth: int = 985, *, around: int = 2, listed: bool = False) -> Fault:
    """Events with one whose info is nested too deeply."""

    async def fault(asked: ReceivedRequest, writer: asyncio.StreamWriter, _forward: Forward) -> None:
        events = []
        for place in range(2 * around + 1):
            deep = "[" * depth + "]" * depth if place == around else '"x"'
            events.append(f'{{"event":{{"_id":{place + 1},"type":"SEARCH","info":{{"a":{deep}}}}}}}')
        text = f"[{','.join(events)}]"
        body = f'{{"objects":{text},"count":{len(events)},"offset":0,"limit":1000}}' if listed else text
        await reply(200, body.encode(), "application/json")(asked, writer, _forward)

    return fault


async def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


def large_event(number: int, *, place: int, size: int = 200_000) -> Fault:
    """A list of events with one large one."""

    async def fault(asked: ReceivedRequest, writer: asyncio.StreamWriter, forward: Forward) -> None:
        query = dict(part.partition("=")[::2] for part in asked.target.partition("?")[2].split("&"))
        first, limit = int(query["offset"]), int(query["limit"])
        objects = [
            {"event": {"_id": one + 1, "type": "SEARCH", "info": {"a": "x" * size if one == place else ""}}}
            for one in range(first, min(number, first + limit))
        ]
        body = json.dumps({"objects": objects, "offset": first, "limit": limit}).encode()
        await reply(200, body, "application/json")(asked, writer, forward)

    return fault
