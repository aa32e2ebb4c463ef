import { element, setText, show } from "./dom.js";
import { inputText } from "./state-text.js";

/** Asks what commands want to have confirmed, and says what would be executed. */
export class ConfirmDialog {
  #dialog = document.getElementById("confirm");
  #title = document.getElementById("confirm-title");
  #questions = document.getElementById("confirm-questions");
  #before = document.getElementById("confirm-before");
  #needs = document.getElementById("confirm-needs");

  /**
   * @param {import("./presses.js").Asked} asked
   * @returns {Promise<boolean>}
   */
  ask({ questions, steps }) {
    const pressed = steps.at(-1);
    setText(this.#title, `Run ${pressed.command}?`);
    this.#questions.replaceChildren(call(pressed), ...questions.map(
      ({ command, question }) =>
        element(
          "p", {},
          ...(command === pressed.command ? [] : [element("strong", {}, `${command}: `)]),
          question)));
    const needs = steps.slice(0, -1);
    this.#needs.replaceChildren(...needs.map((step) => element("li", {}, call(step))));
    show(this.#before, needs.length > 0);
    this.#dialog.returnValue = "";
    this.#dialog.showModal();
    return new Promise((resolve) => {
      const answered = () => resolve(this.#dialog.returnValue === "yes");
      this.#dialog.addEventListener("close", answered, { once: true });
    });
  }
}

/** A command with its input, as one would type them. */
function call({ command, input }) {
  return element("code", { class: "call" }, `${command} ${inputText(input)}`.trim());
}
