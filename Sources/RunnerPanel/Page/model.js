import { failureText } from "./state-text.js";

/**
 * @typedef {{name: string, summary?: string, description?: string, params?: Parameter[],
 *   needs?: string[], needs_in_order?: boolean, steps?: string[], open?: boolean,
 *   confirm?: string, asks?: boolean, group?: string, recent?: Result[], last?: Result,
 *   pin?: {input?: any}, refresh?: boolean, enabled: boolean, reason?: string,
 *   asked?: boolean, running: number, limit?: number, queued: number, service?: Service}} Command
 * @typedef {{id: number, state: string, duration?: number, up_to_date?: boolean, ended?: number}} Result
 * @typedef {{state: string, users: number, restarts: number, since: number, pid?: number,
 *   probe?: string, failure?: string}} Service
 * @typedef {{name: string, type: string, required?: boolean, rest?: boolean, default?: any,
 *   choices?: (string | number | boolean)[], help?: string, secret?: boolean}} Parameter
 * @typedef {{id: number, command: string, input?: any, state: string, attempt?: number,
 *   created: number, started?: number, ended?: number, outputs?: number, lost?: number,
 *   by?: string, cancelled_by?: string, requested?: boolean, for?: number, takes_lines?: boolean,
 *   waits?: {resources?: string, holder: string}, up_to_date?: boolean, saved?: number, worker?: string, batch?: number, hub?: number, error?: {message: string, stderr?: string}}} Execution
 * @typedef {{name: string, jobs: number, running: number, tags: string[], draining: boolean}} Worker
 * @typedef {{name: string, problem?: string, workers: Worker[]}} Journal
 * @typedef {{key: string, time: number, command?: string, execution?: number, message: string,
 *   level: string}} Message
 */

/** How many executions that have ended are kept, and how many messages. */
const KEPT = 200;

const STATES = {
  execution_waiting: "waiting", execution_queued: "queued", execution_started: "running",
  cancelling: "cancelling", completed: "completed", error: "failed", cancelled: "cancelled",
};

/** Whether an execution goes on. */
export function isActive(execution) {
  return !["completed", "failed", "cancelled"].includes(execution.state);
}

/**
 * What the page knows: the answers of the panel, brought up to date by its events.
 *
 * The events `commands` (there are others), `command` and `execution` (detail: the one that has
 * changed), `executions` (all are others), `gone` (detail: those that are no longer kept), `message`,
 * `ended` (detail: an execution), `enabled` (detail: a command), `joined` (detail: the numbers of an
 * `execution` and of that `into` which it went) and `journal` (what is known of it) come from it.
 */
export class Model extends EventTarget {
  panel = { title: "", file: "", read_only: false };
  /** @type {Journal | null} What workers share; null if the panel executes by itself. */
  journal = null;
  /** @type {{title?: string, commands: string[]}[]} */
  groups = [];
  /** @type {Map<string, Command>} */
  commands = new Map();
  /** @type {Map<number, Execution>} */
  executions = new Map();
  /** @type {Message[]} The latest comes last. */
  messages = [];
  /** Seconds by which the panel's clock is ahead of this machine's. */
  #clockOffset = 0;
  /** When the panel was heard last; null while it is there. */
  #stopped = null;

  /**
   * The time on the panel's clock, in seconds since 1970. It stops while the panel is away: what goes on
   * there is not known.
   */
  get now() {
    return this.#stopped ?? Date.now() / 1000 + this.#clockOffset;
  }

  /** Sets the panel's clock, which goes on. */
  setClock(now) {
    this.#clockOffset = now - Date.now() / 1000;
    this.#stopped = null;
  }

  /** Stops the clock. */
  stop() {
    this.#stopped = this.now;
  }

  /** Takes over an answer about the commands. */
  takeCommands({ groups, commands, journal = null, ...panel }) {
    this.panel = panel;
    this.#takeJournal(journal);
    this.groups = groups;
    this.commands = new Map(commands.map((command) => [command.name, command]));
    this.#tell("commands");
  }

  /** Takes over an answer about the executions. */
  takeExecutions({ executions }) {
    const oldestFirst = executions.toReversed();
    this.executions = new Map(oldestFirst.map((execution) => [execution.id, execution]));
    for (const execution of this.executions.values()) {
      if (execution.state === "failed") this.#noteFailure(execution, execution.ended);
    }
    this.#tell("executions");
    this.#tell("message");
  }

  /** Forgets everything: another panel answers now. */
  clear() {
    this.messages = [];
    this.takeExecutions({ executions: [] });
  }

  #takeJournal(journal) {
    this.journal = journal;
    this.#tell("journal");
  }

  /** Applies an event. */
  apply(event) {
    if (event.type === "enabled") this.#applyEnabled(event);
    else if (event.type === "retry") this.#change(event, { attempt: event.attempt });
    else if (event.type === "up_to_date") {
      const { saved } = event;
      this.#change(event, { up_to_date: true, ...(saved !== undefined && { saved }) });
    }
    else if (event.type === "joined") this.#join(event);
    else if (event.type === "waits") this.#applyWaits(event);
    else if (event.type === "journal") this.#takeJournal(event);
    else if (STATES[event.type] && event.execution !== undefined) this.#applyState(event);
    else if (event.type === "log" || event.error !== undefined) this.#applyMessage(event);
    // A line of a process that belongs to no execution.
    else if (event.type === "stderr") this.#applyMessage({ ...event, level: "stderr" });
  }

  #applyEnabled({ command: name, type, v, seq, ts, value, ...state }) {
    const command = this.commands.get(name);
    if (!command) return;
    const was = command.enabled;
    for (const key of ["reason", "asked", "limit", "service"]) delete command[key];
    Object.assign(command, { running: 0, queued: 0 }, state, { enabled: value });
    this.#tell("command", command);
    if (was !== value) this.#tell("enabled", command);
  }

  #applyState({ type, ts, outputs, error, started, ended, ...fields }) {
    const state = STATES[type];
    const changes = { state, waits: undefined };
    if (state === "running") changes.started = ts;
    if (started !== undefined) changes.started = started;
    for (const key of ["worker", "batch", "hub", "attempt", "takes_lines", "cancelled_by"]) {
      if (fields[key] !== undefined) changes[key] = fields[key];
    }
    if (outputs !== undefined) changes.outputs = outputs;
    if (error !== undefined) changes.error = error;
    const isEnd = !isActive({ state });
    if (isEnd) changes.ended = ended ?? ts;
    const execution = this.#change({ ...fields, ts }, changes);
    if (state === "failed") this.#noteFailure(execution, ts);
    if (isEnd) {
      this.#tell("ended", execution);
      this.#dropOldest();
    }
  }

  /** What some command waits for is the same for all of its executions. */
  #applyWaits({ command, resources, holder }) {
    for (const execution of this.executions.values()) {
      if (execution.command !== command || !["waiting", "queued"].includes(execution.state)) continue;
      execution.waits = { resources, holder };
      this.#tell("execution", execution);
    }
  }

  #applyMessage({ ts, seq, level = "error", command, error, message, value }) {
    const text = message ?? value ?? error?.message ?? error;
    this.#note({ key: `event ${seq}`, time: ts, command, message: String(text), level });
  }

  #change({ execution: id, command, input, requested, for: request, by, ts }, changes) {
    let execution = this.executions.get(id);
    if (!execution) {
      execution = { id, command, input, requested, for: request, by, created: ts, state: "waiting" };
      this.executions.set(id, execution);
    }
    Object.assign(execution, changes);
    this.#tell("execution", execution);
    return execution;
  }

  /** A request has become part of another execution. */
  #join({ execution, into }) {
    this.#drop([execution]);
    this.#tell("joined", { execution, into });
  }

  #dropOldest() {
    const ended = [...this.executions.values()].filter((execution) => !isActive(execution));
    const surplus = ended.length - KEPT;
    if (surplus <= 0) return;
    this.#drop(ended.slice(0, surplus).map(({ id }) => id));
  }

  #drop(ids) {
    const gone = ids.map((id) => this.executions.get(id)).filter(Boolean);
    for (const id of ids) this.executions.delete(id);
    this.#tell("gone", gone);
  }

  #noteFailure(execution, time) {
    const message = failureText(execution.error) || "failed";
    this.#note({
      key: `execution ${execution.id}`, time, command: execution.command, execution: execution.id,
      message, level: "error",
    });
  }

  /** A failure is heard of once, however often it is told. */
  #note(message) {
    if (this.messages.some((known) => known.key === message.key)) return;
    this.messages.push(message);
    if (this.messages.length > KEPT) this.messages.shift();
    this.#tell("message");
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
