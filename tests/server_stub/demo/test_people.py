"""The accounts of the demo."""

import pytest
from sqlalchemy import func, select

from server_stub.accounts import allows
from server_stub.accounts.users import ALL_RIGHTS
from server_stub.database.tables import group, user
from tests.server_stub.demo.conftest import Museum

_GET, _DELETE = "system.api.event.get", "system.api.event.delete"
_CURRENT, _DEVELOPMENT, _COMMIT = (
    f"system.datamodel.{level}" for level in ("current", "development", "commit")
)


@pytest.mark.parametrize(
    ("login", "password", "rights"),
    [
        ("root", "admin", set(ALL_RIGHTS)),
        ("support", "support", {_GET}),
        ("steward", "steward", {_GET, _DELETE}),
        ("modeller", "modeller", {_CURRENT, _DEVELOPMENT}),
        ("releaser", "releaser", {_CURRENT, _DEVELOPMENT, _COMMIT}),
        ("viewer", "viewer", set()),
    ],
)
def test_demo_users_sign_in(museum: Museum, login: str, password: str, rights: set[str]) -> None:
    """Each demo user signs in with the public password and has the documented rights."""
    with museum.services.database.read() as connection:
        found = museum.services.users.verified(connection, login, password)
    assert found is not None
    assert {right for right in ALL_RIGHTS if allows(found.rights, right)} == rights


def test_other_users_cannot_sign_in(museum: Museum) -> None:
    """Other users cannot sign in with their login or an empty password, and have no rights."""
    with museum.services.database.read() as connection:
        others = connection.execute(select(user.c.login, user.c.rights).where(user.c.id > 6)).all()
        for login, rights in others:
            assert rights == "[]"
            assert museum.services.users.verified(connection, login, login) is None
            assert museum.services.users.verified(connection, login, "") is None
    assert len(others) > 20


def test_types_and_groups(museum: Museum) -> None:
    """There are native, mail, directory and system users in more than five groups."""
    with museum.services.database.read() as connection:
        types = set(connection.execute(select(user.c.type)).scalars())
        groups = connection.execute(select(func.count()).select_from(group)).scalar_one()
        brandt = connection.execute(select(user.c.id).where(user.c.login == "h.brandt")).scalar_one()
        assert [name for _, name, _ in museum.services.users.groups_of(connection, brandt)] == ["curators"]
    assert types == {"easydb", "email", "ldap", "system"}
    assert groups > 5
