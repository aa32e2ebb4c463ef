import { RequestError } from "./api.js";
import { CommandForm } from "./command-form.js";
import { element, setAttribute, setText, show } from "./dom.js";
import { commandState } from "./state-text.js";

let count = 0;

/**
 * A command's controls: its button, with the state and the reason, its form and its refresh control.
 *
 * A button that is off stays one that can be reached, so that the focus is kept and the reason is heard.
 */
export class CommandRow {
  root;
  #app;
  #name;
  #summary;
  #state;
  #press;
  #refresh;
  #restart;
  #logs;
  #log = element("pre", { class: "log", tabindex: "0", hidden: true });
  #form;
  #command;
  #refreshes = 0;

  /**
   * @param {import("./app.js").App} app
   * @param {string} name
   */
  constructor(app, name) {
    this.#app = app;
    this.#name = name;
    const id = `command-${++count}`;
    this.#summary = element("p", { class: "summary" });
    this.#state = element("p", { class: "state", id: `${id}-state` });
    this.#form = new CommandForm(() => this.press());
    this.#press = element(
      "button",
      {
        type: "button", class: "press", "aria-describedby": `${id}-state`,
        click: () => this.press(),
      },
      "Run", element("span", { class: "unseen" }, ` ${name}`));
    this.#refresh = element(
      "button", { type: "button", class: "refresh icon", click: () => this.refresh() }, "↻");
    this.#restart = this.#button("Restart", () => this.restart());
    this.#logs = this.#button("Log", () => this.toggleLog());
    this.root = element(
      "li", { class: "command", "data-command": name },
      element(
        "div", { class: "head" },
        element("h3", {}, name), this.#state, this.#logs, this.#restart, this.#refresh,
        this.#press),
      this.#summary, this.#form.root, this.#form.problem, this.#log);
  }

  /** A button of a service. */
  #button(text, click) {
    return element(
      "button", { type: "button", class: "service", hidden: true, click }, text,
      element("span", { class: "unseen" }, ` ${this.#name}`));
  }

  /** Shows the command as it is now. */
  update() {
    const command = this.#app.model.commands.get(this.#name);
    if (!command) return;
    this.#command = command;
    const isReadOnly = this.#app.model.panel.read_only;
    const { kind, text } = commandState(
      command, this.#app.session.isConnected, this.#app.model.journal !== null);
    setAttribute(this.root, "data-state", kind);
    setText(this.#state, text);
    setText(this.#summary, command.summary ?? "");
    setAttribute(this.#summary, "title", explanation(command) || false);
    show(this.#summary, Boolean(command.summary));
    this.#form.update(isReadOnly ? {} : command);
    show(this.#press, !isReadOnly);
    setAttribute(this.#press, "aria-disabled", String(!this.#isOn));
    show(this.#refresh, Boolean(command.refresh) && !isReadOnly);
    setAttribute(this.#refresh, "aria-disabled", String(!this.#isOn));
    this.#showRefreshing();
    const isService = command.service !== undefined;
    show(this.#logs, isService);
    show(this.#restart, isService && command.service.state !== "down" && !isReadOnly);
    setAttribute(this.#logs, "aria-expanded", String(!this.#log.hidden));
  }

  /** Starts the service again. */
  async restart() {
    await this.#attempt(() => this.#app.restart(this.#name));
  }

  /** Shows what the service has printed last, or hides it. */
  async toggleLog() {
    if (this.#log.hidden) {
      const log = await this.#attempt(() => this.#app.logOf(this.#name));
      if (log === false) return;
      setText(this.#log, log || "nothing has been printed");
    }
    show(this.#log, this.#log.hidden);
    setAttribute(this.#logs, "aria-expanded", String(!this.#log.hidden));
    if (!this.#log.hidden) this.#log.scrollTop = this.#log.scrollHeight;
  }

  /** Whether a filter leaves it. */
  matches(text) {
    const { name, summary = "", group = "" } = this.#command ?? { name: this.#name };
    return `${name} ${summary} ${group}`.toLowerCase().includes(text.toLowerCase());
  }

  async press() {
    if (!this.#isOn) return this.#app.announce(`${this.#name}: ${this.#state.textContent}`);
    await this.#attempt(async () => {
      const execution = await this.#app.presses.execute(this.#name, this.#form.given);
      if (execution === null) return;
      this.#form.forgetSecrets();
      this.#app.selection.select(execution);
    });
  }

  /** Presses the refresh control, which is busy until the execution has ended. */
  async refresh() {
    if (!this.#command.refresh || !this.#isOn) return;
    this.#refreshes += 1;
    this.#showRefreshing();
    const isStarted = await this.#attempt(async () =>
      (await this.#app.presses.refresh(this.#name)) !== null);
    if (!isStarted) this.endRefreshing();
  }

  /** One of the refreshes has ended. */
  endRefreshing() {
    this.#refreshes = Math.max(0, this.#refreshes - 1);
    this.#showRefreshing();
  }

  /** Nothing more will be heard of the refreshes. */
  forgetRefreshes() {
    this.#refreshes = 0;
    this.#showRefreshing();
  }

  get #isOn() {
    return this.#app.session.isConnected && this.#command.enabled;
  }

  #showRefreshing() {
    const isBusy = this.#refreshes > 0;
    setAttribute(this.#refresh, "aria-busy", String(isBusy));
    setAttribute(
      this.#refresh, "aria-label", `${isBusy ? "Refreshing" : "Refresh"} ${this.#name}`);
  }

  async #attempt(action) {
    this.#form.forgive();
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.#form.complain(error);
      return false;
    }
  }
}

/** What a command is, what it needs and what it runs, as far as its definition says so. */
function explanation({ description, needs = [], needs_in_order: inOrder, steps = [] }) {
  const needed = needs.length > 0 && `Needs: ${needs.join(", ")}${inOrder ? ", in order" : ""}`;
  const runs = steps.length > 0 && `Runs: ${steps.join("; ")}`;
  return [description, needed, runs].filter(Boolean).join("\n\n");
}
