import { setAttribute } from "./dom.js";

/** The parts of the page of which a narrow one shows one at a time: the style sheet hides the others. */
export class Views {
  #buttons = [...document.querySelectorAll("#views button")];

  constructor() {
    for (const button of this.#buttons) {
      button.addEventListener("click", () => this.show(button.value));
    }
    this.show("commands");
  }

  /** @param {string} id of the part */
  show(id) {
    document.body.dataset.view = id;
    for (const button of this.#buttons) {
      setAttribute(button, "aria-current", button.value === id && "true");
    }
  }
}
