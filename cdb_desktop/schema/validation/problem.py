"""A problem of a document as a value, and the texts of all problems."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from cdb_desktop.foundation.i18n import Message, mark
from cdb_desktop.schema.document.element_ref import ElementRef

_TEXTS = {
    "table_repeated": mark("Two tables have the name {name}."),
    "table_id_repeated": mark("Two tables have the id {id}."),
    "table_name_reserved": mark("The name {name} is reserved by the service."),
    "table_name_missing": mark("A table needs a name."),
    "table_name_long": mark("{name} is longer than the 63 characters that a table's whole name may have."),
    "table_name": mark(
        "{name}: a table's name consists of lower-case letters, digits and _, begins with a letter and does "
        "not end with _."
    ),
    "nested_name": mark("{name} is nested in {owner}, so its name must begin with {owner}__."),
    "column_repeated": mark("Two columns have the name {name}."),
    "column_id_repeated": mark("Another column has the id of {name}."),
    "column_name_missing": mark("A column needs a name."),
    "column_name_long": mark("{name} is longer than the 63 characters that a column's name may have."),
    "column_name": mark(
        "{name}: a column's name consists of lower-case letters, digits and _, begins with a letter and does "
        "not end with _."
    ),
    "owner_missing": mark("The table that owns {table} is not there."),
    "owner_circle": mark("{table} is nested in itself."),
    "nested_option": mark("{table} is nested and cannot have {option}."),
    "entry_missing": mark("{owner} has no entry for its nested table {table}."),
    "entry_dangling": mark("{table} has an entry for a nested table that is not there."),
    "entry_foreign": mark("{table} has an entry for {nested}, which is not nested in it."),
    "entry_repeated": mark("{table} has more than one entry for {nested}."),
    "table_empty": mark("{table} has no columns."),
    "kind_unknown": mark("{table} has an entry of the unknown kind {kind}."),
    "type_missing": mark("{column} needs a type."),
    "type_unknown": mark("{column} has the type {type}, which this program does not know."),
    "check_unknown": mark("{column} has the check {check}; there are not_empty, email, regexp and range."),
    "check_type": mark("{column} is not a text, so the check {check} does not apply."),
    "regexp_missing": mark("{column} lacks the expression that checks it."),
    "regexp_flags": mark("{column} has the flags {flags} for its regular expression; there is only i."),
    "regexp": mark("The regular expression of {column} cannot be read: {reason}."),
    "range_type": mark("{column} is neither a number nor a date, so it cannot have a range."),
    "range_missing": mark("The range of {column} needs a bound."),
    "range_bound": mark("A bound of {column} is no value of its type."),
    "range_empty": mark("No value lies within the range of {column}."),
    "length_type": mark("{column} is not a text, so it has no length."),
    "length": mark("No text has the lengths that {column} asks for."),
    "default": mark("The default of {column} is no value of its type."),
    "type_change": mark("{column} is committed as {old} and cannot become {new}."),
    "reverse_type": mark("{column} is not a link, so its rows cannot be edited elsewhere."),
    "link_key_missing": mark("The link {column} has no foreign key."),
    "link_key_repeated": mark("The link {column} has several foreign keys."),
    "reverse_missing": mark(
        "{column} is to be edited in the table that it links to, but has no entry there."
    ),
    "key_columns": mark("The foreign key of {column} needs just one column."),
    "key_type": mark("{column} has a foreign key but is no link."),
    "link_dangling": mark("{column} links to a table that is not there."),
    "key_target": mark("{column} must link to the other table's primary key."),
    "link_nested": mark("{column} links to {table}, which is a nested table and no objecttype."),
    "key_rule": mark(
        "{column} has {value} for {rule}; there are cascade, restrict, set null and set default."
    ),
    "delete_rule": mark("{column} has {value} for on_delete; the service uses {expected} here."),
    "reverse_dangling": mark("{table} has an entry for editing a column that is not there."),
    "reverse_stray": mark("{table} has an entry for editing {column}, which is not to be edited there."),
    "reverse_repeated": mark("{table} has more than one entry for editing {column}."),
    "unique_repeated": mark("{table} has two unique keys over the same columns."),
    "unique_empty": mark("A unique key of {table} has no columns."),
    "unique_dangling": mark("A unique key of {table} names a column that is not there."),
    "unique_true": mark("Only one row of {table} may have {column}: that needs a column of type boolean."),
}


class Severity(Enum):
    """Whether the service refuses the document."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """A violation of a rule by the element ``ref``; ``code`` identifies the rule.

    ``refusal`` is the message for services that are known to refuse what others take.
    """

    severity: Severity
    ref: ElementRef
    code: str
    message: Message
    refusal: Message | None = None


def error(ref: ElementRef, code: str, /, **values: object) -> Problem:
    """A problem for which the service refuses the document."""
    return Problem(Severity.ERROR, ref, code, Message(_TEXTS[code], values))


def warning(ref: ElementRef, code: str, /, **values: object) -> Problem:
    """A problem with which the document can be saved."""
    return Problem(Severity.WARNING, ref, code, Message(_TEXTS[code], values))
