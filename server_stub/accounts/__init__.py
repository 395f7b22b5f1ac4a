"""Users, groups, rights, sessions and base configuration."""

from server_stub.accounts.administration import KNOWN_RIGHTS, Account, AccountError, Administration
from server_stub.accounts.configuration import Configuration, instance_id
from server_stub.accounts.oauth import OAuth, OAuthError
from server_stub.accounts.sessions import Credentials, Session, Sessions
from server_stub.accounts.users import ROOT, Passwords, User, Users, allows

__all__ = [
    "KNOWN_RIGHTS",
    "ROOT",
    "Account",
    "AccountError",
    "Administration",
    "Configuration",
    "Credentials",
    "OAuth",
    "OAuthError",
    "Passwords",
    "Session",
    "Sessions",
    "User",
    "Users",
    "allows",
    "instance_id",
]
