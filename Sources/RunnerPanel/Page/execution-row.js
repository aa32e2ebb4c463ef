import { element, setAttribute, setText } from "./dom.js";
import { isActive } from "./model.js";
import { address } from "./selection.js";
import { elapsed, executionState, inputText } from "./state-text.js";
import { durationText } from "./time-text.js";

/** An execution in the list: a link to its output. */
export class ExecutionRow {
  root;
  link;
  execution;
  #parts = {};

  /** @param {import("./model.js").Execution} execution */
  constructor(execution) {
    this.execution = execution;
    for (const part of ["name", "number", "given", "worker", "attempt", "state", "elapsed"]) {
      this.#parts[part] = element("span", { class: part });
    }
    setText(this.#parts.name, execution.command);
    setText(this.#parts.number, `#${execution.id}`);
    this.link = element(
      "a", { href: address(execution.id), tabindex: -1 },
      element("span", { class: "light", "aria-hidden": "true" }), ...spaced(this.#parts));
    this.root = element("li", { "data-execution": execution.id }, this.link);
  }

  /**
   * @param {number} now in seconds since 1970
   * @param {boolean} isSelected
   */
  update(now, isSelected) {
    const { execution } = this;
    setAttribute(this.root, "data-state", execution.state);
    setAttribute(this.link, "aria-current", isSelected && "true");
    setText(this.#parts.given, inputText(execution.input));
    setText(this.#parts.worker, execution.worker ?? "");
    setText(this.#parts.attempt, execution.attempt > 1 ? `attempt ${execution.attempt}` : "");
    setText(this.#parts.state, executionState(execution));
    this.tick(now);
  }

  /** Shows the time that has gone by. */
  tick(now) {
    setText(this.#parts.elapsed, elapsedText(this.execution, now));
  }
}

/** How long an execution took, or takes: in whole seconds while it lasts. */
export function elapsedText(execution, now) {
  const time = elapsed(execution, now);
  if (!isActive(execution)) return durationText(time);
  return time < 60 ? `${Math.max(0, Math.floor(time))} s` : durationText(Math.floor(time));
}

/** The parts, with spaces for those who hear them in one go. */
function spaced(parts) {
  return Object.values(parts).flatMap((part) => [part, " "]);
}
