"""The formats of other tools: which there are, and how a document is exported and imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from cdb_desktop.foundation.i18n import message
from cdb_desktop.schema.document.model import Document
from cdb_desktop.schema.exchange.dbml import read_dbml, write_dbml
from cdb_desktop.schema.exchange.mermaid import read_mermaid, write_mermaid
from cdb_desktop.schema.exchange.outgoing import describe
from cdb_desktop.schema.exchange.relational import (
    MOST_BYTES,
    ExchangeError,
    Loss,
    Progress,
    RelationalModel,
)
from cdb_desktop.schema.exchange.sql_reader import guess_dialect, read_sql
from cdb_desktop.schema.exchange.sql_writer import write_sql
from cdb_desktop.schema.exchange.types import Dialect


class ExchangeFormat(Enum):
    """A format; the value is the usual suffix of its files, behind a word where several have the same."""

    DBML = ".dbml"
    POSTGRESQL = "postgresql.sql"
    MYSQL = "mysql.sql"
    SQLITE = "sqlite.sql"
    MERMAID = ".mmd"

    @property
    def suffix(self) -> str:
        """The suffix of its files."""
        return self.value[self.value.rindex(".") :]


_DIALECTS = {
    ExchangeFormat.POSTGRESQL: Dialect.POSTGRESQL,
    ExchangeFormat.MYSQL: Dialect.MYSQL,
    ExchangeFormat.SQLITE: Dialect.SQLITE,
}
_BY_DIALECT = {dialect: format_ for format_, dialect in _DIALECTS.items()}
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


@dataclass(frozen=True, slots=True)
class ExportedModel:
    """The text of a file, and what has no counterpart in its format."""

    text: str
    losses: tuple[Loss, ...]


def export_model(document: Document, format_: ExchangeFormat) -> ExportedModel:
    """The document in a format. Takes about a tenth of a second for 1,000 tables."""
    model = describe(document)
    if format_ is ExchangeFormat.DBML:
        return ExportedModel(*write_dbml(model))
    if format_ is ExchangeFormat.MERMAID:
        return ExportedModel(*write_mermaid(model))
    return ExportedModel(*write_sql(model, _DIALECTS[format_]))


def _no_progress(_done: float) -> None:
    pass


def read_model(content: bytes, format_: ExchangeFormat, progress: Progress = _no_progress) -> RelationalModel:
    """The tables in the bytes of a file. Raises ExchangeError, and whatever ``progress`` raises."""
    if len(content) > MOST_BYTES:
        what = message("The file has more than {count} MB.", count=MOST_BYTES // 1_000_000)
        remedy = message("Export the structure only, without rows, as with pg_dump --schema-only.")
        raise ExchangeError(0, what, remedy)
    text = _decoded(content)
    model = _reader(format_)(text, progress)
    if not model.tables:
        what = message("No table is defined in this file.")
        raise ExchangeError(0, what, message("Choose another file, or another format of it."))
    return model


def guess_format(name: str, content: bytes) -> ExchangeFormat:
    """The format of a file by its name, of SQL also by its content."""
    suffix = name[name.rfind(".") :].lower()
    if suffix == ".dbml":
        return ExchangeFormat.DBML
    if suffix in (".mmd", ".mermaid", ".md"):
        return ExchangeFormat.MERMAID
    text = content[:200_000].decode("utf-8", "replace")
    if suffix != ".sql":
        if "erDiagram" in text:
            return ExchangeFormat.MERMAID
        if "CREATE TABLE" not in text.upper():
            return ExchangeFormat.DBML
    return _BY_DIALECT[guess_dialect(text)]


def _reader(format_: ExchangeFormat) -> Callable[[str, Progress], RelationalModel]:
    if format_ is ExchangeFormat.DBML:
        return read_dbml
    if format_ is ExchangeFormat.MERMAID:
        return read_mermaid
    dialect = _DIALECTS[format_]
    return lambda text, progress: read_sql(text, dialect, progress)


def _decoded(content: bytes) -> str:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, "replace").replace("\r\n", "\n")
    try:
        return content.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = message("This is no text in UTF-8.")
        raise ExchangeError(
            line, what, message("Save the file as UTF-8, and import it once more.")
        ) from error
