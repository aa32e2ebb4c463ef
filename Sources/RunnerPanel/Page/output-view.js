import { setAttribute, setText, show } from "./dom.js";
import { onNextFrame } from "./frame.js";
import { isActive } from "./model.js";
import { OutputHead } from "./output-head.js";
import { OutputList } from "./output-list.js";
import { OutputPlace } from "./output-place.js";
import { OutputTools } from "./output-tools.js";
import { ValuesView } from "./values-view.js";

/** The selected execution: what it is, how it stands, its output. */
export class OutputView {
  #app;
  #head;
  #list;
  #values;
  #place;
  #root = document.getElementById("output");
  #none = document.getElementById("no-output");
  #prompt = document.getElementById("prompt");
  #line = document.getElementById("prompt-line");
  #schedule = onNextFrame(() => this.#draw());

  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.#app = app;
    this.#head = new OutputHead(app);
    this.#list = new OutputList(
      (sentence) => app.announce(sentence), () => this.#values.showLog());
    this.#values = new ValuesView(app, this.#list);
    new OutputTools(app, this.#list);
    this.#place = new OutputPlace(this.#list, app.selection);
    const { model, session, selection, clock } = app;
    selection.addEventListener("change", () => this.#begin());
    model.addEventListener("execution", ({ detail }) => {
      // The first one is shown at once; after that the reader chooses.
      if (selection.id === null) selection.propose(detail.id);
      if (detail.id !== selection.id) return;
      if (!isActive(detail)) this.#list.end();
      this.#schedule();
    });
    for (const type of ["executions", "gone", "commands", "enabled"]) {
      model.addEventListener(type, this.#schedule);
    }
    model.addEventListener("joined", ({ detail }) => {
      if (detail.execution === selection.id) selection.propose(detail.into);
    });
    session.addEventListener("state", this.#schedule);
    session.addEventListener("renewed", ({ detail }) => this.#renew(detail.isOther));
    session.addEventListener("output", ({ detail }) => this.#take(detail));
    clock.addEventListener("tick", () => {
      if (this.#execution && isActive(this.#execution)) this.#schedule();
    });
    this.#prompt.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    document.addEventListener("keydown", (event) => this.#findKey(event));
  }

  /** The list of lines, for keys. */
  get list() {
    return this.#list;
  }

  get #execution() {
    return this.#app.model.executions.get(this.#app.selection.id);
  }

  /** The browser's own search sees the lines in view alone; a second press opens it. */
  #findKey(event) {
    const isFind = event.key === "f" && (event.ctrlKey || event.metaKey) && !event.altKey;
    if (!isFind || event.shiftKey || document.querySelector("dialog[open]")) return;
    const isAbove = this.#root.contains(document.activeElement)
      || document.body.dataset.view === "output";
    if (!isAbove || document.activeElement.id === "search" || !this.#execution) return;
    event.preventDefault();
    this.#list.startSearch();
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
    this.#values.clear();
    this.#look();
    this.#schedule();
  }

  /** Everything was loaded again. */
  #renew(isOther) {
    const { model, selection } = this.#app;
    if (isOther) {
      this.#list.clear();
      this.#values.clear();
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
    this.#values.update();
    this.#place.update(this.#execution?.outputs ?? 0);
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
    this.#head.draw(execution);
    this.#list.steps.draw(execution, this.#app.model.now);
    this.#list.describe(`Output of ${execution.command} #${execution.id}`);
    show(this.#none, !isActive(execution) && execution.outputs === 0);
    const isReadOnly = this.#app.model.panel.read_only;
    show(
      this.#prompt,
      Boolean(execution.takes_lines) && execution.state === "running" && !isReadOnly);
  }
}
