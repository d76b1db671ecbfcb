"use strict";

// Tables: a click on a heading sorts by its column, another one the other way round.
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
      // What has no value stays at the end.
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

// The planner: as planner.py does it.
const form = document.getElementById("planner");
const digits = (value) => value >= 999.5 ? Math.round(value).toLocaleString("en")
  : Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 });

function planFor(data, fleet) {
  const options = data.scenarios[fleet.scenario].options;
  const settled = options.filter((one) => !one.experimental);
  const strong = settled.filter((one) => one.level >= fleet.level);
  const rekeys = Math.floor(fleet.minutes * 60 / fleet.rekey);
  const known = strong.filter((one) => one.ms[fleet.basis]);
  const costs = known.map((option) => {
    const ms = option.ms[fleet.basis] + data.round_trips * fleet.rtt + (fleet.kbit > 0 ? 8 * option.bytes / fleet.kbit : 0);
    const phi = ms / 1000 / (fleet.rekey + ms / 1000);
    const joule = rekeys * fleet.power * ms / 1000;
    return { option, ms, phi, joule, share: joule / (3600 * fleet.battery) };
  });
  const fitting = costs.filter((one) => one.phi <= data.most_phi && one.share <= data.most_energy)
    .sort((a, b) => a.ms - b.ms);
  const tied = fitting.filter((one) => Math.max(one.phi, one.share) <= data.no_matter
    || one.ms <= fitting[0].ms * (1 + data.noise));
  const chosen = [...tied].sort((a, b) =>
    b.option.level - a.option.level || a.option.bytes - b.option.bytes || a.ms - b.ms)[0];
  return { chosen, tied, fitting, rekeys, costly: costs.length - fitting.length,
    below: settled.length - strong.length, experimental: options.length - settled.length,
    unmeasured: strong.length - known.length };
}

function reason(found) {
  const leftOut = [[found.below, "below the level"], [found.experimental, "experimental"],
    [found.costly, "too costly"], [found.unmeasured, "without a measured rekey"]].filter(([count]) => count)
    .map(([count, words]) => `${count} ${words}`);
  const out = leftOut.length ? ` Left out: ${leftOut.join(", ")}.` : "";
  if (!found.chosen) {
    const remedies = [[found.costly, "rekey less often"], [found.below, "lower the level"]]
      .filter(([count]) => count).map(([, words]) => words);
    return `Nothing fits: ${remedies.join(" or ") || "no suite of this run may be proposed"}.${out}`;
  }
  if (found.fitting.length === 1) return `The only one that fits.${out}`;
  if (found.tied.length > 1) {
    return `Of ${found.tied.length} that cost as little as makes no difference, the highest level, then the fewest bytes.${out}`;
  }
  const second = found.fitting[1];
  return `The fastest; next is ${second.option.name} with ${digits(second.ms)} ms.${out}`;
}

function show() {
  const data = JSON.parse(document.getElementById("planner-data").textContent);
  const fields = Object.fromEntries(new FormData(form));
  const fleet = { scenario: fields.scenario, basis: fields.basis };
  for (const name of ["battery", "minutes", "rekey", "kbit", "rtt", "power", "level"]) {
    fleet[name] = Number(fields[name]);
  }
  const place = document.getElementById("plan");
  place.replaceChildren();
  const say = (tag, words) => {
    const part = document.createElement(tag);
    part.textContent = words;
    place.append(part, " ");
    return part;
  };
  if (!(fleet.battery > 0 && fleet.minutes > 0 && fleet.rekey > 0)) {
    say("span", "Battery, flight and rekey interval must be more than zero.");
    return;
  }
  const found = planFor(data, fleet);
  if (!found.chosen) {
    say("strong", reason(found));
    return;
  }
  const { option, ms, phi, joule, share } = found.chosen;
  const name = say("a", option.name + (option.cipher ? ` · ${option.cipher}` : ""));
  name.href = option.href;
  name.className = "pick";
  say("span", `level ${option.level}. A rekey takes about ${digits(ms)} ms on this link; `
    + `${found.rekeys} rekeys take ${digits(100 * phi)} % of the time and ${digits(joule)} J, `
    + `${digits(100 * share)} % of the battery.`);
  say("span", reason(found));
}

if (form) {
  form.addEventListener("input", (event) => {
    if (event.target.name === "scenario") {
      const data = JSON.parse(document.getElementById("planner-data").textContent);
      form.elements.power.value = data.scenarios[event.target.value].power_w;
    }
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}
