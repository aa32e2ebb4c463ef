import { RequestError } from "./api.js";
import { element, setAttribute, setText, show } from "./dom.js";
import { JSONText } from "./json-text.js";
import { OutputTabs } from "./output-tabs.js";
import { ValueChart } from "./value-chart.js";
import { ValueTable } from "./value-table.js";

/** More values of other kinds are only in the log. */
const MOST = 200;
/** For how many milliseconds values are collected before they are drawn again. */
const PAUSE = 250;

/** What an execution has sent but texts: numbers as a curve, records as a table, the rest as JSON. */
export class ValuesView {
  #app;
  #list;
  #bar = document.getElementById("output-tabs");
  #count = document.getElementById("value-count");
  #panel = document.getElementById("values");
  #comparison = element("p", { class: "comparison" });
  #chart = new ValueChart();
  #table = new ValueTable();
  #others = element("ol", { class: "other-values" });
  #tabs = new OutputTabs(this.#bar, (panel) => this.#choose(panel));
  #drawn = -1;
  #timer = null;
  /** The values of the last run of the command, and its number. */
  #last = { id: null, values: [] };

  /**
   * @param {import("./app.js").App} app
   * @param {import("./output-list.js").OutputList} list
   */
  constructor(app, list) {
    this.#app = app;
    this.#list = list;
    this.#panel.append(this.#comparison, this.#chart.root, this.#table.root, this.#others);
    this.#choose("log");
  }

  /** Begins with nothing. */
  clear() {
    this.#last = { id: null, values: [] };
    this.#drawn = -1;
    this.#choose("log");
    this.update();
  }

  /** Shows what the record has now. */
  update() {
    const { valueCount } = this.#list.record;
    show(this.#bar, valueCount > 0);
    setText(this.#count, valueCount === 0 ? "" : valueCount.toLocaleString("en"));
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#draw();
    }, PAUSE);
  }

  /** Gives the lines their place again. */
  showLog() {
    if (!this.#panel.hidden) this.#choose("log");
  }

  #choose(panel) {
    this.#tabs.show(panel);
    this.#draw();
  }

  #draw() {
    const { values, valueCount } = this.#list.record;
    if (this.#panel.hidden || this.#drawn === valueCount) return;
    if (this.#drawn < 0) this.#compare();
    this.#drawn = valueCount;
    const now = sorted(values);
    const before = sorted(this.#last.values);
    show(this.#chart.root, now.numbers.length > 1);
    if (now.numbers.length > 1) this.#chart.show(now.numbers, before.numbers);
    show(this.#table.root, now.records.length > 0);
    if (now.records.length > 0) this.#table.show(now.records, before.records);
    const others = now.numbers.length > 1 ? now.others : [...now.numbers, ...now.others];
    this.#others.replaceChildren(
      ...others.slice(0, MOST).map((value) => element("li", {}, String(value))));
    this.#tellDifference(values);
  }

  /** Loads what the run before has sent. */
  async #compare() {
    const { model, selection, api } = this.#app;
    const { id } = selection;
    const command = model.executions.get(id)?.command;
    const older = [...model.executions.values()].filter((execution) =>
      execution.command === command && execution.id < id && execution.state === "completed");
    const last = older.at(-1);
    if (!last) return;
    try {
      const { events } = await api.values(last.id, 0);
      if (id !== selection.id) return;
      const values = events.map((event) => event.value).filter((value) => typeof value !== "string");
      this.#last = { id: last.id, values };
      this.#drawn = 0;
      this.#draw();
    } catch (error) {
      // It is not kept any more: there is nothing to compare with.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  #tellDifference(values) {
    const { id, values: before } = this.#last;
    show(this.#comparison, id !== null && before.length > 0);
    if (id === null) return;
    const length = Math.max(values.length, before.length);
    let count = 0;
    for (let place = 0; place < length; place += 1) {
      if (String(values[place]) !== String(before[place])) count += 1;
    }
    const what = count === 0 ? "the same as" : `${count} of ${length} differ from`;
    setText(this.#comparison, `Values: ${what} those of #${id}`);
    setAttribute(this.#comparison, "data-same", count === 0);
  }
}

/** Numbers, records and others; a list stands for its elements where it is the only value. */
function sorted(values) {
  const only = values.length === 1 && values[0] instanceof JSONText ? values[0].elements : null;
  const kinds = { numbers: [], records: [], others: [] };
  for (const value of only ?? values) {
    if (!(value instanceof JSONText)) kinds.others.push(value);
    else if (value.isNumber) kinds.numbers.push(value);
    else if (String(value)[0] === "{") kinds.records.push(value);
    else kinds.others.push(value);
  }
  return kinds;
}
