import { setAttribute } from "./dom.js";
import { Kept } from "./kept.js";

/** A button that is pressed or not, which this browser remembers. */
export class Switch {
  #button;
  #kept;
  #change;

  /**
   * @param {string} id of the button
   * @param {(isOn: boolean) => void} change
   */
  constructor(id, change) {
    this.#button = document.getElementById(id);
    this.#kept = new Kept("localStorage", id);
    this.#change = change;
    this.#button.addEventListener("click", () => this.#set(!this.isOn));
    this.#show(this.#kept.value === true);
  }

  get isOn() {
    return this.#button.ariaPressed === "true";
  }

  #set(isOn) {
    this.#kept.value = isOn;
    this.#show(isOn);
    this.#change(isOn);
  }

  #show(isOn) {
    setAttribute(this.#button, "aria-pressed", String(isOn));
  }
}
