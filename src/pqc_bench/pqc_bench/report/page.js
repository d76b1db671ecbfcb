"use strict";

// Tables: a click on a heading sorts by its column, a second click reverses the order.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.addEventListener("click", () => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => {
      const cell = row.cells[column];
      return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
    };
    const order = (a, b) => {
      // Cells without a value stay at the end.
      const empty = a.cells[column].className === "none";
      if (empty !== (b.cells[column].className === "none")) return empty ? 1 : -1;
      const [x, y] = [key(a), key(b)];
      const less = typeof x === "number" && typeof y === "number"
        ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
      return up ? less : -less;
    };
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort(order));
  }));
}

// A link to a list of cells opens it.
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener("hashchange", openTarget);
openTarget();

// Charts: the library draws each specification, with less room for names on a narrow page.
const narrow = matchMedia("(max-width: 600px)");
async function draw() {
  for (const chart of document.querySelectorAll(".chart")) {
    const spec = JSON.parse(chart.querySelector("script").textContent);
    spec.config.axis.labelLimit = narrow.matches ? 120 : 420;
    await vegaEmbed(chart.querySelector("div"), spec, { actions: false, renderer: "svg" });
  }
  document.body.dataset.drawn = "yes";
}
narrow.addEventListener("change", draw);
draw();
