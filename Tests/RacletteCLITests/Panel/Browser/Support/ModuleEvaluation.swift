import Scripting

/// Evaluates expressions in a browser with a module of the page as `m`.
///
/// - Returns: their values as JSON.
func evaluateModule(_ name: String, _ expressions: [String]) async throws -> [String] {
  let panel = await RunningPanel(
    ["--listen", "127.0.0.1:0"], in: Folder(commands: "rac.command{name = 'a', run = 'true'}"))
  let page = try await BrowserPage(in: Chromium())
  try await page.open(panel.address)
  let values = try await page.evaluate(
    "import('/\(name).js').then(async (m) => [\(expressions.joined(separator: ","))]"
      + ".map((value) => JSON.stringify(value)))")
  return values.elements.compactMap(\.string)
}
