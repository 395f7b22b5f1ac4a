"""Hashes and verifies passwords with argon2; knows no user."""

from __future__ import annotations

from functools import cached_property
from secrets import token_urlsafe

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError


class Passwords:
    """One cost of hashing; `cheap` is for demo users, whose passwords are public anyway."""

    def __init__(self, *, cheap: bool = False) -> None:
        self._hasher = (
            PasswordHasher(time_cost=1, memory_cost=8, parallelism=1) if cheap else PasswordHasher()
        )

    def hash(self, password: str) -> str:
        """The argon2 hash, salt and cost included."""
        return self._hasher.hash(password)

    def fits(self, password: str, hashed: str) -> bool:
        """Whether the password is the hashed one, at whatever cost it was hashed."""
        try:
            return self._hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return False

    @cached_property
    def of_nobody(self) -> str:
        """The hash of a password that nobody knows."""
        return self.hash(token_urlsafe())
