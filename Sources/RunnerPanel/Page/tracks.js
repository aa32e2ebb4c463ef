/**
 * Lays executions out side by side: each command has a lane, or each worker if there are some, and in it as
 * many tracks as it has executions at a time.
 *
 * @param {import("./model.js").Execution[]} executions in the order of their starts
 * @param {number} now in seconds since 1970
 * @returns {{lanes: {name: string, tracks: number}[],
 *   track: Map<number, {lane: number, track: number}>}} `track` by the execution's number
 */
export function layOut(executions, now) {
  const lanes = new Map();
  const track = new Map();
  for (const { id, command, worker, started, ended = now } of executions) {
    const name = worker ?? command;
    if (!lanes.has(name)) lanes.set(name, { index: lanes.size, ends: [] });
    const { index, ends } = lanes.get(name);
    const free = ends.findIndex((end) => end <= started);
    const place = free < 0 ? ends.length : free;
    ends[place] = ended;
    track.set(id, { lane: index, track: place });
  }
  return {
    lanes: [...lanes].map(([name, { ends }]) => ({ name, tracks: ends.length })),
    track,
  };
}
