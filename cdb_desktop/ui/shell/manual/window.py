"""The window of the manual: contents and search at the left, the topic at the right."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QByteArray, QEvent, QRegularExpression, QSettings, QSignalBlocker, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QDesktopServices,
    QFont,
    QImage,
    QKeySequence,
    QPalette,
    QResizeEvent,
    QShortcut,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFragment,
    QTextOption,
    QTextTable,
    QTextTableFormat,
)
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QTextBrowser,
    QTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from cdb_desktop.foundation.bundle import resource
from cdb_desktop.foundation.i18n import language, tr
from cdb_desktop.ui.shell.manual.markup import MarkerNames, topic_markdown
from cdb_desktop.ui.shell.manual.topics import topic_pages
from cdb_desktop.ui.theme.appearance import Appearance
from cdb_desktop.ui.theme.icons import icon
from cdb_desktop.ui.theme.measures import BAR, GAP, GROUP, MARGIN, scaled
from cdb_desktop.ui.theme.style_sheets import LINE_EDIT
from cdb_desktop.ui.widgets.buttons import IconButton
from cdb_desktop.ui.widgets.help import MANUAL
from cdb_desktop.ui.widgets.input_handling import on_key
from cdb_desktop.ui.widgets.layout import Splitter, lay_out
from cdb_desktop.ui.widgets.object_names import named
from cdb_desktop.ui.widgets.toolbar import Toolbar
from cdb_desktop.vocabulary.manual import contents, search, search_words, topic_text, topic_title

_WIDTH, _HEIGHT, _LEFT = 1040, 760, 300
_TELLING = 3  # letters of a word that is marked on the page, unless all words are shorter
_MARK_OPACITY = 0.3
_LINE = 54  # widths of a letter M in the longest line of text
_RESIZING = 100  # milliseconds after which the picture gets another width
_PICTURE_RATIO = 2.0  # pixels of a picture to a pixel of the window
_GEOMETRY, _SIZE = "manual/geometry", "manual/font_size"
_SMALLEST, _LARGEST = 6.0, 36.0  # points
_ROWS = "QTreeView::item { padding: 3px 0; }"
_ADDRESS = Qt.ItemDataRole.UserRole


class ManualWindow(QWidget):
    """A window of its own, so that it can be used while a dialog of the main window is open.

    It is deleted when it is closed. Place, size and zoom are stored in the settings; at first, it is at the
    side of the screen where ``beside`` leaves more room.
    """

    def __init__(self, appearance: Appearance, settings: QSettings, beside: QWidget) -> None:
        super().__init__()
        self.setObjectName("manual")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        self._appearance = appearance
        self._settings = settings
        self._shown = QUrl()
        self._words: list[str] = []
        self.browser = named("manual.text", TopicBrowser(appearance, self))
        self.search = named("manual.search", QLineEdit(self, clearButtonEnabled=True))
        self.tree = named("manual.contents", QTreeWidget(self))
        self.find_line = named("manual.find", QLineEdit(self, clearButtonEnabled=True))
        self._create_layout()
        self._connect()
        self._restore(beside)
        self._list()

    def open_topic(self, topic: str, section: str = "") -> None:
        """Shows a topic from its beginning, or from a heading of it; a search for something else ends."""
        self.search.clear()
        self.find_line.clear()
        self.browser.open(_address(topic, section))
        self.show()
        self.raise_()
        self.activateWindow()
        self.browser.setFocus()

    def _list(self) -> None:
        """Lists what was found for the words in the line of the search, or else all chapters and topics."""
        typed = self.search.text()
        self._words = search_words(typed)
        with QSignalBlocker(self.tree):
            self.tree.clear()
            if self._words:
                self._list_hits(typed)
            else:
                self._list_contents()
        self._follow()
        if self._words:
            self.tree.scrollToTop()  # the best hits, even if the page that is shown is far below them
        self._highlight()

    def _list_contents(self) -> None:
        bold = scaled(self.font(), 1, QFont.Weight.DemiBold)
        for chapter in contents().chapters:
            head = QTreeWidgetItem(self.tree, [chapter.titles[language()]])
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            head.setFont(0, bold)
            for topic in chapter.topics:
                _add(head, topic_title(topic.name, language()), _address(topic.name))
        self.tree.expandAll()

    def _list_hits(self, typed: str) -> None:
        hits = search(topic_pages(language()).values(), typed)
        for hit in hits:
            address = _address(hit.topic, f"s{hit.section}" if hit.section else "")
            title = f"{hit.title} › {hit.heading}" if hit.heading else hit.title
            found = _add(self.tree.invisibleRootItem(), title, address)
            snippet = _add(found, hit.snippet, address)
            snippet.setForeground(0, self.palette().placeholderText())
        if not hits:
            nothing = QTreeWidgetItem(self.tree, [tr("Nothing found")])
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
        self.tree.expandAll()

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        address = item.data(0, _ADDRESS) if item is not None else None
        if isinstance(address, QUrl):
            self.browser.open(address)

    def _open_link(self, target: QUrl) -> None:
        """Opens another topic beside what was found, or starts an action."""
        if target.scheme() == MANUAL:
            self.browser.open(target)
        else:
            QDesktopServices.openUrl(target)

    def _follow(self) -> None:
        """Shows the topic of the page as the current one in the contents, and its title in the title bar."""
        shown = self._shown
        topic = shown.path()
        is_known = topic in {each.name for each in contents().topics}
        self.setWindowTitle(
            tr("{title} – Manual", title=topic_title(topic, language())) if is_known else tr("Manual")
        )
        current = self.tree.currentItem()
        if current is not None and _is_of(current, shown):
            return
        with QSignalBlocker(self.tree):
            everything = self.tree.findItems("*", _ANY)
            self.tree.setCurrentItem(next((item for item in everything if _is_of(item, shown)), None))  # type: ignore[arg-type]

    def _highlight(self) -> None:
        """Marks what was typed to be found on the page, and else the words of the search."""
        typed = self.find_line.text()
        telling = [word for word in self._words if len(word) >= _TELLING] or self._words
        beginnings = "|".join(rf"\b{QRegularExpression.escape(word)}" for word in telling)
        self.browser.mark(QRegularExpression.escape(typed) if typed else beginnings)

    def _find_first(self) -> None:
        self._highlight()
        if self.find_line.text():
            self.browser.moveCursor(QTextCursor.MoveOperation.Start)
            self._find_next()

    def _find_next(self) -> None:
        self.browser.go_to(self.find_line.text())

    def _find_previous(self) -> None:
        self.browser.go_to(self.find_line.text(), backward=True)

    def _step_back(self) -> None:
        """Clears the line that has the focus, or closes the window."""
        for line in (self.search, self.find_line):
            if line.hasFocus() and line.text():
                line.clear()
                return
        self.close()

    def _connect(self) -> None:
        self.search.textChanged.connect(self._list)
        self.search.returnPressed.connect(self._choose_first)
        self.find_line.textChanged.connect(self._find_first)
        self.find_line.returnPressed.connect(self._find_next)
        self.tree.currentItemChanged.connect(self._choose)
        self.tree.itemClicked.connect(self._choose)
        self.browser.sourceChanged.connect(self._show_page)
        self.browser.anchorClicked.connect(self._open_link)
        on_key("Down", self.search, self.tree.setFocus)
        on_key("Shift+Return", self.find_line, self._find_previous)
        for keys, act in (
            ("Escape", self._step_back),
            ("F3", self._find_next),
            ("Shift+F3", self._find_previous),
            ("Alt+Left", self.browser.backward),
            ("Alt+Right", self.browser.forward),
            ("Ctrl++", self.browser.zoomIn),
            ("Ctrl+=", self.browser.zoomIn),
            ("Ctrl+-", self.browser.zoomOut),
            ("Ctrl+0", self.browser.reset_zoom),
            ("Ctrl+F", self._focus_find),
            ("Ctrl+K", self._focus_search),
            ("F1", self._focus_search),
            ("Ctrl+W", self.close),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(act)

    def _show_page(self, shown: QUrl) -> None:
        self._shown = shown  # the browser still has the previous one
        self._follow()
        self._highlight()

    def _choose_first(self) -> None:
        first = self.tree.topLevelItem(0)
        if first is not None:
            self.tree.setCurrentItem(first)
            self.tree.setFocus()

    def _focus_find(self) -> None:
        self.find_line.setFocus()
        self.find_line.selectAll()

    def _focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _restore(self, beside: QWidget) -> None:
        room, other = beside.screen().availableGeometry(), beside.frameGeometry()
        left, right = other.left() - room.left(), room.right() - other.right()
        width = min(_WIDTH, max(left, right, room.width() // 2, self.minimumSizeHint().width()))
        height = min(_HEIGHT, room.height() - 2 * BAR)
        x = room.left() if left > right else room.right() - width
        self.setGeometry(x, room.top() + BAR, width, height)
        kept = self._settings.value(_GEOMETRY)
        if isinstance(kept, QByteArray):
            self.restoreGeometry(kept)
        size = self._settings.value(_SIZE, 0.0, type=float)
        if isinstance(size, float) and _SMALLEST <= size <= _LARGEST:
            self.browser.set_font_size(size)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        self._settings.setValue(_GEOMETRY, self.saveGeometry())
        self._settings.setValue(_SIZE, self.browser.font().pointSizeF())
        super().closeEvent(event)

    def _create_layout(self) -> None:
        buttons = (
            ("back", "previous", tr("Back (Alt+Left)"), self.browser.backward),
            ("forward", "next", tr("Forward (Alt+Right)"), self.browser.forward),
            ("smaller", "zoom-out", tr("Smaller (Ctrl+-)"), self.browser.zoomOut),
            ("larger", "zoom-in", tr("Larger (Ctrl++)"), self.browser.zoomIn),
        )
        bar, made = Toolbar(self), {}
        for name, picture, tip, act in buttons:
            button = made[name] = named(
                f"manual.{name}", IconButton(icon(picture, self._appearance), tip, self)
            )
            button.clicked.connect(lambda _checked=False, act=act: act())
        self.browser.backwardAvailable.connect(made["back"].setEnabled)
        self.browser.forwardAvailable.connect(made["forward"].setEnabled)
        for name in ("back", "forward"):
            made[name].setEnabled(False)
        bar.add(made["back"], made["forward"])
        bar.push()
        bar.add(self.find_line)
        bar.add(made["smaller"], made["larger"], gap=GAP)
        for line, text in ((self.search, tr("Search the manual")), (self.find_line, tr("Find on this page"))):
            line.setPlaceholderText(text)
            line.setAccessibleName(text)
            line.setStyleSheet(LINE_EDIT)
        self.find_line.setFixedWidth(_LEFT * 3 // 4)
        self.tree.setHeaderHidden(True)
        self.tree.setStyleSheet(_ROWS)
        self.tree.setWordWrap(True)
        self.tree.setRootIsDecorated(False)
        self.tree.setFrameShape(QFrame.Shape.NoFrame)
        self.tree.setAccessibleName(tr("Contents"))
        self.tree.setHeaderLabel(tr("Contents"))  # for assistive technology
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        left, right, sides = QWidget(self), QWidget(self), Splitter(parent=self)
        lay_out(QVBoxLayout(left), self.search, self.tree, margins=(GAP, GAP, GAP, 0), spacing=GAP)
        lay_out(QVBoxLayout(right), bar, self.browser)
        left.setAutoFillBackground(True)
        left.setBackgroundRole(QPalette.ColorRole.Base)
        sides.addWidget(left)
        sides.addWidget(right)
        sides.setSizes([_LEFT, _WIDTH - _LEFT])
        lay_out(QVBoxLayout(self), sides)


_ANY = Qt.MatchFlag.MatchWildcard | Qt.MatchFlag.MatchRecursive


def _address(topic: str, section: str = "") -> QUrl:
    return QUrl(f"{MANUAL}:{topic}#{section}" if section else f"{MANUAL}:{topic}")


def _add(parent: QTreeWidgetItem, text: str, address: QUrl) -> QTreeWidgetItem:
    item = QTreeWidgetItem(parent, [text])
    item.setData(0, _ADDRESS, address)
    item.setToolTip(0, text)
    return item


def _is_of(item: QTreeWidgetItem, shown: QUrl) -> bool:
    address = item.data(0, _ADDRESS)
    return isinstance(address, QUrl) and address.path() == shown.path()


class TopicBrowser(QTextBrowser):
    """Shows topics by their addresses, in the colors in use."""

    def __init__(self, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._names = MarkerNames()
        self._own_size = self.font().pointSizeF()
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WordWrap)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self.setAccessibleName(tr("Topic"))
        self.document().setDocumentMargin(MARGIN)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # pictures have one width
        self.sourceChanged.connect(self._lay_out)
        appearance.changed.connect(self._show_again)
        self._room = 0  # pixels for the width of the picture, if the topic has one
        self._refit = QTimer(self, singleShot=True, interval=_RESIZING)
        self._refit.timeout.connect(self._show_again)

    def open(self, address: QUrl) -> None:
        """Shows a topic from its beginning, or from a heading of it, ``#s1`` for the second."""
        self.setSource(address, QTextDocument.ResourceType.MarkdownResource)

    def loadResource(self, kind: int, name: QUrl | str) -> object:  # noqa: N802
        """The Markdown of a topic, or a picture; nothing else is ever loaded."""
        path = QUrl(name).path()
        if kind == QTextDocument.ResourceType.ImageResource.value:
            return self._picture(path)
        if QUrl(name).scheme() != MANUAL:
            return None
        self._room = 0
        return topic_markdown(topic_text(path, language()), self._names)

    def mark(self, pattern: str) -> None:
        """Marks all places of a regular expression, none if it is empty; case does not count."""
        look, colour = QTextCharFormat(), QColor(self._appearance.tokens.warning)
        colour.setAlphaF(_MARK_OPACITY)
        look.setBackground(colour)
        marked: list[QTextEdit.ExtraSelection] = []
        expression = QRegularExpression(pattern, QRegularExpression.PatternOption.CaseInsensitiveOption)
        found = self.document().find(expression) if pattern else QTextCursor()
        while not found.isNull():
            selection = QTextEdit.ExtraSelection()
            selection.cursor, selection.format = found, look
            marked.append(selection)
            found = self.document().find(expression, found)
        self.setExtraSelections(marked)

    def go_to(self, text: str, *, backward: bool = False) -> None:
        """Goes to the next or previous place of ``text``, from the last one to the first."""
        flags = QTextDocument.FindFlag.FindBackward if backward else QTextDocument.FindFlag(0)
        if text and not self.find(text, flags):
            operations = QTextCursor.MoveOperation
            self.moveCursor(operations.End if backward else operations.Start)
            self.find(text, flags)

    def set_font_size(self, points: float) -> None:
        """Sets the size of the text."""
        self.zoomInF(points - self.font().pointSizeF())

    def reset_zoom(self) -> None:
        """Shows the text in the size of the platform."""
        self.set_font_size(self._own_size)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Wraps at the width of the window, or earlier if lines would become too long."""
        most = _LINE * self.fontMetrics().horizontalAdvance("M") + 2 * MARGIN
        self.setLineWrapColumnOrWidth(max(1, min(self.viewport().width(), most)))
        if self._room not in (0, self._picture_room()):
            self._refit.start()

    def _picture_room(self) -> int:
        return int(_PICTURE_RATIO * (self.lineWrapColumnOrWidth() - 2 * MARGIN))

    def _picture(self, path: str) -> QImage:
        picture = QImage(str(resource(f"manual/pictures/{language()}/{path.removeprefix('pictures/')}")))
        self._room = self._picture_room()
        if picture.width() > self._room > 0:
            picture = picture.scaledToWidth(self._room, Qt.TransformationMode.SmoothTransformation)
        picture.setDevicePixelRatio(_PICTURE_RATIO)
        return picture

    def _show_again(self) -> None:
        """Shows the topic in other colors or another width, at the same place."""
        if not self.source().isEmpty():
            place = self.verticalScrollBar().value()
            self.reload()
            self.verticalScrollBar().setValue(place)

    def _lay_out(self, shown: QUrl) -> None:
        """Sets what Markdown leaves open: distances, grounds, and the names of headings."""
        tokens = self._appearance.tokens
        ground, lines = QColor(tokens.raised), QColor(tokens.handle)
        code, place = QTextCharFormat(), QTextCursor(self.document())
        code.setBackground(ground)
        headings = 0
        place.beginEditBlock()
        for block in _blocks(self.document()):
            look, runs = block.blockFormat(), list(_runs(block))
            place.setPosition(block.position())
            place.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            look.setLineHeight(_LINE_HEIGHT, _PROPORTIONAL)
            if look.headingLevel():
                name = QTextCharFormat()
                name.setAnchorNames([f"s{headings}"])
                place.mergeCharFormat(name)
                headings += 1
            _keep_apart(block, look, is_cell=place.currentTable() is not None)
            if look.hasProperty(_CODE):
                look.setBackground(ground)
                look.setNonBreakableLines(False)
            place.setBlockFormat(look)
            for run in runs:
                if run.charFormat().fontFixedPitch() and not look.hasProperty(_CODE):
                    place.setPosition(run.position())
                    place.setPosition(run.position() + run.length(), QTextCursor.MoveMode.KeepAnchor)
                    place.mergeCharFormat(code)
        for table in self.document().rootFrame().childFrames():
            if isinstance(table, QTextTable):
                form = table.format()
                form.setBorderBrush(lines)
                form.setBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
                form.setBorderCollapse(True)
                form.setCellPadding(GAP // 2 + 1)
                form.setTopMargin(GAP)
                form.setBottomMargin(GROUP)
                table.setFormat(form)
        place.endEditBlock()
        if shown.hasFragment():
            self.scrollToAnchor(shown.fragment())


_LINE_HEIGHT = 130  # percent
_PROPORTIONAL = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
_CODE = QTextFormat.Property.BlockCodeFence


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _runs(block: QTextBlock) -> Iterator[QTextFragment]:
    """The parts of a block that look different."""
    run = block.begin()
    while not run.atEnd():
        yield run.fragment()
        run += 1


def _keep_apart(block: QTextBlock, look: QTextBlockFormat, *, is_cell: bool) -> None:
    """Sets the distance to the next block; lines of code and cells have none."""
    is_code, following = look.hasProperty(_CODE), block.next()
    goes_on = is_code and following.isValid() and following.blockFormat().hasProperty(_CODE)
    distance = GAP // 2 if block.textList() is not None else GAP + (0 if look.headingLevel() else 2)
    look.setTopMargin(MARGIN if look.headingLevel() else 0)
    look.setBottomMargin(0 if is_cell or goes_on else distance)
    if is_code:
        look.setLeftMargin(GROUP)
