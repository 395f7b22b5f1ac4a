"""The dialog for the output of the diagram: format, part, colors and pages, with a preview."""

from msgspec.structs import asdict
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QSpinBox, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.ui.schema.diagram.style import box_rect, mixed, solid_head_color, thin_pen
from cdb_desktop.ui.schema.output.picture import DiagramPicture, PagePlan
from cdb_desktop.ui.schema.output.source import (
    PAPER_SCALES,
    PAPERS,
    SCALES,
    DiagramSource,
    OutputOptions,
    image_size,
    largest_scale,
)
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.measures import GAP, GROUP
from cdb_desktop.ui.widgets.dialog import BaseDialog
from cdb_desktop.ui.widgets.form import Choice, Field, Form
from cdb_desktop.ui.widgets.labels import Label
from cdb_desktop.ui.widgets.layout import lay_out
from cdb_desktop.ui.widgets.object_names import named

_WIDTH = 860
_FIELDS_WIDTH = 360
_BYTES_PER_PIXEL, _MEGA = 4, 1_000_000


class OutputDialog(BaseDialog):
    """Chooses how the diagram is written, printed or copied.

    Signals: ``agreed`` with the OutputOptions · ``copy_requested`` with the OutputOptions.
    """

    agreed = Signal(object)
    copy_requested = Signal(object)

    def __init__(
        self, appearance: Appearance, parent: QWidget, source: DiagramSource, options: OutputOptions
    ) -> None:
        super().__init__(appearance, "schema.output", parent)
        self._source = source
        self.options = options
        self.format = Choice(
            {
                "svg": tr("SVG, a searchable drawing"),
                "png": tr("PNG, a picture"),
                "pdf": tr("PDF, a document"),
                "dot": tr("DOT, source for Graphviz"),
                "paper": tr("Paper"),
            }
        )
        colors = {"screen": tr("as on the screen"), "light": tr("light"), "dark": tr("dark")}
        self.pages = Choice(_page_texts())
        self._form = Form(
            appearance,
            "schema.output",
            Field("format", self.format, tr("&Format")),
            Field("part", Choice(source.parts), tr("&Part")),
            Field("colors", Choice(colors), tr("C&olors")),
            Field("scale", _percent(SCALES), tr("&Scale"), visible_if=lambda: self.options.format == "png"),
            Field(
                "transparent",
                QCheckBox(tr("&Transparent background")),
                visible_if=lambda: self.options.format == "png",
            ),
            Field(
                "pages", self.pages, tr("Pa&ges"), visible_if=lambda: self.options.format in ("pdf", "paper")
            ),
            Field(
                "paper",
                Choice({name: name for name in PAPERS}),
                tr("Pape&r"),
                visible_if=lambda: self.options.has_pages,
            ),
            Field("landscape", QCheckBox(tr("Lan&dscape")), visible_if=lambda: self.options.has_pages),
            Field(
                "paper_scale",
                _percent(PAPER_SCALES),
                tr("Scal&e"),
                visible_if=lambda: self.options.has_pages and self.options.pages == "tiles",
            ),
            Field(
                "heading",
                QCheckBox(tr("Title, &version and date")),
                visible_if=lambda: self.options.format != "dot",
            ),
            Field("legend", QCheckBox(tr("&Legend")), visible_if=lambda: self.options.format != "dot"),
        )
        self._form.setFixedWidth(_FIELDS_WIDTH)
        self._form.show_values(asdict(options))
        self.preview = OutputPreview(appearance, self)
        self.size_note = named("schema.output.size", Label(self, wordWrap=True))
        right = lay_out(QVBoxLayout(), self.preview, self.size_note, spacing=GAP, growing=self.preview)
        both = lay_out(QHBoxLayout(), spacing=GROUP)
        both.addWidget(self._form, alignment=Qt.AlignmentFlag.AlignTop)
        both.addLayout(right, stretch=1)
        self.body.addLayout(both, stretch=1)
        self.copy_button = named("schema.output.copy", QPushButton(tr("Cop&y"), self, autoDefault=False))
        self.copy_button.setToolTip(tr("Copies the picture at this scale, and as SVG"))
        self._buttons.insertWidget(0, self.copy_button)
        self._level(self.copy_button)
        self.setMinimumWidth(_WIDTH)
        self._form.changed.connect(self._show)
        self.accept_button.clicked.connect(self._agree)
        self.copy_button.clicked.connect(lambda: self.copy_requested.emit(self.options))
        self._show()

    def _agree(self) -> None:
        self.close()
        self.agreed.emit(self.options)

    def _show(self) -> None:
        """Takes the fields into the options, and shows what they mean."""
        pages, kind = _page_texts(), self.pages.value
        if self.format.value == "paper":
            del pages["drawing"]
            kind = "fit" if kind == "drawing" else kind
        self.pages.show_choices([(text, value) for value, text in pages.items()], kind)
        self.options = OutputOptions(**self._form.values())
        self._form.update_rows()
        accept = tr("Print…") if self.options.format == "paper" else tr("Export…")
        self.set_texts(tr("Export or print the diagram"), "", accept)
        self.copy_button.setVisible(self.options.format in ("svg", "png"))
        self._show_result()

    def _show_result(self) -> None:
        options = self.options
        picture = self._source.picture(options)
        plan = self._source.plan(options, picture.bounds) if options.has_pages else None
        self.preview.show_picture(picture, plan)
        fault = ""
        if options.format == "png":
            largest = largest_scale(picture.bounds)
            if options.scale > largest:
                fault = tr(
                    "A picture has at most 100 megapixels and 32,000 pixels on a side: here at most "
                    "{largest} %. SVG and PDF have no limit.",
                    largest=largest,
                )
        self.size_note.setText(_size_text(options, picture, plan))
        self.show_fault(fault)
        self.accept_button.setEnabled(not fault)
        self.copy_button.setEnabled(not fault)


def _percent(limits: tuple[int, int]) -> QSpinBox:
    field = QSpinBox(suffix=" %", singleStep=25)
    field.setRange(*limits)
    return field


def _page_texts() -> dict[str, str]:
    return {
        "drawing": tr("one, as large as the diagram"),
        "fit": tr("one, fitted to the paper"),
        "tiles": tr("as many as needed"),
    }


def _size_text(options: OutputOptions, picture: DiagramPicture, plan: PagePlan | None) -> str:
    """How large the output is."""
    if options.format == "png":
        size = image_size(picture.bounds, options.scale)
        memory = size.width() * size.height() * _BYTES_PER_PIXEL / _MEGA
        return tr(
            "{width} × {height} pixels, {memory} MB in memory",
            width=size.width(),
            height=size.height(),
            memory=max(round(memory), 1),
        )
    if plan is None:
        groups = sum(group_of_box(box.table) is not None for box in picture.diagram.boxes)
        tables = len(picture.diagram.boxes) - groups
        if not groups:
            return tr("{tables:One table|{tables} tables}", tables=tables)
        return tr(
            "{tables:One table|{tables} tables}, {groups:one collapsed group|{groups} collapsed groups}",
            tables=tables,
            groups=groups,
        )
    if not plan.is_divided:
        return tr("One page at {scale} %", scale=round(plan.scale * 100))
    return tr(
        "{pages} pages: an overview, and {columns} across × {rows} down",
        pages=plan.page_count,
        columns=plan.columns,
        rows=plan.rows,
    )


_SMALL, _FAINT = 0.1, 0.45  # the zoom at which lines would be darker than boxes, and their strength then
_MOST_NUMBERS = 40  # pages that have a number in the preview


class OutputPreview(QWidget):
    """A small picture of the output."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("schema.output.preview")
        self._appearance = appearance
        self._picture: DiagramPicture | None = None
        self._plan: PagePlan | None = None
        self._lines = QPainterPath()
        self.setMinimumSize(320, 280)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(440, 320)

    def show_picture(self, picture: DiagramPicture, plan: PagePlan | None) -> None:
        """Shows a picture, and the pages that it is divided among."""
        self._picture, self._plan = picture, plan
        self._lines = QPainterPath()
        for link in picture.diagram.links:
            first, *rest = link.path
            self._lines.moveTo(*first)
            for point in rest:
                self._lines.lineTo(*point)
        pages = 1 if plan is None else plan.page_count
        text = tr("Preview: {pages:one page|{pages} pages}", pages=pages)
        self.setAccessibleName(text)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        picture, tokens = self._picture, self._appearance.tokens
        if picture is None:
            return
        whole = self._whole(picture)
        room = QRectF(self.rect()).adjusted(GAP, GAP, -GAP, -GAP)
        zoom = min(room.width() / whole.width(), room.height() / whole.height())
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(tokens.raised))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(room.center())
            painter.scale(zoom, zoom)
            painter.translate(-whole.center())
            painter.fillRect(whole, QColor(picture.tokens.ground))
            painter.setClipRect(whole)
            self._paint_diagram(painter, picture, _FAINT if zoom < _SMALL else 1.0)
            painter.setClipping(False)
            self._paint_pages(painter)
            painter.setPen(thin_pen(tokens.edge))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(whole)

    def _whole(self, picture: DiagramPicture) -> QRectF:
        """The picture, or the pages that it is on."""
        plan = self._plan
        if plan is None:
            return picture.bounds
        if plan.is_divided:
            return QRectF(plan.sheets[0].part.topLeft(), plan.sheets[-1].part.bottomRight())
        paper = QRectF(QPointF(), QSizeF(plan.paper) / plan.zoom)
        paper.moveCenter(picture.bounds.center())
        return paper

    def _paint_diagram(self, painter: QPainter, picture: DiagramPicture, strength: float) -> None:
        tokens = picture.tokens
        color = mixed(QColor(tokens.handle), QColor(tokens.ground), strength)
        painter.save()
        painter.setClipRect(picture.area, Qt.ClipOperation.IntersectClip)
        picture.paint_regions(painter)
        painter.setPen(thin_pen(color.name()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._lines)
        for box in picture.diagram.boxes:
            painter.setBrush(QColor(tokens.ground))
            painter.drawRect(box_rect(box))
            painter.fillRect(
                QRectF(box.x, box.y, box.width, box.head_height), solid_head_color(picture.style, box.table)
            )
        picture.paint_labels(painter)
        painter.restore()
        picture.paint_frame(painter)

    def _paint_pages(self, painter: QPainter) -> None:
        plan = self._plan
        if plan is None or not plan.is_divided:
            return
        accent = self._appearance.tokens.accent
        for sheet in plan.sheets:
            painter.setPen(thin_pen(accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(sheet.part)
        if len(plan.sheets) > _MOST_NUMBERS:
            return
        transform = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        for sheet in plan.sheets:
            painter.setPen(QColor(accent))
            rect = transform.mapRect(sheet.part)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, str(sheet.number))
        painter.restore()
