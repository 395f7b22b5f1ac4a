"""Writes the diagram to a file, prints it, and copies it: as it is painted on the screen, or as DOT."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from PySide6.QtCore import QBuffer, QMarginsF, QMimeData, QRect, QUrl
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QFontInfo,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
)
from PySide6.QtWidgets import QApplication, QDialog, QGraphicsItem

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import Permit, run_in_thread
from cdb_desktop.schema.diagram.dot_export import DotStyle, diagram_dot
from cdb_desktop.schema.diagram.model import Role
from cdb_desktop.schema.document.model import Document
from cdb_desktop.ui.schema.diagram.style import DiagramStyle, solid_head_color
from cdb_desktop.ui.schema.diagram.view import DiagramView
from cdb_desktop.ui.schema.files.file_access import ask_save_path, suggested_file_name, write_failure
from cdb_desktop.ui.schema.output.dialog import OutputDialog
from cdb_desktop.ui.schema.output.picture import (
    DiagramPicture,
    PaintListener,
    SheetPainter,
    Steps,
    run_steps,
    saved,
)
from cdb_desktop.ui.schema.output.source import (
    DiagramSource,
    Format,
    OutputOptions,
    image_size,
    largest_scale,
    store_options,
    stored_options,
)
from cdb_desktop.ui.schema.output.svg_file import svg_file
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.view import PageController, SchemaContext
from cdb_desktop.vocabulary.error_messages import ErrorMessage

if TYPE_CHECKING:
    from PySide6.QtPrintSupport import QPrinter


_EXPORT, _PRINT, _COPY = "schema.export", "schema.print", "schema.copy"
# Called with how much is done, 0 to 1.
Report = Callable[[float], None]
_DOTS = 1200  # per inch of paper
_POINTS_PER_INCH = 72
_LARGEST_PAGE = 14_400.0  # points; readers refuse larger pages
_PIXELS_AT_ONCE = 2_000_000
_SVG_TYPE = "image/svg+xml"


class DiagramOutputController(PageController):
    """Opens the dialog, and makes what was chosen in it, or exports the service's SVG if that is shown."""

    def __init__(self, page: SchemaContext, service: str = "") -> None:
        """``service`` is the name of the service; a model file has its own."""
        super().__init__(page)
        self._service = service
        self._permits: dict[Path, Permit] = {}  # of the last export to each file
        self._writing = Lock()  # or an older export that can no longer be stopped would be renamed last

    def ask(self) -> None:
        """Opens the dialog with the options that were used last."""
        page = self._store.page
        if self._view.diagram_panel.shows_svg:
            self._ask_for_svg(page)
        else:
            self._open(self._source(page))

    def ask_for_merge(self, view: DiagramView, document: Document, state: str) -> None:
        """Opens the dialog for the diagram of a merge; ``state`` says what its marks are about."""
        page = self._store.page
        title, version = page.file or self._service, tr("merge of two versions")
        self._open(DiagramSource(view, self._view.appearance, document, title, version, state))

    def ask_print(self) -> None:
        """Opens the dialog for printing."""
        self._open(self._source(self._store.page), is_print=True)

    def copy(self) -> None:
        """Copies the diagram as a picture, with the options that were used last."""
        source = self._source(self._store.page)
        self._copy(source, self._options(source))

    def write(self, path: Path, options: OutputOptions) -> None:
        """Writes the diagram of the page in the format of the options."""
        self._start(path, partial(self._write, path, self._source(self._store.page), options))

    def _source(self, page: PageState) -> DiagramSource:
        return DiagramSource.of_page(self._view, page, page.file or self._service)

    def _options(self, source: DiagramSource) -> OutputOptions:
        options = stored_options(self._view.settings)
        return options if options.part in source.parts else replace(options, part="all")

    def _open(self, source: DiagramSource, *, is_print: bool = False) -> None:
        options = self._options(source)
        if is_print:
            pages = "fit" if options.pages == "drawing" else options.pages
            options = replace(options, format="paper", pages=pages)
        dialog = OutputDialog(self._view.appearance, source.view.window(), source, options)
        dialog.agreed.connect(partial(self._agree, source))
        dialog.copy_requested.connect(partial(self._copy_chosen, source))
        dialog.open()
        dialog.fit()

    def _agree(self, source: DiagramSource, options: OutputOptions) -> None:
        page = self._store.page
        store_options(self._view.settings, options)
        if options.format == "paper":
            self._print(source, options)
            return
        suffixes = {_filter_text(options.format): f".{options.format}"}
        title, name = tr("Export the diagram"), suggested_file_name(page)

        def write(path: Path) -> None:
            self._start(path, partial(self._write, path, source, options))

        dialog = ask_save_path(source.view.window(), title, name, suffixes, write)
        dialog.setObjectName("schema.export.dialog")

    def _ask_for_svg(self, page: PageState) -> None:
        """Exports the SVG that is shown now, even if another one arrives while the dialog is open."""
        svg = self._view.diagram_panel.svg.source
        if not svg:
            text = tr("The service's drawing is not here yet.")
            self._view.notice.show_text("warning", text)
            return
        title, suffixes = tr("Export the service's drawing"), {_filter_text("svg"): ".svg"}
        dialog = ask_save_path(
            self._view,
            title,
            suggested_file_name(page),
            suffixes,
            lambda path: self._start(path, partial(self._save, path, svg)),
        )
        dialog.setObjectName("schema.export.dialog")

    def _start(self, path: Path, work: Callable[[Permit], Coroutine[Any, Any, None]]) -> None:
        """Starts to write a file; ``work`` takes the permit for it.

        It replaces an export to the same file, whose thread may still be writing. Others go on.
        """
        former, permit = self._permits.get(path), Permit()
        self._permits[path] = permit
        if former is not None:
            former.withdraw()

        def show_error(error: Exception) -> None:
            self._view.notice.show_error(write_failure(path, error))

        def show_cancelled() -> None:
            text = tr("Cancelled: {file} was not written.", file=path.name)
            if not permit.withdraw():
                text = tr("It was too late to cancel: the diagram is in {path}.", path=str(path))
            self._view.notice.show_text("accent", text)

        self._tasks.start(
            f"{_EXPORT} {path}",
            work(permit),
            title=tr("Exporting the diagram"),
            on_error=show_error,
            on_given_up=show_cancelled,
        )

    def _reporter(self, task: str, title: str) -> Report:
        """A function that shows how much of a task is done."""
        return partial(self._tasks.show_progress, task, title)

    # Files

    async def _write(self, path: Path, source: DiagramSource, options: OutputOptions, permit: Permit) -> None:
        await self._save(path, await self._content(source, options, f"{_EXPORT} {path}"), permit)

    async def _save(self, path: Path, content: bytes, permit: Permit) -> None:
        def write() -> None:
            with self._writing:
                write_whole(path, content, private=False, before_replacing=permit.take)

        await run_in_thread(write)
        text = tr("The diagram is in {path}.", path=str(path))
        self._view.notice.show_text("accent", text, (tr("Open it"), partial(_open, path)))

    async def _content(self, source: DiagramSource, options: OutputOptions, task: str) -> bytes:
        report = self._reporter(task, tr("Exporting the diagram"))
        if options.format == "dot":
            picture = source.picture(options)
            return (await run_in_thread(diagram_dot, picture.diagram, dot_style(picture.style))).encode()
        if options.format == "svg":
            return await svg_file(source.picture(options), source.dots, report)
        if options.format == "png":
            image = await self._image(source.picture(options), options, report)
            return await run_in_thread(_png, image)
        return await self._pdf(source, options, task)

    async def _image(self, picture: DiagramPicture, options: OutputOptions, report: Report) -> QImage:
        bounds = picture.bounds
        kind = (
            QImage.Format.Format_ARGB32_Premultiplied if options.transparent else QImage.Format.Format_RGB32
        )
        image = QImage(image_size(bounds, min(options.scale, largest_scale(bounds))), kind)
        if image.isNull():
            raise MemoryError(tr("There is not enough memory for the picture."))
        background = QColor(0, 0, 0, 0) if options.transparent else QColor(picture.tokens.ground)
        with QPainter(image) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            await run_steps(_filled(painter, image.rect(), background), lambda _done: report(0.0))
            # The scale of the view leaves that of the items at 100 %, at which all details are painted.
            painter.setWindow(bounds.toAlignedRect())
            painter.setViewport(image.rect())
            await run_steps(picture.steps(painter), report)
        return image

    async def _pdf(
        self,
        source: DiagramSource,
        options: OutputOptions,
        task: str,
        layout: QPageLayout | None = None,
        chosen: tuple[int, int] | None = None,
    ) -> bytes:
        """``layout`` is another one than in the options; ``chosen`` are the first and last page."""
        file = PdfFile(_DOTS, source.title)
        picture = source.picture(options, _DOTS)
        if layout is None and options.pages == "drawing":
            report = self._reporter(task, tr("Exporting the diagram"))
            await self._paint_whole(file, picture, source.dots, report)
        else:
            layout = layout or options.page_layout
            layout.setMode(QPageLayout.Mode.FullPageMode)
            file.writer.setPageLayout(layout)
            plan = source.plan(options, picture.bounds, layout)
            sheets = SheetPainter(plan, picture, _DOTS, self._view.font(), file)
            await self._paint_pages(file.writer, sheets, chosen, task, file)
        return file.content

    async def _paint_whole(self, file: PdfFile, picture: DiagramPicture, dots: int, report: Report) -> None:
        """Paints all on one page of its size."""
        bounds, writer = picture.bounds, file.writer
        size = bounds.size() * (_POINTS_PER_INCH / dots)
        size *= min(_LARGEST_PAGE / max(size.width(), size.height()), 1.0)
        writer.setPageSize(QPageSize(size, QPageSize.Unit.Point))
        writer.setPageMargins(QMarginsF())
        with QPainter(writer) as painter:
            page = painter.viewport()
            painter.setWindow(bounds.toAlignedRect())
            painter.setViewport(page)
            painter.fillRect(bounds.toAlignedRect(), QColor(picture.tokens.ground))
            await run_steps(file.sliced(picture.steps(painter, listener=file)), report)

    async def _paint_pages(
        self,
        writer: QPdfWriter | QPrinter,
        sheets: SheetPainter,
        chosen: tuple[int, int] | None,
        task: str,
        file: PdfFile | None = None,
    ) -> int:
        """Paints all pages, or those from the first to the last chosen one. Returns how many.

        ``file`` is that of the writer. Raises OSError if the device refuses one.
        """
        count = sheets.page_count
        first, last = chosen or (1, count)
        pages = range(max(first, 1) - 1, min(max(last, first), count))

        def steps(painter: QPainter) -> Steps:
            for at, page in enumerate(pages):
                if at and not (writer.newPage() if file is None else file.new_page()):
                    raise OSError(tr("The printer does not accept another page."))
                for done in sheets.page(painter, page):
                    yield (at + done) / len(pages)

        def report(done: float) -> None:
            page = min(int(done * len(pages)) + 1, len(pages))
            title = tr("Page {number} of {count}", number=page, count=len(pages))
            self._tasks.show_progress(task, title, done)

        painter = QPainter()
        if not painter.begin(writer):
            raise OSError(tr("The printer does not accept pages."))
        with painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            await run_steps(steps(painter) if file is None else file.sliced(steps(painter)), report)
        return len(pages)

    # Paper

    def _print(self, source: DiagramSource, options: OutputOptions) -> None:
        """Opens the system's dialog for printers."""
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter  # noqa: PLC0415  # only when printing

        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        layout = options.page_layout
        printer.setPageLayout(layout)
        printer.setFullPage(True)
        printer.setDocName(source.title)
        dialog = QPrintDialog(printer, source.view.window())
        dialog.setObjectName("schema.print.dialog")
        dialog.setMinMax(1, source.plan(options, source.picture(options).bounds).page_count)
        dialog.finished.connect(dialog.deleteLater)
        # The printer belongs to Python and has to live until the pages are painted.
        dialog.accepted.connect(lambda: self._print_on(printer, source, options))
        # QPrintDialog.open() expects a slot.
        QDialog.open(dialog)

    def _print_on(self, printer: QPrinter, source: DiagramSource, options: OutputOptions) -> None:
        """Prints; into a file, if that was chosen in the dialog, as any other file is written."""
        if printer.outputFileName():
            path = Path(printer.outputFileName())
            self._start(path, partial(self._print_into, path, printer, source, options))
            return

        def show_error(error: Exception) -> None:
            remedy = tr("See whether the printer is on and connected, or choose PDF in the dialog.")
            title = tr("The diagram could not be printed")
            self._view.notice.show_error(ErrorMessage(title, str(error), remedy))

        def show_cancelled() -> None:
            self._view.notice.show_text("accent", tr("Cancelled: nothing was printed."))

        self._tasks.start(
            _PRINT,
            self._print_pages(printer, source, options),
            title=tr("Printing the diagram"),
            on_error=show_error,
            on_given_up=show_cancelled,
        )

    async def _print_into(
        self, path: Path, printer: QPrinter, source: DiagramSource, options: OutputOptions, permit: Permit
    ) -> None:
        task = f"{_EXPORT} {path}"
        content = await self._pdf(source, options, task, printer.pageLayout(), _chosen(printer))
        await self._save(path, content, permit)

    async def _print_pages(self, printer: QPrinter, source: DiagramSource, options: OutputOptions) -> None:
        dots = printer.resolution()
        picture = source.picture(options, dots)
        plan = source.plan(options, picture.bounds, printer.pageLayout())
        sheets = SheetPainter(plan, picture, dots, self._view.font())
        try:
            pages = await self._paint_pages(printer, sheets, _chosen(printer), _PRINT)
        except BaseException:
            printer.abort()
            raise
        text = tr("{pages:One page was|{pages} pages were} sent to the printer.", pages=pages)
        self._view.notice.show_text("accent", text)

    # Clipboard

    def _copy_chosen(self, source: DiagramSource, options: OutputOptions) -> None:
        store_options(self._view.settings, options)
        self._copy(source, options)

    def _copy(self, source: DiagramSource, options: OutputOptions) -> None:
        def show_error(error: Exception) -> None:
            remedy = tr("Export it as SVG or PDF instead.")
            text = str(error) if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"
            self._view.notice.show_error(ErrorMessage(tr("The diagram was not copied"), text, remedy))

        title = tr("Copying the diagram")
        self._tasks.start(_COPY, self._copy_picture(source, options), title=title, on_error=show_error)

    async def _copy_picture(self, source: DiagramSource, options: OutputOptions) -> None:
        report = self._reporter(_COPY, tr("Copying the diagram"))
        picture = source.picture(options)
        svg = await svg_file(picture, source.dots, report)
        image = await self._image(picture, options, report)
        content = QMimeData()
        content.setImageData(image)
        content.setData(_SVG_TYPE, svg)
        QApplication.clipboard().setMimeData(content)
        text = tr("The diagram is on the clipboard, as a picture and as SVG.")
        scale = largest_scale(picture.bounds)
        if scale < options.scale:
            text += " " + tr("A picture larger than one at {scale} % is not possible.", scale=scale)
        self._view.notice.show_text("accent", text)


def dot_style(style: DiagramStyle) -> DotStyle:
    """The colors and fonts of a style, for Graphviz."""
    tokens, fonts = style.tokens, {role: QFontInfo(style.fonts.font(role)) for role in Role}
    sizes = {role: float(font.pixelSize()) for role, font in fonts.items()}
    family = fonts[Role.NAME].family()
    heads = {table: solid_head_color(style, table).name() for table in style.kinds}
    return DotStyle(
        tokens.text, tokens.muted, tokens.edge, tokens.ground, tokens.raised, family, sizes, heads
    )


def _chosen(printer: QPrinter) -> tuple[int, int] | None:
    """The first and last page that were chosen in the dialog of printers, None for all."""
    if printer.printRange() != printer.PrintRange.PageRange:
        return None
    return printer.fromPage(), printer.toPage()


def _filled(painter: QPainter, rect: QRect, color: QColor) -> Steps:
    """Fills a picture in strips: at once, a large one would block the window."""
    height = max(_PIXELS_AT_ONCE // rect.width(), 1)
    with saved(painter):
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
        for top in range(0, rect.height(), height):
            painter.fillRect(0, top, rect.width(), height, color)
            yield top / rect.height()


def _open(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs require bytes, the library a str
    return bytes(buffer.data().data())


def _filter_text(form: Format) -> str:
    return {
        "svg": tr("Scalable drawing (*.svg)"),
        "dot": tr("Source for Graphviz (*.dot)"),
        "pdf": tr("Document (*.pdf)"),
        "png": tr("Picture (*.png)"),
    }.get(form, "")


_ITEMS = 50  # tables and links in a slice
_ENTRY = 20  # bytes in a table of objects
_SECTION = re.compile(rb"/(\w+) <<\n((?:/[^\n]*\n)*)>>")


class PdfFile(PaintListener):
    """A file in memory, into whose ``writer`` pages are painted."""

    def __init__(self, dots: int, title: str) -> None:
        """``dots`` per inch are the units of painters."""
        self._buffer = QBuffer()
        self._buffer.open(QBuffer.OpenModeFlag.WriteOnly)
        self.writer = QPdfWriter(self._buffer)
        self.writer.setResolution(dots)
        self.writer.setTitle(title)
        self.writer.setCreator("CDB Desktop")
        self._items = 0
        self._slices = [1]  # of each page

    def item(self, _item: QGraphicsItem | None) -> None:
        self._items += 1

    def sliced(self, steps: Steps) -> Steps:
        """The same steps; a slice ends after some items."""
        for done in steps:
            if self._items >= _ITEMS:
                self._items = 0
                self._slices[-1] += 1
                self.writer.newPage()
            yield done

    def new_page(self) -> bool:
        """Begins the next page. Returns whether that was possible."""
        self._items = 0
        self._slices.append(1)
        return self.writer.newPage()

    @property
    def content(self) -> bytes:
        """The file, after the painter has ended."""
        content = bytes(self._buffer.data().data())
        return content if max(self._slices) == 1 else _joined(content, self._slices)


def _joined(content: bytes, counts: Iterable[int]) -> bytes:
    """The file with so many pages each joined to one."""
    objects = _Objects(content)
    catalog = objects.number(objects.trailer, b"Root")
    tree = objects.number(objects[catalog], b"Pages")
    kids = re.search(rb"/Kids\s*\[([^]]*)\]", objects[tree])
    waiting = [int(number) for number in re.findall(rb"(\d+) 0 R", kids[1] if kids else b"")]
    # What a content sets at its beginning would be added to what the ones before have set.
    save, restore = (objects.add(_stream(operator)) for operator in (b"q\n", b"\nQ\n"))
    pages = []
    for count in counts:
        slices, waiting = [objects[number] for number in waiting[:count]], waiting[count:]
        numbers = [(save, objects.number(each, b"Contents"), restore) for each in slices]
        contents = b" ".join(b"%d 0 R" % number for each in numbers for number in each)
        resources = objects.add(_united(objects[objects.number(each, b"Resources")] for each in slices))
        page = re.sub(rb"/Contents \d+ 0 R", b"/Contents [%s]" % contents, slices[0])
        page = re.sub(rb"/Resources \d+ 0 R", b"/Resources %d 0 R" % resources, page)
        pages.append(objects.add(page))
    kids_now = b" ".join(b"%d 0 R" % page for page in pages)
    objects.replace(tree, b"\n<<\n/Type /Pages\n/Kids [%s]\n/Count %d\n>>\n" % (kids_now, len(pages)))
    return objects.updated()


def _stream(content: bytes) -> bytes:
    return b"\n<<\n/Length %d\n>>\nstream\n%s\nendstream\n" % (len(content), content)


def _united(resources: Iterable[bytes]) -> bytes:
    """All resources; their names contain the numbers of objects, so that none is there twice."""
    sections: dict[bytes, dict[bytes, None]] = {}
    for each in resources:
        for name, lines in _SECTION.findall(each):
            sections.setdefault(name, {}).update(dict.fromkeys(lines.splitlines(keepends=True)))
    parts = (b"/%s <<\n%s>>\n" % (name, b"".join(lines)) for name, lines in sections.items())
    return b"\n<<\n%s>>\n" % b"".join(parts)


class _Objects:
    """The objects of a file, and those of an update."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._table = int(content[content.rindex(b"startxref") :].split()[1])
        head = re.compile(rb"xref\s+0 (\d+)\s+").match(content, self._table)
        if head is None:
            raise ValueError("not the table of objects that Qt writes")
        self._count = int(head[1])
        self._entries = head.end()
        self.trailer = content[content.rindex(b"trailer") : content.rindex(b"startxref")]
        self._new: dict[int, bytes] = {}

    def __getitem__(self, number: int) -> bytes:
        at = self._entries + number * _ENTRY
        start = self._content.index(b"obj", int(self._content[at : at + 10])) + len(b"obj")
        return self._content[start : self._content.index(b"endobj", start)]

    @staticmethod
    def number(part: bytes, name: bytes) -> int:
        """The number of the object that a dictionary refers to by a name."""
        found = re.search(rb"/%s (\d+) 0 R" % name, part)
        if found is None:
            raise ValueError(f"no {name.decode()}")
        return int(found[1])

    def add(self, content: bytes) -> int:
        """Adds an object. Returns its number."""
        number = self._count
        self._count += 1
        self._new[number] = content
        return number

    def replace(self, number: int, content: bytes) -> None:
        """Replaces an object."""
        self._new[number] = content

    def updated(self) -> bytes:
        """The file with the update at its end."""
        parts, at = [self._content], len(self._content)
        table = [b"xref\n"]
        for number, content in self._new.items():
            parts.append(b"%d 0 obj%sendobj\n" % (number, content))
            table.append(b"%d 1\n%010d 00000 n \n" % (number, at))
            at += len(parts[-1])
        trailer = re.sub(rb"/Size \d+", b"/Size %d\n/Prev %d" % (self._count, self._table), self.trailer)
        return b"".join([*parts, *table, trailer, b"startxref\n%d\n%%%%EOF\n" % at])
