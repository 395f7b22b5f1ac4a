"""Engine, tables, fast reads and writes, and everything that differs between databases."""

from server_stub.database.engine import (
    Database,
    DatabaseUnusableError,
    WriteLock,
    WrongDatabaseError,
    check_address,
    check_replicas,
    database_file,
    has_password,
    new_file,
    open_database,
    read_address,
)
from server_stub.database.postgresql import NoStandbyError
from server_stub.database.reader import Reader

__all__ = [
    "Database",
    "DatabaseUnusableError",
    "NoStandbyError",
    "Reader",
    "WriteLock",
    "WrongDatabaseError",
    "check_address",
    "check_replicas",
    "database_file",
    "has_password",
    "new_file",
    "open_database",
    "read_address",
]
