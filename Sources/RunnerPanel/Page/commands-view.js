import { CommandRow } from "./command-row.js";
import { arrange, element, setAttribute, setText, show } from "./dom.js";
import { onNextFrame } from "./frame.js";
import { Kept } from "./kept.js";
import { Pin } from "./pin.js";
import { onPull } from "./pull.js";

const TROUBLE = "Needs attention";
const FAVOURITES = "Favourites";
/** How long the pointer must have been still over the board before rows move, in milliseconds. */
const CALM = 1_200;

/** The board: what needs attention, favourites, the commands by group, and those pinned in the header. */
export class CommandsView {
  #app;
  #list = document.getElementById("groups");
  #chosen = document.getElementById("chosen");
  #filter = document.getElementById("filter");
  #none = document.getElementById("no-command");
  #pins = document.getElementById("pins");
  #first = document.getElementById("first");
  /** @type {Map<string, CommandRow>} */
  #rows = new Map();
  /** @type {Map<string, Pin>} */
  #pinned = new Map();
  #sections = new Map();
  /** The names of those whose executions have changed, and the rows that are not where they belong. */
  #changed = new Set();
  #misplaced = new Set();
  #marked;
  #favourites;
  #folded;
  /** When the pointer has moved last, and whether it is down. */
  #moved = -CALM;
  #isDown = false;
  #later = 0;
  #keptFilter = new Kept("sessionStorage", "filter");
  #schedule = onNextFrame(() => this.#draw());

  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.#app = app;
    const { model, session, clock } = app;
    model.addEventListener("commands", () => this.#rebuild());
    model.addEventListener("command", ({ detail }) => {
      this.#update(detail.name);
      this.#changed.add(detail.name);
      this.#schedule();
    });
    model.addEventListener("execution", ({ detail }) => {
      this.#changed.add(detail.command);
      this.#schedule();
    });
    model.addEventListener("executions", () => {
      for (const name of this.#rows.keys()) this.#changed.add(name);
      this.#schedule();
    });
    model.addEventListener("gone", ({ detail }) => {
      for (const { command } of detail) this.#changed.add(command);
      this.#schedule();
    });
    clock.addEventListener("tick", () => this.#tick());
    for (const source of [app.selection, app.route]) {
      source.addEventListener("change", () => this.#mark());
    }
    session.addEventListener("state", () => this.#updateAll());
    session.addEventListener("refreshed", ({ detail }) => this.#rows.get(detail)?.endRefreshing());
    session.addEventListener("renewed", ({ detail }) => {
      if (detail.hasGap) for (const row of this.#rows.values()) row.forgetRefreshes();
      this.#drawFirst();
    });
    this.#filter.value = this.#keptFilter.value ?? "";
    this.#filter.addEventListener("input", () => {
      this.#keptFilter.value = this.#filter.value;
      this.#applyFilter();
    });
    this.#watchPointer(document.getElementById("commands"));
    document.getElementById("first-press").addEventListener("click", () => this.#plain?.press());
    onPull(document.getElementById("commands"), () => {
      for (const row of this.#rows.values()) row.refresh();
    });
  }

  /** Rows stay where they are while the reader points at them: no click goes astray. */
  #watchPointer(board) {
    board.addEventListener("focusout", this.#schedule);
    board.addEventListener("pointermove", () => (this.#moved = performance.now()));
    const isDown = (value) => () => {
      this.#isDown = value;
      this.#moved = performance.now();
      if (!value) this.#schedule();
    };
    board.addEventListener("pointerdown", isDown(true), { capture: true });
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, isDown(false));
  }

  get #isPointedAt() {
    return this.#isDown || performance.now() - this.#moved < CALM;
  }

  /** The row of a command. */
  row(name) {
    return this.#rows.get(name);
  }

  /** Puts a command among the favourites, or takes it out. */
  toggleFavourite(name) {
    if (!this.#favourites.delete(name)) this.#favourites.add(name);
    this.#keep("favourites", this.#favourites);
    const row = this.#rows.get(name);
    row.isFavourite = this.#favourites.has(name);
    // The reader wants it to go elsewhere, and the focus goes with it.
    document.activeElement?.blur();
    this.#place();
    row.root.querySelector(".star").focus();
  }

  #keep(what, names) {
    new Kept("localStorage", `${what} ${this.#app.model.panel.folder}`).value = [...names];
  }

  #kept(what) {
    return new Set(new Kept("localStorage", `${what} ${this.#app.model.panel.folder}`).value ?? []);
  }

  /** Makes the controls of the commands that there are now; those of the same name are kept. */
  #rebuild() {
    const { groups, commands } = this.#app.model;
    this.#favourites ??= this.#kept("favourites");
    this.#folded ??= this.#kept("folded");
    this.#rows = kept(this.#rows, [...commands.keys()], (name) => new CommandRow(this.#app, name));
    for (const [name, row] of this.#rows) row.isFavourite = this.#favourites.has(name);
    const pinned = [...commands.values()].filter((command) => command.pin);
    this.#pinned = kept(
      this.#pinned, pinned.map((command) => command.name), (name) => new Pin(this.#app, name));
    const titles = groups.map((group) => group.title ?? "");
    this.#sections = kept(
      this.#sections, [TROUBLE, FAVOURITES, ...titles], (title) => this.#makeSection(title));
    arrange(this.#chosen, [TROUBLE, FAVOURITES].map((title) => this.#sections.get(title)));
    arrange(this.#list, titles.map((title) => this.#sections.get(title)));
    arrange(this.#pins, [...this.#pinned.values()].map((pin) => pin.root));
    show(this.#pins, this.#pinned.size > 0 && !this.#app.model.panel.read_only);
    this.#updateAll();
    this.#place();
  }

  /** Puts each row where it belongs. */
  #place() {
    const lists = new Map([...this.#sections.keys()].map((title) => [title, []]));
    for (const { title = "", commands } of this.#app.model.groups) {
      for (const name of commands) {
        const row = this.#rows.get(name);
        if (!row) continue;
        const place = row.isInTrouble ? TROUBLE : this.#favourites.has(name) ? FAVOURITES : title;
        const isHeld = row.root.isConnected && row.root.contains(document.activeElement);
        const held = isHeld && row.root.closest(".group").dataset.title;
        lists.get(lists.has(held) ? held : place).push(row.root);
      }
    }
    for (const [title, rows] of lists) arrange(this.#sections.get(title).lastElementChild, rows);
    this.#misplaced.clear();
    for (const name of this.#rows.keys()) this.#look(name);
    this.#mark();
    this.#applyFilter();
    this.#drawFirst();
  }

  #draw() {
    for (const name of this.#changed) {
      this.#rows.get(name)?.tick();
      this.#pinned.get(name)?.tick();
      this.#look(name);
    }
    this.#changed.clear();
    this.#mark();
    this.#drawFirst();
    if (![...this.#misplaced].some((row) => !row.root.contains(document.activeElement))) return;
    clearTimeout(this.#later);
    if (this.#isPointedAt) this.#later = setTimeout(this.#schedule, CALM);
    else this.#place();
  }

  /** Marks the command that is shown beside the board, or whose run is. */
  #mark() {
    const { route, selection, model } = this.#app;
    const name = route.view === "run"
      ? model.executions.get(selection.id)?.command : route.name;
    const row = this.#rows.get(name)?.root;
    if (this.#marked === row) return;
    this.#marked?.removeAttribute("data-current");
    row?.setAttribute("data-current", "");
    this.#marked = row;
  }

  /** Notes whether a row is where it belongs. */
  #look(name) {
    const row = this.#rows.get(name);
    if (!row) return;
    const isShown = row.root.parentElement === this.#sections.get(TROUBLE)?.lastElementChild;
    if (row.isInTrouble === isShown) this.#misplaced.delete(row);
    else this.#misplaced.add(row);
  }

  #tick() {
    for (const row of this.#rows.values()) row.tick();
  }

  #update(name) {
    this.#rows.get(name)?.update();
    this.#pinned.get(name)?.update();
  }

  #updateAll() {
    for (const name of this.#rows.keys()) this.#update(name);
  }

  /** A first visit has one sentence and one button. */
  #drawFirst() {
    const { model, session } = this.#app;
    const isFirst = model.executions.size === 0 && !model.panel.read_only;
    const plain = isFirst ? this.#plain : undefined;
    show(this.#first, session.isConnected && Boolean(plain));
    const name = plain?.root.dataset.command ?? "";
    setText(document.getElementById("first-press"), `Run ${name}`);
    setAttribute(document.body, "data-empty", model.executions.size === 0);
  }

  get #plain() {
    return [...this.#rows.values()].find((row) => row.isPlain);
  }

  #applyFilter() {
    const text = this.#filter.value.trim();
    for (const row of this.#rows.values()) show(row.root, row.matches(text));
    let isAny = false;
    for (const [title, section] of this.#sections) {
      const list = section.lastElementChild;
      const isShown = list.querySelector("li:not([hidden])") !== null;
      show(section, isShown);
      isAny ||= isShown;
      // What is looked for is seen, folded or not.
      const isFolded = this.#folded.has(title) && text === "";
      show(list, !isFolded);
      const button = section.querySelector("h2 button");
      setAttribute(button, "aria-expanded", String(!isFolded));
      setText(button.querySelector(".count"), isFolded ? String(list.children.length) : "");
    }
    show(this.#none, !isAny && text !== "");
  }

  #makeSection(title) {
    const fold = () => {
      if (!this.#folded.delete(title)) this.#folded.add(title);
      this.#keep("folded", this.#folded);
      this.#applyFilter();
    };
    return element(
      "section", { class: "group", "data-title": title },
      element(
        "h2", {},
        element(
          "button", { type: "button", "aria-expanded": "true", click: fold },
          title || "Commands", " ", element("span", { class: "count" }))),
      element("ul"));
  }
}

/** What a map has for these keys, in their order; what it lacks is made. */
function kept(map, keys, make) {
  return new Map(keys.map((key) => [key, map.get(key) ?? make(key)]));
}
