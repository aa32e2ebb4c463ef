/**
 * Takes a stream of server-sent events apart. Of each message it tells the place, the page that it is for
 * ("" for all) and the data, whose lines are JSON documents, as the inside of a JSON list.
 *
 * @typedef {{place: string, page: string, text: string}} Message
 */
export class EventText {
  #rest = "";

  /**
   * @param {string} piece the next part of the stream, cut anywhere
   * @returns {Message[]} the messages that are complete now
   */
  take(piece) {
    const blocks = (this.#rest + piece).replaceAll("\r\n", "\n").split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.map(readBlock).filter((message) => message.text !== "");
  }
}

function readBlock(block) {
  const message = { place: "", page: "", text: "" };
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    else if (line.startsWith("id:")) message.place = line.slice(3).trim();
    else if (line.startsWith("event:")) message.page = line.slice(6).trim();
  }
  message.text = data.join(",");
  return message;
}
