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

// A table that is clipped fades at that side, and a line below it says how much there is.
for (const box of document.querySelectorAll(".scroll")) {
  const more = document.createElement("p");
  more.className = "more";
  box.after(more);
  const hidden = (cells, end, of) => cells.filter((cell) => of(cell.getBoundingClientRect()) > end + 8).length;
  const look = () => {
    const table = box.querySelector("table"), edge = box.getBoundingClientRect();
    const right = hidden([...table.tHead.rows[0].cells], edge.right, (at) => at.right);
    const down = hidden([...table.tBodies[0].rows], edge.bottom, (at) => at.bottom);
    box.classList.toggle("right", right > 0);
    box.classList.toggle("down", down > 0);
    const say = (count, word, arrow) => count ? [`${count} more ${word}${count > 1 ? "s" : ""} ${arrow}`] : [];
    more.textContent = [...say(down, "row", "↓"), ...say(right, "column", "→")].join(", ");
  };
  box.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(box);
}

// A link to a list of cells opens it.
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener("hashchange", openTarget);
openTarget();

// Copies a suite or a line of configuration; a browser without a clipboard selects it.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(button.previousElementSibling);
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
    }
  });
}

// Charts: the library draws each specification. On a narrow page the name of a row stands above its
// marks, so that they have the whole width.
const narrow = matchMedia("(max-width: 600px)");
function fit(spec) {
  for (const part of [spec, ...(spec.layer ?? [])]) {
    const axis = part.encoding?.y?.field === "label" && part.encoding.y.axis;
    if (!axis) continue;
    const step = Math.max((part.height ?? spec.height).step, 34);
    (part.height ?? spec.height).step = step;
    Object.assign(axis, {
      grid: false, labelAlign: "left", labelBaseline: "bottom", labelPadding: -2, labelOffset: 10 - step / 2,
    });
  }
  spec.config.axis.labelLimit = 0.9 * innerWidth;
}
async function draw() {
  for (const chart of document.querySelectorAll(".chart")) {
    const spec = JSON.parse(chart.querySelector("script").textContent);
    if (narrow.matches) fit(spec);
    await vegaEmbed(chart.querySelector("div"), spec, { actions: false, renderer: "svg" });
  }
  document.body.dataset.drawn = "yes";
}
narrow.addEventListener("change", draw);
draw();
