import { JSONText } from "./json-text.js";

/**
 * The state of a command, for eyes and ears.
 *
 * @param {import("./model.js").Command} command
 * @param {boolean} isConnected
 * @param {boolean} isShared whether workers execute it
 * @returns {{kind: string, text: string}} `kind` is a class of the style sheet
 */
export function commandState(command, isConnected, isShared = false) {
  if (!isConnected) return { kind: "unknown", text: "not connected" };
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
  return { kind, text: parts.join(", ") };
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

/** A failure in words: with the last line of the standard error of a process, which is often the reason. */
export function failureText(error) {
  if (!error) return "";
  const lines = (error.stderr ?? "").replace(/\x1b\[[0-9;]*m/g, "").split("\n");
  const last = lines.findLast((line) => line.trim() !== "");
  return last === undefined ? error.message : `${error.message}: ${last.trim()}`;
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
