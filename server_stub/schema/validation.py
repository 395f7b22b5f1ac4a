"""All rules that a complete document must fulfil (wire §5), one room after the other; knows no database."""

from __future__ import annotations

from collections import Counter

from server_stub.foundation.errors import ApiError
from server_stub.schema.checks import check_column
from server_stub.schema.keys import check_keys
from server_stub.schema.links import check_links
from server_stub.schema.model import Schema
from server_stub.schema.nesting import check_nesting


def validate(schema: Schema) -> None:
    """Raises ApiError or UserError for the first rule broken, naming table and column."""
    _check_languages(schema.languages)
    for table in schema.tables:
        for column in table.columns:
            check_column(table, column)
    check_nesting(schema)
    check_links(schema)
    check_keys(schema)


def _check_languages(languages: tuple[str, ...]) -> None:
    repeated = [language for language, count in Counter(languages).items() if count > 1]
    if repeated:
        text = f'The schema document: "l10n_languages" has {repeated[0]} twice.'
        raise ApiError("invalid_value", text)
