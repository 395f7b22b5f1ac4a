"""The fault proxy."""

from __future__ import annotations

import gc
import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.faults import faults
from tests.faults.proxy import Fault, FaultProxy, fault_proxy

_REQUEST = b"GET /api/v1/settings HTTP/1.1\r\nhost: a\r\n\r\n"


@contextmanager
def _busy() -> Iterator[None]:
    """Runs busy threads, which delay the proxy."""
    end = threading.Event()

    def work() -> None:
        while not end.is_set():
            sum(range(1000))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for one in threads:
        one.start()
    try:
        yield
    finally:
        end.set()
        for one in threads:
            one.join()


def _clients(proxy: FaultProxy) -> list[socket.socket]:
    """Connections in every state: new, sending, closed, and with an unread response."""
    host, port = proxy.url.removeprefix("http://").split(":")
    found = []
    for number in range(8):
        client = socket.create_connection((host, int(port)))
        if number % 4:
            client.sendall(_REQUEST)
        if number % 4 == 2:
            client.close()
        else:
            found.append(client)
    return found


@pytest.mark.parametrize("fault", [None, faults.endless(), faults.silence(), faults.reply(200, b" " * 2**22)])
def test_it_leaves_no_connection_open(reference_server: str, fault: Fault | None) -> None:
    """The proxy closes all connections at its end, in any state of its clients."""
    with warnings.catch_warnings(record=True) as caught, _busy():
        warnings.simplefilter("always")
        for _ in range(6):
            with fault_proxy(reference_server) as proxy:
                if fault is not None:
                    proxy.break_with(fault)
                clients = _clients(proxy)
            for client in clients:
                client.close()
            del proxy
            gc.collect()
    assert [str(one.message) for one in caught] == []
