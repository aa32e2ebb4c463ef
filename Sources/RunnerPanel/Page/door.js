import { setText } from "./dom.js";
import { forgetToken } from "./token.js";

/** For how many milliseconds other tabs are asked for their token. */
const PATIENCE = 400;

/** Asks for the token where there is none that the panel takes. */
export class Door {
  #dialog = document.getElementById("door");
  #field = document.getElementById("door-token");
  #problem = document.getElementById("door-problem");

  /**
   * @param {import("./session.js").Session} session
   * @param {boolean} isExpected whether there is no token yet
   * @param {(token: string) => void} open
   */
  constructor(session, isExpected, open) {
    session.addEventListener("token", () => {
      forgetToken();
      this.#ask("The panel does not take this token. It makes a new one at each start.");
    });
    session.addEventListener("state", () => session.isConnected && this.#dialog.close());
    setTimeout(() => {
      if (isExpected && session.reason === "connecting" && !session.isConnected) this.#ask("");
    }, PATIENCE);
    this.#dialog.addEventListener("cancel", (event) => event.preventDefault());
    this.#dialog.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      // The whole address, or what follows it.
      const token = this.#field.value.trim().replace(/^.*token=/, "").replace(/&.*$/, "");
      this.#field.value = "";
      setText(this.#problem, "");
      if (token !== "") open(token);
    });
  }

  #ask(problem) {
    setText(this.#problem, problem);
    if (!this.#dialog.open) this.#dialog.showModal();
  }
}
