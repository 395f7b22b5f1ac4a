"""Modules that are loaded when they are first used.

    if TYPE_CHECKING:
        import pandas as pd
    else:
        pd = lazy("pandas")

Written like this, type checkers, import-linter and PyInstaller see an ordinary import. Intended for heavy
libraries, for what `__main__` starts, and for dialogs and panels that open on request; the pages of a
connection are imported by `app.page_loader`.
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType


def lazy(name: str) -> ModuleType:
    """The module, loaded when an attribute of it is first used, which must happen on one thread only.

    Raises ModuleNotFoundError at once if there is no such module.
    """
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    loader = importlib.util.LazyLoader(spec.loader)
    spec.loader = loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module
