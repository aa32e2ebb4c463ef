import { RequestError } from "./api.js";
import { arrange, element, setAttribute, setText, show } from "./dom.js";
import { elapsedText } from "./execution-row.js";
import { JSONText } from "./json-text.js";
import { isActive } from "./model.js";
import { OutputNeeds } from "./output-needs.js";
import { commandAddress } from "./route.js";
import { address } from "./selection.js";
import { executionState, failureText, inputText, requesterText, waitText } from "./state-text.js";
import { clockText, durationText } from "./time-text.js";

/** Waiting for less than this many seconds is not worth a word. */
const SHORT = 0.1;
/** What the panel shows in place of a secret, which it does not take back. */
const MASK = "***";

/** What an execution is: its command, input, state, times, failure, and what can be done about it. */
export class OutputHead {
  #app;
  #title = document.getElementById("output-title");
  #given = document.getElementById("output-input");
  #state = document.getElementById("output-state");
  #facts = document.getElementById("output-facts");
  #error = document.getElementById("output-error");
  #cancel = document.getElementById("cancel");
  #again = document.getElementById("again");
  #againWith = document.getElementById("again-with");
  #needs;

  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.#app = app;
    this.#needs = new OutputNeeds(app.api);
    this.#cancel.addEventListener("click", () => app.cancel(app.selection.id));
    this.#again.addEventListener("click", () => this.#repeat());
    this.#againWith.addEventListener("click", () => this.#openForm());
  }

  get #execution() {
    return this.#app.model.executions.get(this.#app.selection.id);
  }

  /** @param {import("./model.js").Execution} execution */
  draw(execution) {
    const { model, session } = this.#app;
    setText(this.#title, `${execution.command} #${execution.id}`);
    setText(this.#given, inputText(execution.input));
    setText(this.#state, executionState(execution));
    this.#drawFacts(execution);
    this.#needs.draw(execution, model);
    setText(this.#error, failureText(execution.error));
    show(this.#error, Boolean(execution.error));
    const isReadOnly = model.panel.read_only;
    const isCancelling = execution.state === "cancelling";
    show(this.#cancel, isActive(execution) && !isReadOnly);
    setText(this.#cancel, isCancelling ? "Cancelling…" : "Cancel");
    setAttribute(this.#cancel, "aria-disabled", String(isCancelling || !session.isConnected));
    const command = model.commands.get(execution.command);
    const isThere = Boolean(command) && !isReadOnly;
    const isSecret = String(execution.input).includes(MASK);
    show(this.#again, isThere && !isActive(execution) && !isSecret);
    show(this.#againWith, isThere && (command.open || command.params?.length > 0));
    const isOff = !session.isConnected || !command?.enabled;
    setAttribute(this.#again, "aria-disabled", String(isOff));
    setAttribute(this.#again, "title", command?.enabled === false && (command.reason ?? "not enabled"));
  }

  #drawFacts(execution) {
    const facts = [];
    const add = (name, text, title = false) => facts.push(this.#fact(name, text, title));
    const since = execution.started ?? execution.created;
    add("when", dayText(since) + clockText(since), new Date(since * 1000).toLocaleString());
    add("time", elapsedText(execution, this.#app.model.now));
    const waited = (execution.started ?? execution.created) - execution.created;
    if (waited >= SHORT) add("waited", `waited ${durationText(waited)}`);
    if (execution.waits) add("holder", waitText(execution));
    const { code, command } = execution.error ?? {};
    // The error of a need has the need's status.
    if (Number.isInteger(code) && command === execution.command) add("status", `status ${code}`);
    if (execution.attempt > 1) add("attempt", `attempt ${execution.attempt}`);
    if (execution.worker) add("worker", `on ${execution.worker}`);
    if (execution.batch) add("batch", `batch ${execution.batch}`);
    const { hub } = execution;
    if (hub) add("hub", `number ${hub} in the hub`, `raclette attach ${hub}`);
    if (execution.by) add("by", requesterText(execution.by));
    if (execution.cancelled_by) add("cancelled", `cancelled ${requesterText(execution.cancelled_by)}`);
    if (execution.for) {
      const fact = this.#fact("for", "", false);
      const link = element("a", { href: address(execution.for) }, `#${execution.for}`);
      fact.replaceChildren("needed by ", link);
      facts.push(fact);
    }
    arrange(this.#facts, facts);
  }

  /** The item of a fact, which stays the same while it is shown. */
  #fact(name, text, title) {
    const known = this.#facts.querySelector(`[data-fact=${name}]`);
    const fact = known ?? element("li", { "data-fact": name });
    if (text !== "") setText(fact, text);
    setAttribute(fact, "title", title);
    return fact;
  }

  /** Executes the same again. */
  async #repeat() {
    const { input, command } = this.#execution;
    if (this.#again.ariaDisabled === "true") return this.#app.announce(this.#again.title);
    try {
      const { presses, selection } = this.#app;
      await selection.follow(presses.repeat(command, documentOf(input)));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.#app.notify(error.message);
    }
  }

  /** Opens the form of the command with this input, as if it were typed. */
  #openForm() {
    const { input, command } = this.#execution;
    const { open, params } = this.#app.model.commands.get(command);
    const isOpen = open && params.length === 0;
    const members = isOpen ? [["JSON", documentOf(input) ?? ""]] : input?.members ?? [];
    const typed = members.filter(([, value]) => !String(value).includes(MASK));
    this.#app.drafts.keep(
      command, Object.fromEntries(typed.map(([name, value]) => [name, typedText(value)])));
    this.#app.route.go(commandAddress(command));
  }
}

/** What one would type for a value; a truth is a box to tick. */
function typedText(value) {
  if (typeof value === "boolean") return value;
  return value instanceof JSONText ? (value.elements?.join("\n") ?? String(value)) : value ?? "";
}

function documentOf(input) {
  return input === undefined || input instanceof JSONText ? input?.toString() : JSON.stringify(input);
}

/** The day before a time, unless it is today. */
function dayText(seconds) {
  const date = new Date(seconds * 1000);
  return date.toDateString() === new Date().toDateString() ? "" : `${date.toLocaleDateString()} `;
}
