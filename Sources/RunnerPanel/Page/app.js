import { Announcer } from "./announcer.js";
import { API, RequestError } from "./api.js";
import { Clock } from "./clock.js";
import { CommandPage } from "./command-page.js";
import { CommandsView } from "./commands-view.js";
import { ConfirmDialog } from "./confirm-dialog.js";
import { Connection } from "./connection.js";
import { Door } from "./door.js";
import { Drafts } from "./drafts.js";
import { ExecutionsView } from "./executions-view.js";
import { HeaderView } from "./header-view.js";
import { MessagesView } from "./messages-view.js";
import { Model } from "./model.js";
import { Notifier } from "./notifier.js";
import { OutputView } from "./output-view.js";
import { Presses } from "./presses.js";
import { Records } from "./records.js";
import { Route } from "./route.js";
import { Selection } from "./selection.js";
import { Session } from "./session.js";
import { Settings } from "./settings.js";
import { TimelineView } from "./timeline-view.js";
import { keepToken, takeGivenToken } from "./token.js";
import { WorkersView } from "./workers-view.js";

/** The page: its parts, and what they have in common. */
export class App {
  model = new Model();
  records = new Records(this.model);
  settings = new Settings();
  clock = new Clock();
  route = new Route();
  selection = new Selection(this.route);
  connection = new Connection();
  api = new API();
  #announcer;
  #drafts;

  /** @param {string} token "" for the one that other tabs have */
  constructor(token) {
    this.session = new Session(this.api, this.connection, this.model);
    this.#announcer = new Announcer(this.model, this.session);
    const dialog = new ConfirmDialog();
    this.presses = new Presses(
      this.api, this.connection.page, (asked) => dialog.ask(asked));
    this.header = new HeaderView(this);
    this.commands = new CommandsView(this);
    this.command = new CommandPage(this);
    this.executions = new ExecutionsView(this);
    this.timeline = new TimelineView(this);
    new Notifier(this);
    this.messages = new MessagesView(this.model);
    this.workers = new WorkersView(this.model);
    this.output = new OutputView(this);
    this.door = new Door(this.session, token === "", (given) => this.#open(given));
    this.session.addEventListener("renewed", ({ detail }) => {
      if (detail.isOther) this.notify("The panel was started again.");
    });
    this.connection.addEventListener("token", ({ detail }) => this.#take(detail.token));
    this.#open(token);
    // An address with another token, opened in this tab.
    addEventListener("hashchange", () => {
      const given = takeGivenToken(this.route.address);
      if (given) this.#open(given);
    });
  }

  /** What was typed into forms; known once the project is. */
  get drafts() {
    return (this.#drafts ??= new Drafts(this.model.panel.folder));
  }

  /** How a command has run over days. */
  historyOf(command) {
    return this.api.history(command);
  }

  /** Cancels an execution. */
  async cancel(id) {
    const state = this.model.executions.get(id)?.state;
    if (state === "cancelling" || !this.session.isConnected || this.model.panel.read_only) return;
    try {
      await this.api.cancel(id);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.kind !== "ended") this.notify(error.message);
    }
  }

  /** Sends a line to the process of an execution; the promise has false if it did not arrive. */
  async send(id, line) {
    try {
      await this.api.input(id, line);
      return true;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.notify(error.message);
      return false;
    }
  }

  /** Restarts a service; the promise has what has come of it. */
  restart(service) {
    return this.api.restart(service);
  }

  /** The last lines that a service has printed. */
  async logOf(service) {
    return (await this.api.log(service)).log;
  }

  /** Says something to those who hear the page. */
  announce(sentence) {
    this.#announcer.say(sentence);
  }

  /** Shows a sentence, and says it. */
  notify(sentence) {
    this.header.notify(sentence);
    this.announce(sentence);
  }

  /** Offers a token to the hub, which tells which one holds. */
  #open(token) {
    this.connection.open(token);
  }

  #take(token) {
    this.api.token = token;
    keepToken(token);
  }
}
