import { element, setAttribute } from "./dom.js";
import { JSONText } from "./json-text.js";

/** More rows and columns are not drawn: browsers need long for them. */
const MOST_ROWS = 1_000;
const MOST_COLUMNS = 24;

/** Records as a table, which the heads of its columns sort. */
export class ValueTable {
  root = element("div", { class: "value-table", tabindex: 0, role: "region", "aria-label": "Table" });
  #columns = [];
  #rows = [];
  #sorted = null;

  /**
   * @param {JSONText[]} records
   * @param {JSONText[]} before those of the last run
   */
  show(records, before) {
    const columns = new Set();
    this.#rows = records.map((record, place) => {
      const cells = new Map(record.members);
      const old = new Map(before[place]?.members ?? []);
      for (const name of cells.keys()) columns.add(name);
      return { place, cells, old };
    });
    this.#columns = [...columns].slice(0, MOST_COLUMNS);
    if (!columns.has(this.#sorted?.name)) this.#sorted = null;
    this.#draw();
  }

  #sort(name) {
    const isSame = this.#sorted?.name === name;
    this.#sorted = isSame && this.#sorted.direction < 0
      ? null : { name, direction: isSame ? -1 : 1 };
    this.#draw();
    this.root.querySelector(`th:nth-child(${this.#columns.indexOf(name) + 2}) button`)?.focus();
  }

  #draw() {
    const heads = this.#columns.map((name) => {
      const direction = this.#sorted?.name === name ? this.#sorted.direction : 0;
      const isNumber = isNumeric(this.#rows[0]?.cells.get(name));
      const head = element("th", { scope: "col", class: isNumber && "number" },
        element("button", { type: "button", click: () => this.#sort(name) }, name));
      setAttribute(head, "aria-sort", [direction < 0 && "descending", false, "ascending"][
        direction + 1]);
      return head;
    });
    const rows = this.#inOrder().slice(0, MOST_ROWS).map(({ place, cells, old }) =>
      element("tr", {}, element("th", { scope: "row" }, String(place + 1)),
        ...this.#columns.map((name) => cell(cells.get(name), old.get(name), old.size > 0))));
    const parts = [element("table", {},
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "#"), ...heads)),
      element("tbody", {}, ...rows))];
    if (this.#rows.length > MOST_ROWS) {
      const rest = (this.#rows.length - MOST_ROWS).toLocaleString("en");
      parts.push(element("p", { class: "nothing" }, `… ${rest} more rows`));
    }
    this.root.replaceChildren(...parts);
  }

  #inOrder() {
    if (!this.#sorted) return this.#rows;
    const { name, direction } = this.#sorted;
    return this.#rows.toSorted((one, other) =>
      direction * compare(one.cells.get(name), other.cells.get(name)));
  }
}

function isNumeric(value) {
  return value instanceof JSONText && value.isNumber;
}

function cell(value, old, hasOld) {
  const text = value === undefined ? "" : String(value);
  const isNumber = isNumeric(value);
  const was = old === undefined ? "" : String(old);
  const isChanged = hasOld && was !== text;
  return element("td", {
    class: [isNumber && "number", isChanged && "changed"].filter(Boolean).join(" "),
    title: isChanged && `was ${was || "not there"}`,
  }, text);
}

/** Numbers before texts, by their size, exactly where they are integers. */
function compare(one, other) {
  const isNumber = [one, other].map(isNumeric);
  if (isNumber[0] !== isNumber[1]) return isNumber[0] ? -1 : 1;
  if (!isNumber[0]) return String(one ?? "").localeCompare(String(other ?? ""));
  const [first, second] = [one, other].map((value) =>
    (/^-?\d+$/.test(String(value)) ? BigInt(String(value)) : value.approximation));
  return first < second ? -1 : first > second ? 1 : 0;
}
