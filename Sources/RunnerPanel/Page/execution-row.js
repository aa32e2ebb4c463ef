import { element, setAttribute, setText } from "./dom.js";
import { isActive } from "./model.js";
import { address } from "./selection.js";
import { makeSign, setSign } from "./sign.js";
import { causeText, elapsed, endText, executionState, failureText, inputText, lastErrorLine, waitText } from "./state-text.js";
import { ageText, clockText, durationText } from "./time-text.js";

const PARTS = ["name", "number", "given", "state", "why", "attempt", "began", "elapsed"];

/** An execution in the list: a link to its output. */
export class ExecutionRow {
  root;
  link;
  execution;
  #sign = makeSign();
  #parts = {};

  /** @param {import("./model.js").Execution} execution */
  constructor(execution) {
    this.execution = execution;
    for (const part of PARTS) this.#parts[part] = element("span", { class: part });
    this.#parts.state.classList.add("unseen");
    setText(this.#parts.name, execution.command);
    setText(this.#parts.number, `#${execution.id}`);
    this.link = element(
      "a", { href: address(execution.id), tabindex: -1 }, this.#sign, ...spaced(this.#parts));
    this.root = element("li", { "data-execution": execution.id }, this.link);
  }

  /**
   * @param {number} now in seconds since 1970
   * @param {boolean} isSelected
   */
  update(now, isSelected) {
    const { execution } = this;
    const state = executionState(execution);
    const reason = lastErrorLine(execution.error) ?? execution.error?.message;
    // What the sign says already is only for those who hear the page.
    const news = state === "completed" ? "" : endText(execution) || state;
    setAttribute(this.root, "data-state", execution.state);
    setAttribute(this.link, "aria-current", isSelected && "true");
    setSign(this.#sign, execution.state);
    setText(this.#parts.given, inputText(execution.input));
    setText(this.#parts.state, state === news || news === "" ? state : `${state},`);
    setText(this.#parts.why, [news, waitText(execution), reason, causeText(execution)].filter(Boolean).join(" · "));
    setAttribute(this.#parts.why, "title", failureText(execution.error) || false);
    setText(this.#parts.attempt, execution.attempt > 1 ? `attempt ${execution.attempt}` : "");
    setAttribute(this.#parts.began, "title", clockText(execution.started ?? execution.created));
    this.tick(now);
  }

  /** Shows the time that has gone by. */
  tick(now) {
    const { execution } = this;
    setText(this.#parts.began, ageText(now - (execution.started ?? execution.created)));
    setText(this.#parts.elapsed, elapsedText(execution, now));
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
