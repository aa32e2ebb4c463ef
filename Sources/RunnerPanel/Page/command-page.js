import { CommandForm } from "./command-form.js";
import { explanation } from "./command-row.js";
import { RequestError } from "./api.js";
import { element, setAttribute, setText, shape, show } from "./dom.js";
import { elapsedText } from "./execution-row.js";
import { onNextFrame } from "./frame.js";
import { drawNeeds } from "./needs-graph.js";
import { roving } from "./roving.js";
import { runAddress } from "./route.js";
import { makeSign, setSign } from "./sign.js";
import { commandState, elapsed, endText, executionState, inputText } from "./state-text.js";
import { statisticsOf } from "./statistics.js";
import { ageText, clockText, durationText } from "./time-text.js";

/** How many runs the chart and the list show. */
const CHARTED = 120;
const LISTED = 50;
/** How many ended ones are kept, which the panel's answer has at most. */
const KEPT = 500;
const HEIGHT = 96;

/** A command: its form, how it has run over days, and what it needs. */
export class CommandPage {
  #app;
  #root = document.getElementById("command");
  #sign = makeSign();
  #title = element("h2", { id: "command-title" });
  #summary = element("p", { class: "summary" });
  #state = element("p", { class: "state", id: "command-state" });
  #text = element("p", { class: "about" });
  #press;
  #head;
  #form = null;
  #formRoot = null;
  #numbers = element("dl", { class: "numbers" });
  #chart = shape("svg", { class: "durations", role: "group", "aria-label": "Durations" });
  #graph = shape("svg", { class: "graph", role: "group", "aria-label": "What it needs" });
  #runs = element("ol", { class: "earlier" });
  #none = element("p", { class: "nothing" }, "It has not been executed yet.");
  #parts = {};
  #name = "";
  #placeChartStop = roving(this.#chart);
  /** What was drawn last, so that what is the same keeps the focus, and the times that go on. */
  #drawn = "";
  #times = [];
  /** The runs that the panel's journal has, oldest first; null until they are there. */
  #kept = null;
  #schedule = onNextFrame(() => this.#draw());

  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.#app = app;
    this.#press = element("button", {
      type: "button", class: "press strong", "aria-describedby": "command-state",
      click: () => this.#run(),
    }, "Run");
    this.#head = element(
      "div", { class: "head" }, this.#sign, this.#title, this.#state, this.#press);
    const part = (title, ...children) =>
      element("section", { class: "part" }, element("h3", {}, title), ...children);
    this.#parts.history = part("Durations", this.#numbers, this.#chart);
    this.#parts.needs = part("Needs", this.#graph);
    this.#parts.runs = part("Runs", this.#none, this.#runs);
    this.#root.append(
      element(
        "div", { class: "page" }, this.#head, this.#summary, this.#text,
        this.#parts.history, this.#parts.needs, this.#parts.runs));
    const { model, route, session, clock } = app;
    for (const type of ["commands", "command", "execution", "executions", "gone"]) {
      model.addEventListener(type, this.#schedule);
    }
    session.addEventListener("state", this.#schedule);
    clock.addEventListener("tick", this.#schedule);
    model.addEventListener("ended", ({ detail }) => this.#take(detail));
    session.addEventListener("renewed", () => this.#load());
    route.addEventListener("change", () => this.#turn());
    new ResizeObserver(this.#schedule).observe(this.#root);
    this.#turn();
  }

  /** Shows the command of the address. */
  #turn() {
    const { name } = this.#app.route;
    if (name !== this.#name) {
      this.#name = name;
      this.#kept = null;
      this.#formRoot?.remove();
      this.#form = null;
      this.#root.scrollTop = 0;
      this.#load();
    }
    this.#schedule();
  }

  /** Adds what has ended just now: a command may end many times a second. */
  #take(execution) {
    if (execution.command !== this.#name || this.#kept === null) return;
    if (execution.started === undefined && execution.error?.kind === "not_enabled") return;
    this.#kept.push(execution);
    if (this.#kept.length > KEPT) this.#kept.shift();
  }

  /** Loads what was. */
  async #load() {
    const name = this.#name;
    if (name === "" || !this.#app.session.isConnected) return;
    try {
      const { executions = [] } = await this.#app.historyOf(name);
      if (name === this.#name) this.#kept = executions.toReversed();
    } catch (error) {
      // A panel without a journal knows those that the page has.
      if (!(error instanceof RequestError)) throw error;
    }
    this.#schedule();
  }

  #draw() {
    const { model, records, session } = this.#app;
    if (!this.#root.checkVisibility()) return;
    const command = model.commands.get(this.#name);
    setText(this.#title, this.#name);
    for (const part of Object.values(this.#parts)) show(part, Boolean(command));
    show(this.#press, Boolean(command) && !model.panel.read_only);
    if (!command) {
      setText(this.#summary, "There is no such command.");
      for (const each of [this.#state, this.#text]) setText(each, "");
      return;
    }
    const { text, kind, isNews } = commandState(command, session.isConnected, model.journal !== null);
    const { ended, active } = records.of(this.#name);
    setSign(this.#sign, (active.at(-1) ?? ended.at(-1))?.state ?? "none");
    setAttribute(this.#head, "data-state", kind);
    setAttribute(this.#state, "data-news", isNews);
    setText(this.#state, text);
    setText(this.#summary, command.summary ?? "");
    setText(this.#text, explanation({ ...command, needs: [] }));
    setText(this.#press, command.confirm || command.asks ? "Run…" : "Run");
    setAttribute(this.#press, "data-asks", Boolean(command.confirm || command.asks));
    setAttribute(this.#press, "aria-disabled", String(!session.isConnected || !command.enabled));
    this.#drawForm(command);
    const runs = this.#runsOf(ended);
    show(this.#parts.needs, drawNeeds(this.#graph, command, model, records, this.#root.clientWidth));
    this.#drawPast(runs, active);
    for (const { execution, began, time } of this.#times) {
      setText(began, ageText(model.now - (execution.started ?? execution.created)));
      setText(time, elapsedText(execution, model.now));
    }
  }

  #drawPast(runs, active) {
    const listed = [...runs, ...active].slice(-LISTED).reverse();
    const drawn = JSON.stringify([
      this.#name, this.#chart.clientWidth, runs.length,
      listed.map(({ id, state }) => [id, state, this.#app.model.executions.has(id)]),
    ]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    show(this.#parts.history, runs.length > 0);
    this.#drawNumbers(runs);
    this.#drawChart(runs);
    this.#drawRuns(listed);
  }

  #drawForm(command) {
    if (!this.#form) {
      this.#form = new CommandForm(() => this.#run(), this.#app.drafts, this.#name);
      this.#formRoot = element("div", { class: "inputs-of" }, element("div", { class: "head" }));
      this.#text.after(this.#formRoot);
      this.#formRoot.append(this.#form.problem);
      this.#form.update(this.#app.model.panel.read_only ? {} : command, this.#formRoot);
      if (!this.#form.toggle.hidden) this.#form.unfold(true);
    } else this.#form.update(this.#app.model.panel.read_only ? {} : command, this.#formRoot);
  }

  async #run() {
    if (this.#press.getAttribute("aria-disabled") === "true") {
      return this.#app.announce(`${this.#name}: ${this.#state.textContent}`);
    }
    this.#form.forgive();
    try {
      const { presses, selection } = this.#app;
      const execution = await selection.follow(presses.execute(this.#name, this.#form.given));
      if (execution !== null) this.#form.forgetSecrets();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.#form.complain(error);
    }
  }

  /** What the journal has and what the page has, each execution once. */
  #runsOf(ended) {
    if (!this.#kept) return ended;
    const runs = new Map(this.#kept.map((execution) => [execution.id, execution]));
    const { executions } = this.#app.model;
    // What has ended while they were loaded.
    for (const execution of ended) {
      if (executions.has(execution.id)) runs.set(execution.id, execution);
    }
    return [...runs.values()];
  }

  #drawNumbers(runs) {
    const numbers = statisticsOf(runs);
    this.#numbers.replaceChildren(...Object.entries(numbers).map(([name, { text, about }]) =>
      element("div", { title: about }, element("dt", {}, name), element("dd", {}, text))));
  }

  #drawChart(runs) {
    const shown = runs.slice(-CHARTED);
    const width = Math.max(200, this.#chart.clientWidth);
    const step = Math.min(12, width / Math.max(shown.length, 1));
    const longest = Math.max(0.001, ...shown.map((each) => elapsed(each, 0)));
    setAttribute(this.#chart, "height", HEIGHT + 20);
    const bars = shown.map((execution, place) => {
      const height = Math.max(2, (elapsed(execution, 0) / longest) * HEIGHT);
      const bar = shape(
        execution.id === undefined ? "g" : "a",
        { href: execution.id !== undefined && runAddress(execution.id), "data-state": execution.state },
        shape("title", {}, `${runText(execution)}, ${clockText(execution.ended)}`),
        shape("rect", {
          x: place * step, y: 4 + HEIGHT - height, width: Math.max(1, step - 2), height, rx: 1,
        }));
      return bar;
    });
    const base = shape("line", { x1: 0, x2: width, y1: HEIGHT + 4, y2: HEIGHT + 4 });
    const first = shown[0] && clockText(shown[0].ended);
    this.#chart.replaceChildren(
      base, ...bars, shape("text", { x: 0, y: HEIGHT + 17 }, first ?? ""),
      shape("text", { x: width, y: 12, "text-anchor": "end" }, durationText(longest)));
    this.#placeChartStop(bars.at(-1));
  }

  #drawRuns(runs) {
    show(this.#none, runs.length === 0);
    this.#times = [];
    this.#runs.replaceChildren(...runs.map((execution) => {
      const sign = makeSign();
      setSign(sign, execution.state);
      const began = element("span", { class: "began" });
      const time = element("span", { class: "elapsed" });
      this.#times.push({ execution, began, time });
      const isKnown = this.#app.model.executions.has(execution.id);
      return element("li", { "data-state": execution.state }, element(
        isKnown ? "a" : "div", { href: isKnown && runAddress(execution.id) }, sign,
        element("span", { class: "number" }, execution.id ? `#${execution.id}` : ""), " ",
        element("span", { class: "state" }, endText(execution) || executionState(execution)), " ",
        element("span", { class: "given" }, inputText(execution.input)), " ", began, " ", time));
    }));
  }
}

function runText(execution) {
  const number = execution.id === undefined ? "" : `#${execution.id}: `;
  return `${number}${executionState(execution)}, ${durationText(elapsed(execution, 0))}`;
}
