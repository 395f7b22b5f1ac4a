"""Modules and files of the libraries that no package contains, for `bundle.spec` and `windows.py`."""

from __future__ import annotations

import fnmatch
import re

# Python modules that libraries import only if they are there.
MODULES = [
    "IPython", "PySide6.scripts", "_pytest", "matplotlib", "numpy.f2py", "numpy.testing.tests",
    "pandas.tests", "pip", "pyarrow.tests", "pydoc_data", "pygraphviz.tests", "pytest", "scipy", "setuptools",
    "tkinter", "psycopg_pool", "pyarrow.flight", "pyarrow._flight", "pyarrow.orc", "pyarrow._orc",
    "pyarrow._pyarrow_cpp_tests", "pyarrow.gandiva", "pyarrow._s3fs", "pyarrow._azurefs", "pyarrow._gcsfs",
    "pyarrow._hdfs", "pyarrow.substrait", "pyarrow._substrait", "pyarrow._parquet_encryption",
    "pyarrow.parquet.encryption", "pyarrow._dataset_orc", "pyarrow._dataset_parquet_encryption",
    "pyarrow.cuda", "MySQLdb", "pysqlite2", "sqlalchemy.dialects.mssql", "sqlalchemy.dialects.mysql",
    "sqlalchemy.dialects.oracle", "watchfiles", "yaml", "dotenv",
    # Tools of the build in the same environment, which make the site of the manual, and what only they need.
    "alabaster", "babel", "bs4", "docutils", "imagesize", "markdown_it", "myst_parser", "pygments",
    "snowballstemmer", "soupsieve", "sphinx", "sphinxcontrib",
    # For terminals only; GNU Readline is under the GPL.
    "curses", "_curses", "readline", "rlcompleter",
]  # fmt: skip
# Files that nothing here loads, by their names as `common_name` returns them: Qt Quick, platforms without a
# window system, GTK's theme (which needs GTK), the parts of Arrow for clusters and clouds, headers, tests and
# command-line tools.
FILES = [
    "PySide6/Qt6*Qml*", "PySide6/Qt6*Quick*", "PySide6/Qt6VirtualKeyboard*", "PySide6/Qt6Egl*",
    "PySide6/Qt6Pdf*", "PySide6/Qt6WaylandCompositor*", "PySide6/Qt6Network*", "PySide6/Qt6Sql*",
    "PySide6/plugins/egldeviceintegrations/*", "PySide6/plugins/generic/*",
    "PySide6/plugins/imageformats/q[!sj]*", "PySide6/plugins/networkinformation/*",
    "PySide6/plugins/platforminputcontexts/qtvirtualkeyboard*", "PySide6/plugins/platforms/qeglfs*",
    "PySide6/plugins/platforms/qlinuxfb*", "PySide6/plugins/platforms/qminimal*",
    "PySide6/plugins/platforms/qvkkhr*", "PySide6/plugins/platforms/qvnc*",
    "PySide6/plugins/platforms/qdirect2d*", "PySide6/plugins/platformthemes/qgtk3*", "PySide6/plugins/tls/*",
    "PySide6/plugins/wayland-graphics-integration-server/*", "PySide6/qml/*", "PySide6/QtNetwork*",
    "PySide6/QtQml*", "PySide6/QtQuick*", "pyarrow/include/*", "pyarrow/src/*", "pyarrow/tests/*",
    "pyarrow/includes/*", "pyarrow/*.px[di]", "pyarrow/*.py[xi]", "pyarrow/arrow_flight*",
    "pyarrow/arrow_python_flight*", "pyarrow/arrow_s3*", "pyarrow/arrow_gcs*", "pyarrow/arrow_azure*",
    "pyarrow/arrow_orc*", "pyarrow/arrow_python_parquet_encryption*", "pyarrow/_flight.*", "pyarrow/_orc.*",
    "pyarrow/_pyarrow_cpp_tests.*", "pyarrow/_s3fs.*",
    # The same library under the names that only linkers read.
    "pyarrow/arrow_python.so", "pyarrow/arrow_python.so.*.*.*", "pygraphviz/bin/*",
    # They name the machine that built the bundle.
    "*.dist-info/direct_url.json", "*.dist-info/RECORD", "*.dist-info/INSTALLER", "*.dist-info/REQUESTED",
    "*.dist-info/uv_cache.json",
]  # fmt: skip
# In wheels, but never taken by PyInstaller: tests, and what only compilers, editors and designers read.
IN_WHEELS = [
    "*/tests/*", "*.pyi", "*.pxd", "*.pyx", "*.h", "*.hpp", "*.lib", "*.c", "*.cpp", "*/py.typed",
    "*/__pycache__/*", "_yaml/*", "bin/*", "PySide6/*.exe", "PySide6/*.json", "PySide6/doc/*",
    "PySide6/glue/*", "PySide6/include/*", "PySide6/lib/*", "PySide6/metatypes/*", "PySide6/modules/*",
    "PySide6/resources/*", "PySide6/support/generate_pyi.py", "PySide6/typesystems/*",
    "PySide6/plugins/designer/*", "PySide6/plugins/qml*", "PySide6/plugins/sqldrivers/*",
    "PySide6/plugins/vectorimageformats/*", "PySide6/opengl32sw.dll", "shiboken6/include/*",
    "shiboken6/lib/*", "numpy/_core/lib/*", "numpy/_core/include/*", "numpy/distutils/*",
    "numpy/random/lib/*", "numpy/random/_examples/*", "pyarrow/arrow_substrait.dll", "pyarrow/*.cmake",
    "pygraphviz/*.i", "*.dist-info/WHEEL", "*.dist-info/top_level.txt", "*.dist-info/DELVEWHEEL",
    "*.dist-info/zip-safe",
]  # fmt: skip
# German and English are the languages of the program.
_QT_TRANSLATIONS = re.compile(r"PySide6/translations/(?!qtbase_(de|en)\.)")


def common_name(name: str) -> str:
    """The name of a library's file on Windows, where Qt has fewer folders and no name begins with lib."""
    name = re.sub(r"^PySide6/Qt/(lib/)?", "PySide6/", name.replace("\\", "/"))
    return re.sub(r"(^|/)lib(?=[^/]*\.(so|dylib)(\.[^/]*)?$)", r"\1", name)


def is_used(name: str) -> bool:
    """Whether a bundle needs the file, whose name begins with that of its Python package."""
    found = common_name(name)
    return not (any(fnmatch.fnmatchcase(found, each) for each in FILES) or _QT_TRANSLATIONS.match(found))


def is_used_of_wheel(name: str) -> bool:
    """The same for a file of a whole wheel, from which nothing has been selected yet."""
    parts = name.split("/")
    dotted = ".".join((*parts[:-1], parts[-1].partition(".")[0]))
    excluded = any(dotted == module or dotted.startswith(f"{module}.") for module in MODULES)
    return is_used(name) and not excluded and not any(fnmatch.fnmatchcase(name, each) for each in IN_WHEELS)
