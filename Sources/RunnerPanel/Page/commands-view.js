import { CommandRow } from "./command-row.js";
import { arrange, element, show } from "./dom.js";
import { Pin } from "./pin.js";
import { onPull } from "./pull.js";

/** The commands by group, and those pinned in the header. */
export class CommandsView {
  #app;
  #list = document.getElementById("groups");
  #filter = document.getElementById("filter");
  #none = document.getElementById("no-command");
  #pins = document.getElementById("pins");
  /** @type {Map<string, CommandRow>} */
  #rows = new Map();
  /** @type {Map<string, Pin>} */
  #pinned = new Map();
  #sections = new Map();

  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.#app = app;
    const { model, session } = app;
    model.addEventListener("commands", () => this.#rebuild());
    model.addEventListener("command", ({ detail }) => this.#update(detail.name));
    session.addEventListener("state", () => this.#updateAll());
    session.addEventListener("refreshed", ({ detail }) => this.#rows.get(detail)?.endRefreshing());
    session.addEventListener("renewed", ({ detail }) => {
      if (detail.hasGap) for (const row of this.#rows.values()) row.forgetRefreshes();
    });
    this.#filter.addEventListener("input", () => this.#applyFilter());
    onPull(document.getElementById("commands"), () => {
      for (const row of this.#rows.values()) row.refresh();
    });
  }

  /** Makes the controls of the commands that there are now; those of the same name are kept. */
  #rebuild() {
    const { groups, commands } = this.#app.model;
    this.#rows = kept(this.#rows, [...commands.keys()], (name) => new CommandRow(this.#app, name));
    const pinned = [...commands.values()].filter((command) => command.pin);
    this.#pinned = kept(
      this.#pinned, pinned.map((command) => command.name), (name) => new Pin(this.#app, name));
    const titles = groups.map((group) => group.title ?? "");
    this.#sections = kept(this.#sections, titles, makeSection);
    for (const group of groups) {
      const rows = group.commands.map((name) => this.#rows.get(name)?.root).filter(Boolean);
      arrange(this.#sections.get(group.title ?? "").querySelector("ul"), rows);
    }
    arrange(this.#list, titles.map((title) => this.#sections.get(title)));
    arrange(this.#pins, [...this.#pinned.values()].map((pin) => pin.root));
    show(this.#pins, this.#pinned.size > 0 && !this.#app.model.panel.read_only);
    this.#updateAll();
    this.#applyFilter();
  }

  #update(name) {
    this.#rows.get(name)?.update();
    this.#pinned.get(name)?.update();
  }

  #updateAll() {
    for (const name of this.#rows.keys()) this.#update(name);
  }

  #applyFilter() {
    const text = this.#filter.value.trim();
    for (const row of this.#rows.values()) show(row.root, row.matches(text));
    let isAny = false;
    for (const section of this.#sections.values()) {
      const isShown = section.querySelector("li:not([hidden])") !== null;
      show(section, isShown);
      isAny ||= isShown;
    }
    show(this.#none, !isAny && text !== "");
  }
}

/** What a map has for these keys, in their order; what it lacks is made. */
function kept(map, keys, make) {
  return new Map(keys.map((key) => [key, map.get(key) ?? make(key)]));
}

function makeSection(title) {
  const section = element("section", { class: "group" });
  if (title !== "") section.append(element("h2", {}, title));
  section.append(element("ul"));
  return section;
}
