import { isActive } from "./model.js";

/** How many results of a command are kept at least, of executions that the page has forgotten too. */
const RESULTS = 30;

/** What the page knows of the executions of each command, brought up to date one by one. */
export class Records {
  #model;
  /** @type {Map<string, Runs> | null} null to count again */
  #byCommand = null;
  #failed = new Set();
  #active = 0;

  /**
   * @typedef {import("./model.js").Execution} Execution
   * @typedef {{ended: Execution[], active: Execution[], isWhole: boolean}} Runs `isWhole` once it has the
   *   results of executions before those of the page
   * @param {import("./model.js").Model} model
   */
  constructor(model) {
    this.#model = model;
    for (const type of ["commands", "executions"]) {
      model.addEventListener(type, () => (this.#byCommand = null));
    }
    model.addEventListener("execution", ({ detail }) => this.#take(detail));
    model.addEventListener("gone", ({ detail }) => detail.forEach((each) => this.#forget(each)));
  }

  /**
   * The executions of a command, the latest last.
   *
   * @param {string} name
   * @returns {Runs}
   */
  of(name) {
    const runs = this.#runs(name);
    if (runs.isWhole) return runs;
    runs.isWhole = true;
    const command = this.#model.commands.get(name);
    if (!command) return runs;
    const known = new Set([...runs.ended, ...runs.active].map(({ id }) => id));
    runs.ended.unshift(...earlierOf(command).filter(({ id }) => !known.has(id)));
    return runs;
  }

  /** Whether the last execution of a command that has ended has failed. */
  hasFailed(name) {
    return this.failed.has(name);
  }

  /** The names of the commands whose last execution has failed. */
  get failed() {
    this.#count();
    return this.#failed;
  }

  /** How many executions go on. */
  get active() {
    this.#count();
    return this.#active;
  }

  #runs(name) {
    this.#count();
    let runs = this.#byCommand.get(name);
    if (!runs) {
      runs = { ended: [], active: [], isWhole: false };
      this.#byCommand.set(name, runs);
    }
    return runs;
  }

  #count() {
    if (this.#byCommand !== null) return;
    this.#byCommand = new Map();
    this.#active = 0;
    const { executions, commands } = this.#model;
    for (const execution of executions.values()) {
      const { ended, active } = this.#runs(execution.command);
      (isActive(execution) ? active : ended).push(execution);
      if (isActive(execution)) this.#active += 1;
    }
    for (const { ended } of this.#byCommand.values()) ended.sort((one, other) => one.ended - other.ended);
    this.#failed = new Set();
    for (const { name, last } of commands.values()) {
      const latest = this.#byCommand.get(name)?.ended.at(-1) ?? last;
      if (latest?.state === "failed") this.#failed.add(name);
    }
  }

  #take(execution) {
    if (this.#byCommand === null) return;
    const { ended, active } = this.#runs(execution.command);
    const place = active.lastIndexOf(execution);
    if (isActive(execution)) {
      if (place >= 0) return;
      active.push(execution);
      this.#active += 1;
      return;
    }
    if (place >= 0) {
      active.splice(place, 1);
      this.#active -= 1;
    }
    if (!ended.includes(execution)) ended.push(execution);
    const hasFailed = ended.at(-1).state === "failed" && this.#model.commands.has(execution.command);
    if (hasFailed) this.#failed.add(execution.command);
    else this.#failed.delete(execution.command);
  }

  /** The model keeps an execution no longer; its result stays among the latest. */
  #forget(execution) {
    if (this.#byCommand === null) return;
    const { ended, active } = this.#runs(execution.command);
    const place = active.lastIndexOf(execution);
    if (place >= 0) {
      active.splice(place, 1);
      this.#active -= 1;
    }
    const { executions } = this.#model;
    while (ended.length > RESULTS && !executions.has(ended[0].id)) ended.shift();
  }
}

/** The latest results of a command, of executions that may no longer be kept, the latest last. */
function earlierOf({ name, recent = [], last }) {
  return recent.toReversed().map(({ id, state, duration = 0, up_to_date: isUpToDate }) => {
    const ended = id === last?.id ? last.ended ?? duration : duration;
    return { id, command: name, state, up_to_date: isUpToDate, started: ended - duration, ended };
  });
}
