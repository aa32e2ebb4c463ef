import { elapsedText } from "./execution-row.js";
import { isActive } from "./model.js";

/**
 * The steps of an execution as sections of its output, which fold. In a run that is opened after its
 * end, the steps that have succeeded are folded.
 */
export class OutputSteps {
  #list;
  /** @type {import("./model.js").Execution | null} */
  #execution = null;
  #now = 0;
  /** Whether the execution had ended when it was first seen. */
  #isPast = false;
  /** What the reader has folded or opened, by the lines of headings. */
  #chosen = new Map();
  #folds = "";
  #drawn = "";

  /** @param {import("./output-list.js").OutputList} list */
  constructor(list) {
    this.#list = list;
    list.viewport.addEventListener("click", ({ target }) => {
      const row = target.closest(".fold")?.closest(".row");
      if (row) this.#toggle(Number(row.dataset.line) - 1);
    });
  }

  get #steps() {
    return this.#list.record.steps;
  }

  /** Begins with the output of another execution. */
  clear() {
    this.#execution = null;
    this.#isPast = false;
    this.#chosen.clear();
    this.#folds = "";
  }

  /**
   * @param {import("./model.js").Execution} execution
   * @param {number} now
   */
  draw(execution, now) {
    this.#isPast = this.#execution === null ? !isActive(execution) : this.#isPast;
    this.#execution = execution;
    this.#now = now;
    this.update();
  }

  /** Shows the steps that there are now, as they stand. */
  update() {
    const steps = this.#steps;
    if (steps.length === 0 || this.#execution === null) return;
    const last = this.standing(steps.length - 1);
    const drawn = `${steps.length} ${last.state} ${last.time}`;
    if (drawn !== this.#drawn) this.#list.rows.update(steps.at(-2)?.line ?? steps[0].line);
    this.#drawn = drawn;
    const ranges = steps.flatMap(({ line }, index) =>
      this.#isFolded(index) ? [[line + 1, steps[index + 1]?.line ?? Infinity]] : []);
    const folds = ranges.join(" ");
    if (folds === this.#folds) return;
    this.#folds = folds;
    this.#list.rows.arrange(() => this.#list.layout.fold(ranges));
    this.#list.finder.place();
  }

  /** The place among the steps of that with a heading. */
  indexOf(line) {
    return this.#steps.findIndex((step) => step.line === line);
  }

  /** How a step stands: its state, the time it took or takes, and whether it is folded. */
  standing(index) {
    const [step, next] = this.#steps.slice(index, index + 2);
    const state = this.#state(index);
    const ended = next?.time ?? this.#execution?.ended;
    const time = elapsedText({ state, started: step.time, ended }, this.#now || step.time);
    return { state, time, isFolded: this.#isFolded(index) };
  }

  /** Opens the step that has a line, if it is folded. */
  open(line) {
    if (!this.#list.layout.isFolded(line)) return;
    const index = this.#steps.findLastIndex((step) => step.line < line);
    this.#choose(index, false);
  }

  #toggle(line) {
    const index = this.indexOf(line);
    if (index < 0) return;
    // The heading stays where it is, also if there are more rows below it now.
    this.#list.rows.follow(false);
    this.#choose(index, !this.#isFolded(index));
  }

  #choose(index, isFolded) {
    this.#chosen.set(this.#steps[index].line, isFolded);
    this.update();
  }

  #isFolded(index) {
    const { line, count } = this.#steps[index];
    const isFolded = this.#isPast && count > 1 && this.#state(index) === "completed";
    return this.#chosen.get(line) ?? isFolded;
  }

  /** A step that another one follows has completed, unless that begins a further attempt. */
  #state(index) {
    const [step, next] = this.#steps.slice(index, index + 2);
    if (!next) return this.#execution?.state ?? "running";
    return next.number > step.number ? "completed" : "failed";
  }
}
