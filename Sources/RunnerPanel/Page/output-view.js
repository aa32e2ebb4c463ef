import { setAttribute, setText, show } from "./dom.js";
import { elapsedText } from "./execution-row.js";
import { onNextFrame } from "./frame.js";
import { isActive } from "./model.js";
import { OutputList } from "./output-list.js";
import { OutputTools } from "./output-tools.js";
import { executionState, failureText, inputText } from "./state-text.js";

/** The selected execution: what it is, how it stands, its output. */
export class OutputView {
  #app;
  #list;
  #root = document.getElementById("output");
  #title = document.getElementById("output-title");
  #given = document.getElementById("output-input");
  #state = document.getElementById("output-state");
  #facts = document.getElementById("output-facts");
  #error = document.getElementById("output-error");
  #cancel = document.getElementById("cancel");
  #prompt = document.getElementById("prompt");
  #line = document.getElementById("prompt-line");
  #schedule = onNextFrame(() => this.#draw());

  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.#app = app;
    this.#list = new OutputList();
    new OutputTools(app, this.#list);
    const { model, session, selection, clock } = app;
    selection.addEventListener("change", () => this.#begin());
    model.addEventListener("execution", ({ detail }) => {
      // The first one is shown at once; after that the reader chooses.
      if (selection.id === null) selection.propose(detail.id);
      if (detail.id !== selection.id) return;
      if (!isActive(detail)) this.#list.end();
      this.#schedule();
    });
    model.addEventListener("executions", this.#schedule);
    model.addEventListener("joined", ({ detail }) => {
      if (detail.execution === selection.id) selection.propose(detail.into);
    });
    session.addEventListener("state", this.#schedule);
    session.addEventListener("renewed", ({ detail }) => this.#renew(detail.isOther));
    session.addEventListener("output", ({ detail }) => this.#take(detail));
    clock.addEventListener("tick", () => {
      if (this.#execution && isActive(this.#execution)) this.#schedule();
    });
    this.#cancel.addEventListener("click", () => app.cancel(selection.id));
    this.#prompt.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
  }

  /** The list of lines, for keys. */
  get list() {
    return this.#list;
  }

  get #execution() {
    return this.#app.model.executions.get(this.#app.selection.id);
  }

  /** Sends the line of the field. It stays there if it did not arrive. */
  async #send() {
    const { id } = this.#app.selection;
    const { value } = this.#line;
    if (!this.#app.session.isConnected || !(await this.#app.send(id, value))) return;
    // Somebody may have gone on typing, or looked at another execution.
    if (this.#line.value === value) this.#line.value = "";
  }

  #begin() {
    this.#line.value = "";
    this.#list.clear();
    this.#look();
    this.#schedule();
  }

  /** Everything was loaded anew. */
  #renew(isOther) {
    const { model, selection } = this.#app;
    if (isOther) {
      this.#list.clear();
      selection.clear();
    }
    const latest = [...model.executions.keys()].at(-1);
    if (selection.id === null && latest !== undefined) selection.propose(latest);
    else this.#look();
    this.#schedule();
  }

  #look() {
    const { id } = this.#app.selection;
    const from = this.#list.record.next;
    this.#app.connection.look(id === null ? [] : [{ execution: id, from }]);
  }

  #take(outputs) {
    const { record } = this.#list;
    let isComplete = true;
    for (const output of outputs) {
      if (output.execution !== this.#app.selection.id) continue;
      isComplete = record.take(output) && isComplete;
    }
    this.#list.update();
    if (!isComplete) this.#look();
  }

  #draw() {
    const execution = this.#execution;
    const { id } = this.#app.selection;
    show(this.#root.querySelector(".nothing"), !execution);
    show(this.#root.querySelector(".something"), Boolean(execution));
    setText(
      this.#root.querySelector(".nothing"),
      id === null ? "Nothing was executed yet." : `Execution #${id} is not kept any more.`);
    if (!execution) return;
    setAttribute(this.#root, "data-state", execution.state);
    setText(this.#title, `${execution.command} #${execution.id}`);
    setText(this.#given, inputText(execution.input));
    setText(this.#state, executionState(execution));
    setText(this.#facts, this.#factsOf(execution));
    setText(this.#error, failureText(execution.error));
    show(this.#error, Boolean(execution.error));
    this.#list.describe(`Output of ${execution.command} #${execution.id}`);
    const isReadOnly = this.#app.model.panel.read_only;
    show(
      this.#prompt,
      Boolean(execution.takes_lines) && execution.state === "running" && !isReadOnly);
    const isCancelling = execution.state === "cancelling";
    show(this.#cancel, isActive(execution) && !isReadOnly);
    setText(this.#cancel, isCancelling ? "Cancelling…" : "Cancel");
    const isOff = isCancelling || !this.#app.session.isConnected;
    setAttribute(this.#cancel, "aria-disabled", String(isOff));
  }

  #factsOf(execution) {
    const facts = [elapsedText(execution, this.#app.model.now)];
    if (execution.attempt > 1) facts.push(`attempt ${execution.attempt}`);
    if (execution.worker) facts.push(`on ${execution.worker}`);
    if (execution.batch) facts.push(`batch ${execution.batch}`);
    if (execution.for) facts.push(`needed by #${execution.for}`);
    return facts.join(", ");
  }
}
