import { elapsed, executionState, failureText } from "./state-text.js";
import { durationText } from "./time-text.js";

/** How long sentences are gathered before they are said, in milliseconds. */
const PAUSE = 150;
/** How many are said at once; of more only the number. */
const MOST = 4;

/** Tells a screen reader what happens: states of commands that change, and how executions end. */
export class Announcer {
  #region = document.getElementById("announcements");
  #sentences = [];
  #timer = 0;

  /**
   * @param {import("./model.js").Model} model
   * @param {import("./session.js").Session} session
   */
  constructor(model, session) {
    model.addEventListener("execution", ({ detail }) => {
      if (detail.state === "running" && !detail.attempt) this.#once(`${detail.command} is running`);
      if (detail.state === "cancelling") this.#once(`${detail.command} is cancelling`);
    });
    model.addEventListener("ended", ({ detail }) => {
      const time = durationText(elapsed(detail, model.now));
      const message = detail.error ? `: ${failureText(detail.error)}` : "";
      this.say(`${detail.command} ${executionState(detail)} after ${time}${message}`);
    });
    model.addEventListener("enabled", ({ detail }) => {
      // While it runs, that is the reason.
      if (detail.running > 0) return;
      const reason = detail.reason ? `: ${detail.reason}` : "";
      this.say(`${detail.name} is ${detail.enabled ? "enabled" : `not enabled${reason}`}`);
    });
    let wasConnected = false;
    session.addEventListener("state", () => {
      if (wasConnected !== session.isConnected) {
        this.#once(session.isConnected ? "connected" : "not connected");
      }
      wasConnected = session.isConnected;
    });
  }

  say(sentence) {
    this.#sentences.push(sentence);
    this.#timer ||= setTimeout(() => this.#speak(), PAUSE);
  }

  #once(sentence) {
    if (!this.#sentences.includes(sentence)) this.say(sentence);
  }

  #speak() {
    this.#timer = 0;
    const sentences = this.#sentences.slice(-MOST);
    const others = this.#sentences.length - sentences.length;
    this.#sentences = [];
    const said = others > 0 ? [`${others} other changes`, ...sentences] : sentences;
    this.#region.textContent = said.join(". ");
  }
}
