"""Fetches the service's own drawing of a version while somebody looks at it."""

from __future__ import annotations

from cdb_desktop.ui.schema.service_part import ServicePart

_DRAW = "schema.svg"


class Picture(ServicePart):
    """The way of the SVG from the service to the page."""

    def show(self, on: bool) -> None:
        """Shows the service's drawing, or the diagram again."""
        self._view.drawing.show_svg(on=on)
        self.load()

    def load(self) -> None:
        """Asks for the drawing of the version that is shown, if it is looked at."""
        if self._view.drawing.shows_svg and self._store.page is not None:
            self._tasks.start(_DRAW, self._load(), title=self.tr("Drawing the schema"), on_error=self._failed)

    async def _load(self) -> None:
        page = self._store.page
        version = "HEAD" if page is None or page.past is None else page.past.version or "HEAD"
        svg = await self._client.schema_file(version, "svg")
        if not self._view.drawing.svg.show_picture(svg):
            text = self.tr("The service returned an image that cannot be displayed.")
            self._view.offer.show_offer("danger", text)

    def _failed(self, error: Exception) -> None:
        self._view.offer.show_fault(self._words(error))
