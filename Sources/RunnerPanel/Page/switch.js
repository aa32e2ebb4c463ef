import { setAttribute } from "./dom.js";

/** A button that is pressed or not, which this browser remembers. */
export class Switch {
  #button;
  #key;
  #change;

  /**
   * @param {string} id of the button
   * @param {(isOn: boolean) => void} change
   */
  constructor(id, change) {
    this.#button = document.getElementById(id);
    this.#key = `raclette ${id}`;
    this.#change = change;
    this.#button.addEventListener("click", () => this.#set(!this.isOn));
    this.#show(localStorage.getItem(this.#key) === "on");
  }

  get isOn() {
    return this.#button.ariaPressed === "true";
  }

  #set(isOn) {
    localStorage.setItem(this.#key, isOn ? "on" : "off");
    this.#show(isOn);
    this.#change(isOn);
  }

  #show(isOn) {
    setAttribute(this.#button, "aria-pressed", String(isOn));
  }
}
