"""The dialog for the output of the diagram: format, part, colors and pages, with a preview."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QPushButton, QSpinBox, QVBoxLayout, QWidget

from cdb_desktop.foundation.i18n import tr
from cdb_desktop.schema.diagram.groups import group_of_box
from cdb_desktop.ui.schema.diagram.style import mixed, solid_head_color
from cdb_desktop.ui.schema.form.fields import CheckField, ChoiceField
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
from cdb_desktop.ui.widgets.labels import Label
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
        if options.part not in source.parts:
            options = replace(options, part="all")
        self.options = options
        self.format = ChoiceField("schema.output.format", self)
        self.part = ChoiceField("schema.output.part", self)
        self.colors = ChoiceField("schema.output.colors", self)
        self.scale = self._percent("schema.output.scale", SCALES)
        self.transparent = CheckField("schema.output.transparent", self)
        self.pages = ChoiceField("schema.output.pages", self)
        self.paper = ChoiceField("schema.output.paper", self)
        self.landscape = CheckField("schema.output.landscape", self)
        self.paper_scale = self._percent("schema.output.paper_scale", PAPER_SCALES)
        self.heading = CheckField("schema.output.heading", self)
        self.legend = CheckField("schema.output.legend", self)
        self.size_note = named("schema.output.size", Label(self))
        self.preview = OutputPreview(appearance, self)
        self._form = QFormLayout()
        self.copy_button = named("schema.output.copy", QPushButton(tr("Cop&y"), self))
        self._fill()
        self._lay_out()
        self._connect()
        self._show()

    def _percent(self, name: str, limits: tuple[int, int]) -> QSpinBox:
        field = named(name, QSpinBox(self))
        field.setRange(*limits)
        field.setSingleStep(25)
        field.setSuffix(" %")
        return field

    def _fill(self) -> None:
        options = self.options
        formats: list[tuple[str, object]] = [
            (tr("SVG, a searchable drawing"), "svg"),
            (tr("PNG, a picture"), "png"),
            (tr("PDF, a document"), "pdf"),
            (tr("DOT, source for Graphviz"), "dot"),
            (tr("Paper"), "paper"),
        ]
        self.format.show_choices(formats, options.format)
        self.part.show_choices([(text, part) for part, text in self._source.parts.items()], options.part)
        colors: list[tuple[str, object]] = [
            (tr("as on the screen"), "screen"),
            (tr("light"), "light"),
            (tr("dark"), "dark"),
        ]
        self.colors.show_choices(colors, options.colors)
        self.paper.show_choices([(name, name) for name in PAPERS], options.paper)
        self.scale.setValue(options.scale)
        self.paper_scale.setValue(options.paper_scale)
        self.transparent.setText(tr("&Transparent background"))
        self.landscape.setText(tr("Lan&dscape"))
        self.heading.setText(tr("Title, &version and date"))
        self.legend.setText(tr("&Legend"))
        for box, on in (
            (self.transparent, options.transparent),
            (self.landscape, options.landscape),
            (self.heading, options.heading),
            (self.legend, options.legend),
        ):
            box.show_checked(on=on)

    def _lay_out(self) -> None:
        form = self._form
        form.setSpacing(GAP)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(tr("&Format"), self.format)
        form.addRow(tr("&Part"), self.part)
        form.addRow(tr("C&olors"), self.colors)
        form.addRow(tr("&Scale"), self.scale)
        form.addRow("", self.transparent)
        form.addRow(tr("Pa&ges"), self.pages)
        form.addRow(tr("Pape&r"), self.paper)
        form.addRow("", self.landscape)
        form.addRow(tr("Scal&e"), self.paper_scale)
        form.addRow("", self.heading)
        form.addRow("", self.legend)
        fields = QWidget(self)
        fields.setFixedWidth(_FIELDS_WIDTH)
        left = QVBoxLayout(fields)
        left.setContentsMargins(0, 0, 0, 0)
        left.addLayout(form)
        left.addStretch(1)
        right = QVBoxLayout()
        right.setSpacing(GAP)
        right.addWidget(self.preview, stretch=1)
        right.addWidget(self.size_note)
        both = QHBoxLayout()
        both.setSpacing(GROUP)
        both.addWidget(fields)
        both.addLayout(right, stretch=1)
        self.size_note.setWordWrap(True)
        self.body.addLayout(both, stretch=1)
        self._buttons.insertWidget(0, self.copy_button)
        self._level(self.copy_button)
        self.copy_button.setAutoDefault(False)
        self.copy_button.setToolTip(tr("Copies the picture at this scale, and as SVG"))
        self.setMinimumWidth(_WIDTH)

    def _connect(self) -> None:
        for field in (self.format, self.part, self.colors, self.pages, self.paper):
            field.decided.connect(self._show)
        for box in (self.transparent, self.landscape, self.heading, self.legend):
            box.decided.connect(self._show)
        for spin in (self.scale, self.paper_scale):
            spin.valueChanged.connect(self._show)
        self.accept_button.clicked.connect(self._agree)
        self.copy_button.clicked.connect(lambda: self.copy_requested.emit(self.options))

    def _agree(self) -> None:
        self.close()
        self.agreed.emit(self.options)

    def _show(self) -> None:
        """Takes the fields into the options, and shows what they mean."""
        chosen = str(self.format.currentData())
        pages: list[tuple[str, object]] = [
            (tr("one, as large as the diagram"), "drawing"),
            (tr("one, fitted to the paper"), "fit"),
            (tr("as many as needed"), "tiles"),
        ]
        kind = self.pages.currentData() or self.options.pages
        if chosen == "paper":
            pages = pages[1:]
            kind = "fit" if kind == "drawing" else kind
        self.pages.show_choices(pages, kind)
        self.options = OutputOptions(
            format=self.format.currentData(),
            part=self.part.currentData(),
            colors=self.colors.currentData(),
            scale=self.scale.value(),
            transparent=self.transparent.isChecked(),
            pages=kind,
            paper=self.paper.currentData(),
            landscape=self.landscape.isChecked(),
            paper_scale=self.paper_scale.value(),
            heading=self.heading.isChecked(),
            legend=self.legend.isChecked(),
        )
        self._show_fields()
        self._show_result()

    def _show_fields(self) -> None:
        options = self.options
        has_paper = options.has_pages
        for field, on in (
            (self.colors, True),
            (self.scale, options.format == "png"),
            (self.transparent, options.format == "png"),
            (self.pages, options.format in ("pdf", "paper")),
            (self.paper, has_paper),
            (self.landscape, has_paper),
            (self.paper_scale, has_paper and options.pages == "tiles"),
            (self.heading, options.format != "dot"),
            (self.legend, options.format != "dot"),
        ):
            self._form.setRowVisible(field, on)
        accept = tr("Print…") if options.format == "paper" else tr("Export…")
        self.set_texts(tr("Export or print the diagram"), "", accept)
        self.copy_button.setVisible(options.format in ("svg", "png"))

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
            painter.setPen(_pen(tokens.edge))
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
        painter.setPen(_pen(color.name()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._lines)
        for box in picture.diagram.boxes:
            painter.setBrush(QColor(tokens.ground))
            painter.drawRect(QRectF(box.x, box.y, box.width, box.height))
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
            painter.setPen(_pen(accent))
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


def _pen(color: str) -> QPen:
    pen = QPen(QColor(color), 1.0)
    pen.setCosmetic(True)
    return pen
