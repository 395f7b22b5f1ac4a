"""The profile of a connection, as it is stored, and the input with which one is opened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from cdb_desktop.client import (
    NO_PROXY,
    SYSTEM_PROXY,
    ClientCertificate,
    NetworkOptions,
    OAuthClient,
    ProxyLogin,
)

DEFAULT_COLOUR = "#2F6FDB"
SignInMethod = Literal["password", "browser"]


class NetworkSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a connection reaches its service, without passwords and passphrases.

    ``certificate``, ``key`` and ``authority`` are files, ``trusted_certificate`` and ``trusted_authority``
    are texts in PEM form that the user has confirmed.
    """

    proxy: Literal["system", "none", "address"] = "system"
    proxy_address: str = ""
    certificate: str = ""
    key: str = ""
    authority: str = ""
    trusted_certificate: str = ""
    trusted_authority: str = ""

    def options(self, passphrase: str = "", login: ProxyLogin | None = None) -> NetworkOptions:
        """The options of a client."""
        proxies = {"system": SYSTEM_PROXY, "none": NO_PROXY, "address": self.proxy_address}
        certificate = ClientCertificate(self.certificate, self.key, passphrase) if self.certificate else None
        return NetworkOptions(
            proxies[self.proxy],
            login,
            certificate,
            self.authority,
            self.trusted_authority,
            self.trusted_certificate,
        )


class SignInSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a connection signs in, without secrets; an empty text stands for its default.

    ``redirect`` is the loopback address to which the browser returns. Services with sessions use none of it.
    """

    method: SignInMethod = "password"
    client: str = ""
    redirect: str = ""
    scope: str = ""

    def oauth_client(self, secret: str = "") -> OAuthClient:
        """How the program presents itself to the service."""
        given = {"name": self.client, "redirect": self.redirect, "scope": self.scope, "secret": secret}
        return OAuthClient(**{name: value for name, value in given.items() if value})


class ConnectionProfile(msgspec.Struct, frozen=True):
    """A connection without its password; ``used`` is in seconds since 1970, 0 for never."""

    address: str
    login: str = ""
    name: str = ""
    colour: str = DEFAULT_COLOUR
    used: float = 0.0
    network: NetworkSettings = NetworkSettings()
    sign_in: SignInSettings = SignInSettings()

    @property
    def key(self) -> str:
        """Identifies the profile; the name of its password in the keyring."""
        return f"{self.login}@{self.address}"

    @property
    def passphrase_key(self) -> str:
        """The name of the passphrase of its client certificate in the keyring."""
        return f"passphrase:{self.key}"

    @property
    def refresh_key(self) -> str:
        """The name of its refresh token in the keyring."""
        return f"refresh:{self.key}"

    @property
    def secret_key(self) -> str:
        """The name of the secret of its client in the keyring."""
        return f"secret:{self.sign_in.client}@{self.address}"

    def signed_in_by(self, method: SignInMethod) -> ConnectionProfile:
        """The same connection with another method to sign in."""
        return replace(self, sign_in=replace(self.sign_in, method=method))

    @property
    def title(self) -> str:
        """Its name, or else its host."""
        return self.name or urlsplit(self.address).netloc

    @property
    def subtitle(self) -> str:
        """Log-in and address."""
        bare = self.address.removeprefix("https://")
        return f"{self.login} · {bare}" if self.login else bare


@dataclass(frozen=True, slots=True)
class ConnectionInput:
    """A profile with secrets; an empty ``password``, ``passphrase`` or ``secret`` means the stored one.

    ``secret`` is that of the client with which the program signs in.
    ``remember``: whether to store the secrets; None if the user was not asked.
    """

    profile: ConnectionProfile
    password: str = field(default="", repr=False)
    remember: bool | None = None
    passphrase: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)
