import { arrange, setText, show } from "./dom.js";
import { ExecutionRow } from "./execution-row.js";
import { onNextFrame } from "./frame.js";
import { Kept } from "./kept.js";
import { isActive } from "./model.js";
import { roving } from "./roving.js";

/** The executions, the latest first. */
export class ExecutionsView {
  #app;
  #list = document.getElementById("executions");
  #none = document.getElementById("no-execution");
  #filter = document.getElementById("runs-state");
  #kept = new Kept("sessionStorage", "runs");
  #count = document.getElementById("active-count");
  /** @type {Map<number, ExecutionRow>} */
  #rows = new Map();
  #placeTabStop = roving(this.#list);
  #schedule = onNextFrame(() => this.#draw());

  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.#app = app;
    const { model, selection, clock } = app;
    for (const type of ["execution", "executions", "gone"]) model.addEventListener(type, this.#schedule);
    selection.addEventListener("change", this.#schedule);
    app.route.addEventListener("change", this.#schedule);
    this.#filter.value = this.#kept.value ?? "";
    this.#filter.addEventListener("change", () => {
      this.#kept.value = this.#filter.value;
      this.#schedule();
    });
    clock.addEventListener("tick", () => this.#tick());
    this.#list.addEventListener("keydown", (event) => {
      const row = event.target.closest("li");
      if (event.key === "Delete" && row) app.cancel(Number(row.dataset.execution));
    });
  }

  /** Moves the focus to the selected execution, or the first. */
  focus() {
    this.#list.querySelector("a[tabindex='0']")?.focus();
  }

  #draw() {
    const { model, selection, route } = this.#app;
    const all = [...model.executions.values()].reverse();
    const wanted = this.#filter.value;
    const executions = all.filter((each) =>
      wanted === "" || each.state === wanted || (wanted === "active" && isActive(each)));
    const rows = new Map();
    for (const execution of executions) {
      const known = this.#rows.get(execution.id);
      const row = known ?? new ExecutionRow(execution);
      row.execution = execution;
      row.update(model.now, execution.id === selection.id && route.view === "run");
      rows.set(execution.id, row);
    }
    this.#rows = rows;
    arrange(this.#list, [...rows.values()].map((row) => row.root));
    this.#placeTabStop(this.#rows.get(selection.id)?.link);
    show(this.#none, executions.length === 0);
    setText(this.#none, all.length === 0 ? "Nothing was executed yet." : "No run is in this state.");
    const active = all.filter(isActive).length;
    setText(this.#count, active === 0 ? "" : String(active));
  }

  #tick() {
    const { now } = this.#app.model;
    for (const row of this.#rows.values()) row.tick(now);
  }
}
