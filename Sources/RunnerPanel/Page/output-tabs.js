import { setAttribute, show } from "./dom.js";

/** Tabs of the output, of which one shows its panel: arrows go from one to the other. */
export class OutputTabs {
  #tabs;
  #choose;

  /**
   * @param {HTMLElement} list the element with the role `tablist`
   * @param {(id: string) => void} choose takes the panel of a tab that the reader has chosen
   */
  constructor(list, choose) {
    this.#choose = choose;
    this.#tabs = [...list.querySelectorAll("[role=tab]")];
    for (const tab of this.#tabs) tab.addEventListener("click", () => this.#choose(tab.getAttribute("aria-controls")));
    list.addEventListener("keydown", (event) => this.#key(event));
    this.#activate(this.#tabs[0]);
  }

  /** Shows a panel. */
  show(id) {
    this.#activate(this.#tabs.find((tab) => tab.getAttribute("aria-controls") === id));
  }

  #activate(chosen) {
    for (const tab of this.#tabs) {
      setAttribute(tab, "aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      show(document.getElementById(tab.getAttribute("aria-controls")), tab === chosen);
    }
  }

  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const tabs = this.#tabs.filter((tab) => !tab.hidden);
    const place = tabs.indexOf(document.activeElement);
    const next = tabs[(place + step + tabs.length) % tabs.length];
    this.#choose(next.getAttribute("aria-controls"));
    next.focus();
  }
}
