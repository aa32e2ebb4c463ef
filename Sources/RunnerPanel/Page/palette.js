import { element, setAttribute } from "./dom.js";
import { commandAddress, runAddress, viewAddress } from "./route.js";
import { executionState, inputText } from "./state-text.js";
import { makeSign, setSign } from "./sign.js";
import { ageText } from "./time-text.js";

/** How many are shown at once. */
const MOST = 12;
const VIEWS = { board: "Board", runs: "Runs", timeline: "Timeline", messages: "Messages" };

/** Finds commands, runs and views by what is typed. */
export class Palette {
  #app;
  #dialog = document.getElementById("palette");
  #text = document.getElementById("palette-text");
  #list = document.getElementById("palette-list");
  #found = [];
  #place = 0;

  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.#app = app;
    document.getElementById("show-palette").addEventListener("click", () => this.open());
    this.#text.addEventListener("input", () => this.#find());
    this.#text.addEventListener("keydown", (event) => this.#key(event));
    this.#list.addEventListener("click", (event) => {
      const option = event.target.closest("li");
      if (option) this.#choose(Number(option.dataset.place), event.ctrlKey || event.metaKey);
    });
  }

  open() {
    this.#text.value = "";
    this.#find();
    this.#dialog.showModal();
  }

  #find() {
    const text = this.#text.value.trim().toLowerCase();
    const rated = this.#all().map((item) => ({ item, rate: rate(item, text) }));
    this.#found = rated.filter(({ rate }) => rate > 0)
      .sort((one, other) => other.rate - one.rate).slice(0, MOST).map(({ item }) => item);
    this.#place = 0;
    this.#draw();
  }

  /** All that can be found: what is likely is first. */
  #all() {
    const { model, records } = this.#app;
    const commands = [...model.commands.values()].map((command) => ({
      name: command.name, note: command.summary ?? "", kind: "command", command,
      state: records.of(command.name).ended.at(-1)?.state ?? "none",
      time: records.of(command.name).ended.at(-1)?.ended ?? 0,
    }));
    const runs = [...model.executions.values()].reverse().map((execution) => ({
      name: `${execution.command} #${execution.id}`, kind: "run", state: execution.state,
      note: [
        inputText(execution.input), executionState(execution),
        execution.ended && ageText(model.now - execution.ended),
      ].filter(Boolean).join(", "),
      address: runAddress(execution.id), time: 0,
    }));
    const views = Object.entries(VIEWS).map(([view, name]) => ({
      name, note: "", kind: "view", state: "none", address: viewAddress(view), time: 0,
    }));
    return [...commands, ...views, ...runs];
  }

  #draw() {
    this.#list.replaceChildren(...this.#found.map(({ name, note, kind, state }, place) => {
      const sign = makeSign();
      setSign(sign, state);
      return element(
        "li", {
          id: `found-${place}`, role: "option", "data-place": place,
          "aria-selected": String(place === this.#place),
        }, sign, element("span", { class: "name" }, name), " ",
        element("span", { class: "note" }, note), " ", element("span", { class: "kind" }, kind));
    }));
    setAttribute(
      this.#text, "aria-activedescendant", this.#found.length > 0 && `found-${this.#place}`);
    this.#list.children[this.#place]?.scrollIntoView({ block: "nearest" });
  }

  #key(event) {
    const count = this.#found.length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && count > 0) {
      this.#place = (this.#place + step + count) % count;
      this.#draw();
    } else if (event.key === "Enter") this.#choose(this.#place, event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  }

  #choose(place, isPage) {
    const item = this.#found[place];
    if (!item) return;
    this.#dialog.close();
    if (!item.command) return this.#app.route.go(item.address);
    const isFilled = !item.command.params?.some((parameter) => parameter.required);
    if (!isPage && isFilled && !this.#app.model.panel.read_only) {
      return this.#app.commands.row(item.name).press();
    }
    this.#app.route.go(commandAddress(item.name));
  }
}

/** How well an item fits a text; 0 for not at all. Letters may be left out between others. */
function rate({ name, note, kind, time }, text) {
  const recent = Math.min(0.5, time / 1e11);
  const bonus = recent + { command: 0.3, view: 0.2, run: 0.1 }[kind];
  if (text === "") return bonus;
  const lower = name.toLowerCase();
  if (lower.startsWith(text)) return 5 + bonus - name.length / 1e4;
  if (lower.includes(text)) return 4 + bonus;
  if (note.toLowerCase().includes(text)) return 2 + bonus;
  let place = -1;
  for (const letter of text) {
    place = lower.indexOf(letter, place + 1);
    if (place < 0) return 0;
  }
  return 1 + bonus;
}
