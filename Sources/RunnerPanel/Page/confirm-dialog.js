import { element } from "./dom.js";

/** Asks what commands want to have confirmed. */
export class ConfirmDialog {
  #dialog = document.getElementById("confirm");
  #questions = document.getElementById("confirm-questions");

  /**
   * @param {{command: string, question: string}[]} questions
   * @returns {Promise<boolean>}
   */
  ask(questions) {
    this.#questions.replaceChildren(
      ...questions.map(({ command, question }) =>
        element("p", {}, element("strong", {}, command), ` ${question}`)));
    this.#dialog.returnValue = "";
    this.#dialog.showModal();
    return new Promise((resolve) => {
      const answered = () => resolve(this.#dialog.returnValue === "yes");
      this.#dialog.addEventListener("close", answered, { once: true });
    });
  }
}
