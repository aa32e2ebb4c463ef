import { JSONText } from "./json-text.js";

/**
 * The state of a command, for eyes and ears.
 *
 * @param {import("./model.js").Command} command
 * @param {boolean} isConnected
 * @param {boolean} isShared whether workers execute it
 * @returns {{kind: string, text: string, isNews: boolean}} `kind` is a class of the style sheet; what is no
 *   news is only for those who hear the page
 */
export function commandState(command, isConnected, isShared = false) {
  if (!isConnected) return { kind: "unknown", text: "not connected", isNews: false };
  const parts = command.service ? [serviceState(command.service)] : [];
  if (command.running > 0) {
    parts.push(`running ${command.running}` + (command.limit ? ` of ${command.limit}` : ""));
  }
  if (command.queued > 0) parts.push(`${command.queued} queued`);
  if (!command.enabled && (command.running === 0 || !isBusy(command))) {
    parts.push("not enabled" + (command.reason ? `: ${command.reason}` : ""));
  } else if (command.asked && parts.length === 0) parts.push(isShared ? "asked by workers" : "asked when pressed");
  if (parts.length === 0) parts.push("enabled");
  const kind = command.running > 0 ? "running" : command.enabled ? "enabled" : "disabled";
  const isOff = !command.enabled && command.running === 0;
  const isNews = Boolean(command.service && command.service.state !== "down")
    || isOff || command.queued > 0 || command.running > 1;
  return { kind, text: parts.join(", "), isNews };
}

/** Whether a service does not do what it is there for. */
export function isInTrouble(service) {
  return service !== undefined && ["unready", "failed"].includes(service.state);
}

/** With what an execution ended, as shortly as it can be said; "" for a success. */
export function endText({ state, error }) {
  if (state !== "failed") return "";
  if (error?.kind === "exit" && error.code !== undefined) return `exit ${error.code}`;
  return error?.kind === "timeout" ? "timed out" : "";
}

const REQUESTERS = {
  page: "from a page", agent: "by an agent", "command line": "from the command line",
  client: "from the API",
};

/** A step of a command's work, as the journal names it too. */
export function stepText({ number, count, name }) {
  return `step ${number} of ${count}: ${name}`;
}

/** What has requested an execution. */
export function requesterText(by) {
  return REQUESTERS[by] ?? `by ${by}`;
}

/** Why an execution was begun: a press needs no words. */
export function causeText({ for: request, by, batch, worker, hub }) {
  const causes = [
    request && `for #${request}`, ["agent", "command line"].includes(by) && requesterText(by),
    batch && `batch ${batch}`, worker && `on ${worker}`, hub && `number ${hub} in the hub`,
  ];
  return causes.filter(Boolean).join(", ");
}

/** The state of a service with the reason, and how many use it. */
function serviceState({ state, probe, failure, users }) {
  const why = ["ready", "unready", "starting"].includes(state) ? probe : failure;
  const used = users > 0 ? ` (${users} ${users === 1 ? "user" : "users"})` : "";
  return state + used + (why && state !== "down" ? `: ${why}` : "");
}

/** Whether all its places are taken. */
function isBusy(command) {
  return command.limit !== undefined && command.running >= command.limit;
}

/** The state of an execution in words. */
export function executionState(execution) {
  if (execution.state === "completed" && execution.up_to_date)
    return execution.saved === undefined ? "up to date" : "restored";
  return execution.state;
}

/** What an execution waits for that others have, in words; "" for nothing. */
export function waitText({ waits }) {
  return waits ? `${waits.resources ? `for ${waits.resources}: ` : ""}${waits.holder}` : "";
}

/** A failure in words: with the last line of the standard error of a process, which is often the reason. */
export function failureText(error) {
  if (!error) return "";
  const last = lastErrorLine(error);
  return last === undefined ? error.message : `${error.message}: ${last}`;
}

/** The last line of the standard error of a process; undefined if it wrote none. */
export function lastErrorLine(error) {
  const lines = (error?.stderr ?? "").replace(/\x1b\[[0-9;]*m/g, "").split("\n");
  return lines.findLast((line) => line.trim() !== "")?.trim();
}

/** For how many seconds an execution has run, or waited. */
export function elapsed(execution, now) {
  return (execution.ended ?? now) - (execution.started ?? execution.created);
}

/**
 * An input as one would type it: `target=release n=3`.
 *
 * @param {import("./json-text.js").JSONText | string | boolean | null} [input]
 */
export function inputText(input) {
  if (input === undefined || input === null) return "";
  const members = input instanceof JSONText ? input.members : null;
  if (members === null) return typeof input === "string" ? JSON.stringify(input) : String(input);
  return members
    .filter(([, value]) => !(value instanceof JSONText) || value.elements?.length !== 0)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
