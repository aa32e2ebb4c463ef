import { isActive } from "./model.js";

const NONE = { ended: [], active: [] };

/** What the page knows of the executions of each command. */
export class Records {
  #model;
  /** @type {Map<string, {ended: Execution[], active: Execution[]}> | null} null to count again */
  #byCommand = null;

  /**
   * @typedef {import("./model.js").Execution} Execution
   * @param {import("./model.js").Model} model
   */
  constructor(model) {
    this.#model = model;
    for (const type of ["commands", "execution", "executions"]) {
      model.addEventListener(type, () => (this.#byCommand = null));
    }
  }

  /**
   * The executions of a command, the latest last.
   *
   * @param {string} name
   */
  of(name) {
    this.#byCommand ??= this.#count();
    return this.#byCommand.get(name) ?? NONE;
  }

  /** Whether the last execution of a command that has ended has failed. */
  hasFailed(name) {
    return this.of(name).ended.at(-1)?.state === "failed";
  }

  #count() {
    const all = new Map();
    const { executions, commands } = this.#model;
    for (const command of commands.values()) {
      const earlier = earlierOf(command).filter(({ id }) => !executions.has(id));
      if (earlier.length > 0) all.set(command.name, { ended: earlier, active: [] });
    }
    for (const execution of executions.values()) {
      if (!all.has(execution.command)) all.set(execution.command, { ended: [], active: [] });
      const { ended, active } = all.get(execution.command);
      (isActive(execution) ? active : ended).push(execution);
    }
    return all;
  }
}

/** The latest results of a command, of executions that may no longer be kept, the latest last. */
function earlierOf({ name, recent = [], last }) {
  return recent.toReversed().map(({ id, state, duration = 0, up_to_date: isUpToDate }) => {
    const ended = id === last?.id ? last.ended ?? duration : duration;
    return { id, command: name, state, up_to_date: isUpToDate, started: ended - duration, ended };
  });
}
