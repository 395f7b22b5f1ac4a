"use strict";
(() => {
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const nothing = document.getElementById("nothing");
  const others = document.querySelectorAll("main > header, .diagram, section.changes");
  const sections = [...document.querySelectorAll("section.table")];
  const items = [...document.querySelectorAll("nav li")];
  const texts = sections.map((section, index) => (section.textContent + " " + items[index].innerHTML).toLowerCase());
  let timer = 0;

  function show() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    sections.forEach((section, index) => {
      const fits = words.every(word => texts[index].includes(word));
      section.hidden = items[index].hidden = !fits;
      count += fits ? 1 : 0;
    });
    others.forEach(part => { part.hidden = words.length > 0; });
    nothing.hidden = count > 0 || words.length === 0;
    found.textContent = words.length === 0
      ? "" : found.dataset.text.replace("%1", String(count)).replace("%2", String(sections.length));
  }
  function clear() {
    if (search.value) {
      search.value = "";
      show();
    }
  }
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(show, 80);
  });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && document.activeElement !== search) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "Escape") {
      clear();
    }
  });
  // A link may lead to a table that the search hides.
  window.addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.closest("[hidden]")) {
      clear();
      target.scrollIntoView();
    }
  });

  const drawing = document.getElementById("drawing");
  const svg = drawing && drawing.querySelector("svg");
  if (!svg) {
    return;
  }
  const size = svg.viewBox.baseVal;
  let scale = 1;
  function zoom(factor) {
    const x = (drawing.scrollLeft + drawing.clientWidth / 2) / drawing.scrollWidth;
    const y = (drawing.scrollTop + drawing.clientHeight / 2) / drawing.scrollHeight;
    scale = Math.min(4, Math.max(0.02, factor));
    svg.setAttribute("width", size.width * scale);
    svg.setAttribute("height", size.height * scale);
    drawing.scrollLeft = x * drawing.scrollWidth - drawing.clientWidth / 2;
    drawing.scrollTop = y * drawing.scrollHeight - drawing.clientHeight / 2;
  }
  const fit = () => zoom(Math.min(1.3, (drawing.clientWidth - 20) / size.width));
  document.querySelectorAll("[data-zoom]").forEach(button => button.addEventListener("click", () => {
    ({in: () => zoom(scale * 1.25), out: () => zoom(scale / 1.25), fit})[button.dataset.zoom]();
  }));
  fit();
})();
