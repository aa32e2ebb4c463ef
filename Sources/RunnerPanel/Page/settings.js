import { Kept } from "./kept.js";

/** What the reader has chosen for this browser: colours, the height of rows, notifications. */
export class Settings {
  #kept = new Kept("localStorage", "settings");
  #chosen = { theme: "auto", density: "roomy", notify: false, ...this.#kept.value };
  #root = document.getElementById("settings");

  constructor() {
    this.#apply();
    this.#root.addEventListener("change", ({ target }) => this.#change(target));
  }

  get notifies() {
    return this.#chosen.notify;
  }

  /** Chooses one of the values of a setting. */
  choose(name, value) {
    this.#chosen[name] = value;
    this.#kept.value = this.#chosen;
    this.#apply();
  }

  async #change({ name, type, value, checked }) {
    if (type !== "checkbox") return this.choose(name, value);
    const isAllowed = checked && (await globalThis.Notification?.requestPermission()) === "granted";
    this.choose(name, isAllowed);
  }

  #apply() {
    const { theme, density, notify } = this.#chosen;
    document.documentElement.dataset.theme = theme;
    document.documentElement.dataset.density = density;
    for (const [name, value] of [["theme", theme], ["density", density]]) {
      const controls = [...this.#root.querySelectorAll(`[name=${name}]`)];
      const control = controls.find((each) => each.value === value);
      if (control) control.checked = true;
    }
    this.#root.querySelector("[name=notify]").checked = notify;
  }
}
