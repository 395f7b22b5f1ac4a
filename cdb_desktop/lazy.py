"""Modules that are loaded when they are first used, not when the program starts. Knows none of them.

Written as

    if TYPE_CHECKING:
        from cdb_desktop.ui.errors import view
    else:
        view = lazy("cdb_desktop.ui.errors.view")

so that checkers of types and of layers, and whoever packs the program, see an import like any other.
"""

from __future__ import annotations

import importlib.util
import sys
from threading import RLock
from types import ModuleType

_ONE_AT_A_TIME = RLock()
_LOADED: set[ModuleType] = set()
_BROKEN: dict[ModuleType, Exception] = {}


def lazy(name: str) -> ModuleType:
    """The module, loaded when an attribute of it is first asked for. Raises ModuleNotFoundError at once."""
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


def load(module: ModuleType) -> bool:
    """Loads a lazy module because there is time for it, on any thread; False if that has been done before.

    Raises what the module raises, each time.

    To be used for whatever is loaded on a thread: by mere use, two of them would see a module half loaded.
    """
    # Whoever needs this one alone need not wait until another thread has loaded the next.
    if module in _LOADED:
        return False
    with _ONE_AT_A_TIME:
        # It looks loaded, and whoever wants it next would miss something for no reason.
        if module in _BROKEN:
            raise _BROKEN[module]
        is_new = type(module) is not ModuleType
        try:
            # Any attribute will do.
            _ = module.__doc__
        except Exception as error:
            _BROKEN[module] = error
            raise
        _LOADED.add(module)
        return is_new
