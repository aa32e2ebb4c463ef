import { setAttribute, setText, show } from "./dom.js";
import { onNextFrame } from "./frame.js";

const REASONS = {
  connecting: "connecting…", ended: "not connected, reconnecting…",
  refused: "not connected, reconnecting…", silent: "not answering, waiting for the panel…",
  token: "not connected: the token is refused",
};

const ICONS = { failed: "icon-failed.svg", running: "icon-running.svg", quiet: "icon.svg" };

/** The name of what the panel shows, the connection, and what there is to say about both. */
export class HeaderView {
  #app;
  #title = document.getElementById("title");
  #file = document.getElementById("file");
  #connection = document.getElementById("connection");
  #connectionText = document.getElementById("connection-text");
  #icon = document.getElementById("icon");
  #schedule = onNextFrame(() => this.#drawTitle());
  #readOnly = document.getElementById("read-only");
  #notice = document.getElementById("notice");
  #text = document.getElementById("notice-text");

  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.#app = app;
    app.model.addEventListener("commands", () => this.#draw());
    for (const type of ["commands", "execution", "executions", "gone"]) {
      app.model.addEventListener(type, this.#schedule);
    }
    app.session.addEventListener("state", () => this.#drawConnection());
    app.model.addEventListener("journal", () => this.#drawConnection());
    document.getElementById("dismiss").addEventListener("click", () => show(this.#notice, false));
    this.#drawConnection();
  }

  /** Shows a sentence until the reader has read it. */
  notify(sentence) {
    setText(this.#text, sentence);
    show(this.#notice, true);
  }

  #draw() {
    const { title, file, folder, read_only: isReadOnly, error } = this.#app.model.panel;
    setText(this.#title, title);
    setText(this.#file, file);
    setAttribute(this.#file, "title", folder);
    show(this.#readOnly, isReadOnly);
    setAttribute(document.body, "data-read-only", isReadOnly);
    if (error) this.notify(`The changed file does not load; its commands stay. ${error}`);
    else show(this.#notice, false);
  }

  /** The tab tells what goes on and what has failed to those who look at another one. */
  #drawTitle() {
    const { model, records, session } = this.#app;
    const { title } = model.panel;
    if (title === "") return;
    const running = records.active;
    const failed = records.failed.size;
    const news = [running > 0 && `▶ ${running}`, failed > 0 && `✕ ${failed}`].filter(Boolean);
    const away = session.isConnected ? [] : ["not connected"];
    document.title = [...away, ...news, `${title} – Raclette`].join(" · ");
    setAttribute(
      this.#icon, "href", ICONS[running > 0 ? "running" : failed > 0 ? "failed" : "quiet"]);
  }

  #drawConnection() {
    this.#schedule();
    const { isConnected, reason } = this.#app.session;
    const problem = this.#app.model.journal?.problem;
    const state = problem ? "the journal is away, waiting for it…" : "connected";
    setText(this.#connectionText, isConnected ? state : REASONS[reason]);
    setAttribute(this.#connection, "title", isConnected && problem);
    setAttribute(document.body, "data-connected", String(isConnected));
    setAttribute(document.body, "data-away", isConnected && Boolean(problem));
  }
}
