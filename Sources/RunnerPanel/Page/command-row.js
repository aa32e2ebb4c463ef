import { RequestError } from "./api.js";
import { CommandForm } from "./command-form.js";
import { element, setAttribute, setText, show } from "./dom.js";
import { elapsedText } from "./execution-row.js";
import { commandAddress, runAddress } from "./route.js";
import { makeSign, setSign } from "./sign.js";
import { drawSpark, makeSpark, sparkText } from "./spark.js";
import { commandState, elapsed, isInTrouble } from "./state-text.js";
import { ageText, durationText } from "./time-text.js";

let count = 0;

/**
 * A command on the board: how its last execution ended, its controls, and what is to be said about it.
 *
 * A button that is off stays one that can be reached, so that the focus is kept and the reason is heard.
 */
export class CommandRow {
  root;
  #app;
  #name;
  #head;
  #sign = makeSign();
  #summary;
  #state;
  #last;
  #history;
  #spark = makeSpark();
  #time = element("span", { class: "time" });
  #star;
  #press;
  #refresh = null;
  #restart = null;
  #logs = null;
  #log = null;
  #form;
  #command;
  #refreshes = 0;
  /** What was drawn last of its executions. */
  #drawn = "";

  /**
   * @param {import("./app.js").App} app
   * @param {string} name
   */
  constructor(app, name) {
    this.#app = app;
    this.#name = name;
    const id = `command-${++count}`;
    this.#summary = element("span", { class: "summary" });
    this.#state = element("span", { class: "state", id: `${id}-state` });
    this.#form = new CommandForm(() => this.press(), app.drafts, name);
    this.#last = element("a", { class: "last" });
    this.#history = element(
      "a", { class: "history" }, this.#spark);
    this.#star = element("button", {
      type: "button", class: "star icon", "aria-label": `Favourite ${name}`,
      click: () => app.commands.toggleFavourite(name),
    }, "☆");
    this.#press = element(
      "button",
      {
        type: "button", class: "press", "aria-describedby": `${id}-state`,
        click: () => this.press(),
      },
      "Run", element("span", { class: "unseen" }, ` ${name}`));
    this.#head = element(
      "div", { class: "head" }, this.#sign,
      element("h3", {}, element("a", { href: commandAddress(name) }, name)),
      this.#form.toggle,
      element("p", { class: "text" }, this.#summary, this.#state),
      this.#star, this.#last, this.#history, this.#time, this.#press);
    this.root = element(
      "li", { class: "command", "data-command": name }, this.#head, this.#form.problem);
  }

  /** Shows the command as it is now. */
  update() {
    const { model, session } = this.#app;
    const command = model.commands.get(this.#name);
    if (!command) return;
    this.#command = command;
    const isReadOnly = model.panel.read_only;
    const { kind, text, isNews } = commandState(command, session.isConnected, model.journal !== null);
    setAttribute(this.root, "data-state", kind);
    setAttribute(this.root, "data-news", isNews);
    setText(this.#state, text);
    setAttribute(this.#state, "title", isNews && text);
    setText(this.#summary, command.summary ?? "");
    setAttribute(this.#summary, "title", explanation(command) || false);
    this.#form.update(isReadOnly ? {} : command, this.root);
    show(this.#press, !isReadOnly);
    setAttribute(this.#press, "aria-disabled", String(!this.#isOn));
    setText(this.#press.firstChild, command.confirm || command.asks ? "Run…" : "Run");
    setAttribute(this.#press, "data-asks", Boolean(command.confirm || command.asks));
    this.#updateRefresh(command.refresh && !isReadOnly);
    this.#updateService(command.service, isReadOnly);
    this.tick();
  }

  /** Shows what is known of its executions, and how long ago that was. */
  tick() {
    const { records, model } = this.#app;
    const { ended, active } = records.of(this.#name);
    const running = active.at(-1);
    const last = running ?? ended.at(-1);
    const { service } = this.#command;
    setSign(this.#sign, serviceSign(service) ?? last?.state ?? "none");
    const { now } = model;
    setAttribute(this.#last, "href", last && runAddress(last.id));
    if (last) {
      const since = running ? elapsedText(running, now) : ageText(now - last.ended);
      setText(this.#last, running && running.state !== "running" ? running.state : since);
      setAttribute(this.#last, "aria-label", `${last.state} ${since}, output of #${last.id}`);
    }
    const drawn = `${ended.length} ${ended.at(-1)?.id}`;
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const isAny = ended.length > 0;
    setAttribute(this.#history, "href", isAny && commandAddress(this.#name));
    const words = isAny && `History of ${this.#name}: ${sparkText(ended)}`;
    setAttribute(this.#history, "aria-label", words);
    setAttribute(this.#history, "title", words);
    drawSpark(this.#spark, ended);
    setText(this.#time, ended.length > 0 ? durationText(elapsed(ended.at(-1), now)) : "");
  }

  /** Whether it wants to be looked at: its last execution has failed, or its service. */
  get isInTrouble() {
    return this.#app.records.hasFailed(this.#name) || isInTrouble(this.#command?.service);
  }

  get group() {
    return this.#command?.group ?? "";
  }

  set isFavourite(isFavourite) {
    setAttribute(this.#star, "aria-pressed", String(isFavourite));
    setText(this.#star, isFavourite ? "★" : "☆");
  }

  /** Whether it could be pressed without a form or a question. */
  get isPlain() {
    const { params = [], asks, enabled, service } = this.#command;
    return enabled && !asks && !service && !params.some((parameter) => parameter.required);
  }

  #updateService(service, isReadOnly) {
    if (service && !this.#logs) {
      this.#logs = this.#button("Log", () => this.toggleLog());
      this.#restart = this.#button("Restart", () => this.restart());
      this.#log = element("pre", { class: "log", tabindex: "0", hidden: true });
      this.#last.before(this.#logs, this.#restart);
      this.root.append(this.#log);
    }
    if (!this.#logs) return;
    show(this.#logs, service !== undefined);
    show(this.#restart, service !== undefined && service.state !== "down" && !isReadOnly);
    setAttribute(this.#logs, "aria-expanded", String(!this.#log.hidden));
  }

  #updateRefresh(isRefreshed) {
    if (isRefreshed && !this.#refresh) {
      this.#refresh = element(
        "button", { type: "button", class: "refresh icon", click: () => this.refresh() }, "↻");
      this.#last.before(this.#refresh);
    }
    if (!this.#refresh) return;
    show(this.#refresh, Boolean(isRefreshed));
    setAttribute(this.#refresh, "aria-disabled", String(!this.#isOn));
    this.#showRefreshing();
  }

  /** A button of a service. */
  #button(text, click) {
    return element(
      "button", { type: "button", class: "service quiet", click }, text,
      element("span", { class: "unseen" }, ` ${this.#name}`));
  }

  /** Restarts the service, and says what has come of it. */
  async restart() {
    const label = this.#restart.firstChild;
    if (this.#restart.ariaBusy === "true") return;
    setAttribute(this.#restart, "aria-busy", "true");
    setText(label, "Restarting…");
    const answer = await this.#attempt(() => this.#app.restart(this.#name));
    setAttribute(this.#restart, "aria-busy", false);
    setText(label, "Restart");
    if (answer) this.#app.notify(restartText(this.#name, answer));
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
    setAttribute(this.#press, "aria-busy", "true");
    await this.#attempt(async () => {
      const { presses, selection } = this.#app;
      const execution = await selection.follow(presses.execute(this.#name, this.#form.given));
      if (execution !== null) this.#form.forgetSecrets();
    });
    setAttribute(this.#press, "aria-busy", false);
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
    if (!this.#refresh) return;
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

/** The state of a service as one of an execution, which has a sign; that of one that is down is its last. */
function serviceSign(service) {
  if (!service || service.state === "down") return undefined;
  if (isInTrouble(service)) return "failed";
  return service.state === "ready" ? "completed" : "running";
}

/** What has come of the restart of a service. */
function restartText(name, { state, duration = 0, held }) {
  const how = state === "ready"
    ? `is ready again, ${durationText(duration)} after the press` : "was restarted; nothing tells when it is ready";
  return `${name} ${how}${held ? ". It is held until raclette down" : ""}.`;
}

/** What a command is, what it needs and what it runs, as far as its definition says so. */
export function explanation({ description, needs = [], needs_in_order: inOrder, steps = [] }) {
  const needed = needs.length > 0 && `Needs: ${needs.join(", ")}${inOrder ? ", in order" : ""}`;
  const runs = steps.length > 0 && `Runs: ${steps.join("; ")}`;
  return [description, needed, runs].filter(Boolean).join("\n\n");
}
