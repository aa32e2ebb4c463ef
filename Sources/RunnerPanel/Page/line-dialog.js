import { copyText } from "./clipboard.js";
import { element, setText } from "./dom.js";

/** How many rows a block has, which browsers lay out when it is seen. */
const ROWS = 40;

/** Shows a line that is too long for its place, whole. */
export class LineDialog {
  #dialog = document.getElementById("whole-line");
  #title = document.getElementById("whole-line-title");
  #text = document.getElementById("whole-line-text");
  #line = "";

  constructor() {
    const button = document.getElementById("whole-line-copy");
    button.addEventListener("click", async () => {
      await copyText(this.#line);
      setText(button, "Copied");
    });
    this.#dialog.addEventListener("close", () => this.#text.replaceChildren());
  }

  /**
   * @param {number} number of the line
   * @param {string} text
   */
  show(number, text) {
    this.#line = text;
    this.#title.textContent =
      `Line ${number.toLocaleString("en")}, ${text.length.toLocaleString("en")} characters`;
    setText(document.getElementById("whole-line-copy"), "Copy");
    this.#dialog.showModal();
    const probe = element("span", {}, "0".repeat(100));
    this.#text.replaceChildren(probe);
    const columns = Math.floor(this.#text.clientWidth / (probe.getBoundingClientRect().width / 100));
    const length = Math.max(1, columns) * ROWS;
    const blocks = [];
    for (let place = 0; place < text.length; place += length) {
      blocks.push(element("div", {}, text.slice(place, place + length)));
    }
    this.#text.replaceChildren(...blocks);
    this.#text.focus();
  }
}
