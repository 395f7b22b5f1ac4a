"""The certificate of the server, checked before anything is served."""

from __future__ import annotations

import ssl
from pathlib import Path

import msgspec


class CertificateUnusableError(Exception):
    """The certificate or its key cannot be used; the message is for the administrator."""


class Certificate(msgspec.Struct, frozen=True):
    """PEM files: a certificate, followed by those that lead to its root, and its private key."""

    file: str
    key: str

    def check(self) -> None:
        """Raises CertificateUnusableError when a file cannot be read or the two do not fit."""
        for path in (self.file, self.key):
            _read(path)
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.file, self.key, _no_passphrase)
        except ssl.SSLError as error:
            raise CertificateUnusableError(self._fault(error)) from None
        except _EncryptedKeyError:
            raise CertificateUnusableError(
                f"The key {self.key} is protected by a passphrase; the server takes one without."
            ) from None

    def _fault(self, error: ssl.SSLError) -> str:
        if error.reason == "KEY_VALUES_MISMATCH":
            return f"The key {self.key} is not the key of the certificate {self.file}."
        return f"The certificate {self.file} with the key {self.key} cannot be used: {error.reason}."


class _EncryptedKeyError(Exception):
    """Instead of a question on the terminal."""


def _no_passphrase() -> str:
    raise _EncryptedKeyError


def _read(path: str) -> None:
    try:
        with Path(path).open("rb") as file:
            file.read(1)
    except OSError as error:
        raise CertificateUnusableError(f"{path} cannot be read: {error.strerror}.") from None
