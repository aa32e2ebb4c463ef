import { RequestError } from "./api.js";
import { element, setAttribute, setText } from "./dom.js";
import { makeSign, setSign } from "./sign.js";
import { commandState, inputText } from "./state-text.js";

/** The header's item of a command, which has a fixed input. */
export class Pin {
  root;
  #app;
  #name;
  #input;
  #sign = makeSign();

  /**
   * @param {import("./app.js").App} app
   * @param {string} name
   */
  constructor(app, name) {
    this.#app = app;
    this.#name = name;
    this.#input = element("span", { class: "fixed" });
    this.root = element(
      "button", { type: "button", class: "pin", "data-command": name, click: () => this.#press() },
      this.#sign, name, this.#input);
  }

  update() {
    const command = this.#app.model.commands.get(this.#name);
    if (!command) return;
    const { session: { isConnected }, model: { journal } } = this.#app;
    const { kind, text } = commandState(command, isConnected, journal !== null);
    setAttribute(this.root, "data-state", kind);
    this.tick();
    setAttribute(this.root, "aria-disabled", String(!isConnected || !command.enabled));
    setAttribute(this.root, "title", [command.summary, text].filter(Boolean).join(" – "));
    const input = inputText(command.pin?.input);
    setText(this.#input, input);
    setAttribute(this.root, "aria-label", `${this.#name}${input && ` ${input}`}, ${text}`);
  }

  /** Shows how it goes, or how it went. */
  tick() {
    const { ended, active } = this.#app.records.of(this.#name);
    setSign(this.#sign, (active.at(-1) ?? ended.at(-1))?.state ?? "none");
  }

  async #press() {
    if (this.root.getAttribute("aria-disabled") === "true") {
      return this.#app.announce(this.root.ariaLabel);
    }
    try {
      const { presses, selection } = this.#app;
      await selection.follow(presses.executePinned(this.#name));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.#app.notify(error.message);
    }
  }
}
