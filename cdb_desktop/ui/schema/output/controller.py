"""Writes the diagram to a file, prints it, and copies it: as it is painted on the screen, or as DOT."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from PySide6.QtCore import QBuffer, QMarginsF, QMimeData, QObject, QRect, QRectF, QSizeF, QUrl
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
from PySide6.QtWidgets import QApplication, QDialog

from cdb_desktop.foundation.files import write_whole
from cdb_desktop.foundation.i18n import tr
from cdb_desktop.foundation.threads import Permit, run_in_thread
from cdb_desktop.schema.diagram.dot_export import DotStyle, diagram_dot
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.schema.diagram.model import Diagram, Role
from cdb_desktop.schema.document.model import Document
from cdb_desktop.ui.schema.diagram.style import DiagramStyle, solid_head_color
from cdb_desktop.ui.schema.files.dialog import ask_save_path, suggested_file_name
from cdb_desktop.ui.schema.files.messages import write_failure
from cdb_desktop.ui.schema.output.dialog import OutputDialog, OutputSource
from cdb_desktop.ui.schema.output.options import (
    Format,
    OutputOptions,
    image_size,
    largest_scale,
    store_options,
    stored_options,
)
from cdb_desktop.ui.schema.output.pages import PagePlan, SheetPainter
from cdb_desktop.ui.schema.output.pdf_file import PdfFile
from cdb_desktop.ui.schema.output.picture import (
    DiagramPicture,
    Heading,
    PaperFonts,
    Steps,
    file_style,
    part_of,
    run_steps,
    saved,
)
from cdb_desktop.ui.schema.output.svg_file import svg_file
from cdb_desktop.ui.schema.page.state import PageState
from cdb_desktop.ui.schema.page.store import PageStore
from cdb_desktop.ui.schema.view import SchemaView
from cdb_desktop.ui.tasks import Tasks
from cdb_desktop.ui.theme.tokens import DARK, LIGHT, Tokens
from cdb_desktop.vocabulary.error_messages import ErrorMessage
from cdb_desktop.vocabulary.times import day_and_time, offset

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


class DiagramOutputController(QObject):
    """Opens the dialog, and makes what was chosen in it, or exports the service's SVG if that is shown."""

    def __init__(self, store: PageStore, view: SchemaView, tasks: Tasks, service: str = "") -> None:
        """``service`` is the name of the service; a model file has its own."""
        super().__init__(view)
        self._store = store
        self._view = view
        self._tasks = tasks
        self._service = service
        self._permits: dict[Path, Permit] = {}  # of the last export to each file
        self._writing = Lock()  # or an older export that can no longer be stopped would be renamed last

    def ask(self) -> None:
        """Opens the dialog with the options that were used last."""
        page = self._store.page
        if page is None:
            return
        if self._view.diagram_panel.shows_svg:
            self._ask_for_svg(page)
        else:
            self._open(self._options())

    def ask_print(self) -> None:
        """Opens the dialog for printing."""
        if self._store.page is not None:
            options = self._options()
            pages = "fit" if options.pages == "drawing" else options.pages
            self._open(replace(options, format="paper", pages=pages))

    def copy(self) -> None:
        """Copies the diagram as a picture, with the options that were used last."""
        if self._store.page is not None:
            self._copy(self._options())

    def write(self, path: Path, options: OutputOptions) -> None:
        """Writes the diagram in the format of the options."""
        self._start(path, partial(self._write, path, options))

    def _options(self) -> OutputOptions:
        options = stored_options(self._view.settings)
        return options if options.part in self._parts() else replace(options, part="all")

    def _open(self, options: OutputOptions) -> None:
        source = OutputSource(self._picture, self._plan, self._parts())
        dialog = OutputDialog(self._view.appearance, self._view, source, options)
        dialog.agreed.connect(self._agree)
        dialog.copy_requested.connect(self._copy_chosen)
        dialog.open()
        dialog.fit()

    def _agree(self, options: OutputOptions) -> None:
        page = self._store.page
        if page is None:
            return
        store_options(self._view.settings, options)
        if options.format == "paper":
            self._print(options)
            return
        suffixes = {_filter_text(options.format): f".{options.format}"}
        title, name = tr("Export the diagram"), suggested_file_name(page)
        ask_save_path(
            self._view, title, name, suffixes, lambda path: self.write(path, options)
        ).setObjectName("schema.export.dialog")

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

    # What is painted

    def _parts(self) -> dict[str, str]:
        """The parts of the diagram that can be chosen, with their texts."""
        parts = {"all": tr("everything"), "visible": tr("what is visible")}
        if self._selected():
            parts["selected"] = tr("what is selected")
        return parts

    def _selected(self) -> frozenset[int]:
        """The selected top-level tables, or the one that contains the selection."""
        scene = self._view.diagram.diagram_scene
        item = scene.item_of(scene.diagram_style.selection)
        one = frozenset() if item is None else frozenset({item.box.table})
        return scene.chosen_boxes or one

    def _diagram(self, options: OutputOptions) -> Diagram:
        diagram = self._view.diagram.diagram_scene.diagram
        return part_of(diagram, self._selected()) if options.part == "selected" else diagram

    def _tokens(self, options: OutputOptions) -> Tokens:
        chosen = {"light": LIGHT, "dark": DARK}
        return chosen.get(options.colors, self._view.appearance.tokens)

    def _picture(self, options: OutputOptions, dots: float | None = None) -> DiagramPicture:
        """The picture for options; ``dots`` per inch are those of a device other than the screen."""
        view = self._view.diagram
        fonts = None if dots is None else PaperFonts(view.font(), self._screen_dots / dots)
        visible = view.mapToScene(view.viewport().rect()).boundingRect()
        diagram = self._diagram(options)
        return DiagramPicture(
            diagram,
            file_style(view.diagram_scene, self._tokens(options), fonts),
            area=visible.intersected(view.diagram_scene.bounds) if options.part == "visible" else None,
            heading=self._heading(diagram) if options.heading else None,
            has_legend=options.legend,
        )

    @property
    def _title(self) -> str:
        page = self._store.page
        return (page.file if page is not None else "") or self._service

    def _heading(self, diagram: Diagram) -> Heading | None:
        page = self._store.page
        if page is None:
            return None
        shown, tables = _table_count(diagram, page.document), len(page.document.tables)
        count = tr("{tables:One table|{tables} tables}", tables=tables)
        if shown < tables:
            count = tr("{shown} of {tables:one table|{tables} tables}", shown=shown, tables=tables)
        now = datetime.now(UTC)
        panel = self._view.diagram_panel
        details = (
            _version_text(page) if page.compared is None else panel.time_line.text,
            count,
            tr("{links:one link|{links} links}", links=sum(link.edge.count for link in diagram.links)),
            f"{day_and_time(now)} {offset(now)}",
        )
        return Heading(self._title, " · ".join(filter(None, details)), panel.state_text)

    @property
    def _screen_dots(self) -> int:
        """Dots per inch with which the texts of the diagram were measured."""
        return self._view.logicalDpiX()

    def _plan(self, options: OutputOptions, bounds: QRectF) -> PagePlan:
        return self._plan_for(options, bounds, _paper(options.page_layout))

    def _plan_for(self, options: OutputOptions, bounds: QRectF, paper: QSizeF) -> PagePlan:
        scale = options.paper_scale / 100 if options.pages == "tiles" else None
        return PagePlan(bounds, paper, self._screen_dots, scale)

    # Files

    async def _write(self, path: Path, options: OutputOptions, permit: Permit) -> None:
        await self._save(path, await self._content(options, f"{_EXPORT} {path}"), permit)

    async def _save(self, path: Path, content: bytes, permit: Permit) -> None:
        def write() -> None:
            with self._writing:
                write_whole(path, content, private=False, before_replacing=permit.take)

        await run_in_thread(write)
        text = tr("The diagram is in {path}.", path=str(path))
        self._view.notice.show_text("accent", text, (tr("Open it"), partial(_open, path)))

    async def _content(self, options: OutputOptions, task: str) -> bytes:
        report = self._reporter(task, tr("Exporting the diagram"))
        if options.format == "dot":
            scene = self._view.diagram.diagram_scene
            style = dot_style(file_style(scene, self._tokens(options)))
            return (await run_in_thread(diagram_dot, self._diagram(options), style)).encode()
        if options.format == "svg":
            return await svg_file(self._picture(options), self._screen_dots, report)
        if options.format == "png":
            image = await self._image(self._picture(options), options, report)
            return await run_in_thread(_png, image)
        return await self._pdf(options, task)

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

    async def _pdf(self, options: OutputOptions, task: str) -> bytes:
        if options.pages != "drawing":
            return await self._pdf_of_pages(options, options.page_layout, None, task)
        file = PdfFile(_DOTS, self._title)
        report = self._reporter(task, tr("Exporting the diagram"))
        await self._paint_whole(file, self._picture(options, _DOTS), report)
        return file.content

    async def _pdf_of_pages(
        self, options: OutputOptions, layout: QPageLayout, chosen: tuple[int, int] | None, task: str
    ) -> bytes:
        """``chosen`` are the first and last page, None for all."""
        file = PdfFile(_DOTS, self._title)
        layout.setMode(QPageLayout.Mode.FullPageMode)
        file.writer.setPageLayout(layout)
        picture = self._picture(options, _DOTS)
        plan = self._plan_for(options, picture.bounds, _paper(layout))
        sheets = SheetPainter(plan, picture, _DOTS, self._view.font(), file)
        await self._paint_pages(file.writer, sheets, chosen, task, file)
        return file.content

    async def _paint_whole(self, file: PdfFile, picture: DiagramPicture, report: Report) -> None:
        """Paints all on one page of its size."""
        bounds, writer = picture.bounds, file.writer
        size = bounds.size() * (_POINTS_PER_INCH / self._screen_dots)
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

    def _print(self, options: OutputOptions) -> None:
        """Opens the system's dialog for printers."""
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter  # noqa: PLC0415  # only when printing

        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        layout = options.page_layout
        printer.setPageLayout(layout)
        printer.setFullPage(True)
        printer.setDocName(self._title)
        dialog = QPrintDialog(printer, self._view)
        dialog.setObjectName("schema.print.dialog")
        dialog.setMinMax(1, self._plan(options, self._picture(options).bounds).page_count)
        dialog.finished.connect(dialog.deleteLater)
        # The printer belongs to Python and has to live until the pages are painted.
        dialog.accepted.connect(lambda: self._print_on(printer, options))
        # QPrintDialog.open() expects a slot.
        QDialog.open(dialog)

    def _print_on(self, printer: QPrinter, options: OutputOptions) -> None:
        """Prints; into a file, if that was chosen in the dialog, as any other file is written."""
        if printer.outputFileName():
            path = Path(printer.outputFileName())
            self._start(path, partial(self._print_into, path, printer, options))
            return

        def show_error(error: Exception) -> None:
            remedy = tr("See whether the printer is on and connected, or choose PDF in the dialog.")
            title = tr("The diagram could not be printed")
            self._view.notice.show_error(ErrorMessage(title, str(error), remedy))

        def show_cancelled() -> None:
            self._view.notice.show_text("accent", tr("Cancelled: nothing was printed."))

        self._tasks.start(
            _PRINT,
            self._print_pages(printer, options),
            title=tr("Printing the diagram"),
            on_error=show_error,
            on_given_up=show_cancelled,
        )

    async def _print_into(
        self, path: Path, printer: QPrinter, options: OutputOptions, permit: Permit
    ) -> None:
        task = f"{_EXPORT} {path}"
        content = await self._pdf_of_pages(options, printer.pageLayout(), _chosen(printer), task)
        await self._save(path, content, permit)

    async def _print_pages(self, printer: QPrinter, options: OutputOptions) -> None:
        dots = printer.resolution()
        picture = self._picture(options, dots)
        plan = self._plan_for(options, picture.bounds, _paper(printer.pageLayout()))
        sheets = SheetPainter(plan, picture, dots, self._view.font())
        try:
            pages = await self._paint_pages(printer, sheets, _chosen(printer), _PRINT)
        except BaseException:
            printer.abort()
            raise
        text = tr("{pages:One page was|{pages} pages were} sent to the printer.", pages=pages)
        self._view.notice.show_text("accent", text)

    # Clipboard

    def _copy_chosen(self, options: OutputOptions) -> None:
        store_options(self._view.settings, options)
        self._copy(options)

    def _copy(self, options: OutputOptions) -> None:
        def show_error(error: Exception) -> None:
            remedy = tr("Export it as SVG or PDF instead.")
            text = str(error) if isinstance(error, MemoryError) else f"{type(error).__name__}: {error}"
            self._view.notice.show_error(ErrorMessage(tr("The diagram was not copied"), text, remedy))

        title = tr("Copying the diagram")
        self._tasks.start(_COPY, self._copy_picture(options), title=title, on_error=show_error)

    async def _copy_picture(self, options: OutputOptions) -> None:
        report = self._reporter(_COPY, tr("Copying the diagram"))
        picture = self._picture(options)
        svg = await svg_file(picture, self._screen_dots, report)
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


def _table_count(diagram: Diagram, document: Document) -> int:
    """The tables in a diagram with nested ones, and those in collapsed groups."""
    groups = diagram.arrangement.groups.by_key
    tops: list[int] = []
    for box in diagram.boxes:
        group = group_of_box(box.table)
        tops += [box.table] if group is None or group not in groups else groups[group].tables
    return sum(1 + len(document.nested_below(key)) for key in tops)


def dot_style(style: DiagramStyle) -> DotStyle:
    """The colors and fonts of a style, for Graphviz."""
    tokens, fonts = style.tokens, {role: QFontInfo(style.fonts.font(role)) for role in Role}
    sizes = {role: float(font.pixelSize()) for role, font in fonts.items()}
    family = fonts[Role.NAME].family()
    heads = {table: solid_head_color(style, table).name() for table in style.kinds}
    return DotStyle(
        tokens.text, tokens.muted, tokens.edge, tokens.ground, tokens.raised, family, sizes, heads
    )


def _paper(layout: QPageLayout) -> QSizeF:
    """The size of the paper in millimeters."""
    return layout.fullRect(QPageLayout.Unit.Millimeter).size()


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


def _version_text(page: PageState) -> str:
    """The version that is shown; a file has none."""
    if page.shown_version is not None:
        return tr("committed version {version}", version=str(page.shown_version))
    is_saved = page.editing.is_saved or page.past is not None
    if page.file:
        return "" if is_saved else tr("not saved")
    number = page.editing.head.version if page.editing.head is not None else 1
    return f"HEAD v{number}" if is_saved else f"HEAD v{number}, {tr('not saved')}"
