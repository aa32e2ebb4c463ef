import Platform
import Testing

/// A page that a browser shows of a panel.
struct Visit: Sendable {
  let folder: Folder
  let panel: RunningPanel
  let browser: Chromium
  let page: BrowserPage

  /// Opens the panel of a command file, and waits until its page is connected.
  init(
    commands: String, _ arguments: String...
  ) async throws {
    folder = Folder(commands: commands)
    panel = await RunningPanel(["--listen", "127.0.0.1:0"] + arguments, in: folder)
    browser = Chromium()
    page = try await BrowserPage(in: browser)
    try await page.open(panel.address)
    try await page.waitForConnection()
  }

  /// Another tab of the same browser.
  func tab(showing execution: Int? = nil) async throws -> BrowserPage {
    let page = try await BrowserPage(in: browser)
    let suffix = execution.map { "&execution=\($0)" } ?? ""
    try await page.open(panel.address + suffix)
    try await page.waitForConnection()
    return page
  }

  /// A tab of a browser that knows nothing of the others.
  func stranger() async throws -> BrowserPage {
    let made = try await browser.call("Target.createBrowserContext")
    return try await BrowserPage(in: browser, context: made["browserContextId"].string)
  }
}

/// The parts of the panel's page.
extension BrowserPage {
  func waitForConnection() async throws {
    try await wait("document.body?.dataset.connected === 'true'")
  }

  /// Goes to a view of the page.
  func go(to address: String) async throws {
    try await evaluate("location.hash = \(quoted(address))")
    try await wait("document.body.dataset.view && location.hash === \(quoted(address))")
  }

  static func row(_ command: String) -> String { "li[data-command='\(command)']" }

  func press(command: String) async throws {
    try await click("\(Self.row(command)) .press")
  }

  /// Keeps the answers to presses of commands back, each until `releaseAnswers(to:)` is called for it.
  func holdAnswers(to commands: String...) async throws {
    // In a function, for what a script declares itself comes before what the window has.
    try await evaluate(
      """
      (() => {
        const {fetch} = window;
        window.held = new Map();
        for (const name of [\(commands.map(quoted).joined(separator: ","))]) {
          held.set(`api/v1/commands/${name}/executions`, Promise.withResolvers());
        }
        window.fetch = async (address, ...options) => {
          const answer = await fetch(address, ...options);
          await held.get(address)?.promise;
          return answer;
        };
      })()
      """)
  }

  func releaseAnswers(to command: String) async throws {
    try await evaluate("held.get('api/v1/commands/\(command)/executions').resolve()")
  }

  /// Waits until the button of a command can be pressed: it is enabled a moment after the end of an
  /// execution.
  func waitForPress(of command: String) async throws {
    try await wait(
      "document.querySelector(\"\(Self.row(command)) .press\")?.ariaDisabled !== 'true'")
  }

  /// Waits until a command's state has a text.
  ///
  /// - Returns: the whole of it.
  @discardableResult
  func waitForState(of command: String, containing text: String) async throws -> String {
    try await wait(
      """
      (() => {
        const text = document.querySelector("\(Self.row(command)) .state")?.textContent ?? "";
        return text.includes(\(quoted(text))) && text;
      })()
      """
    ).string ?? ""
  }

  /// Whether a command's button takes a press.
  func isOn(_ command: String) async throws -> Bool {
    try await evaluate(
      "document.querySelector(\"\(Self.row(command)) .press\").ariaDisabled === 'false'"
    ).bool ?? false
  }

  /// Waits until the shown execution has a state.
  func waitForExecution(_ state: String) async throws {
    try await wait("document.getElementById('output-state').textContent === \(quoted(state))")
  }

  /// Waits until the output that is seen has a line.
  func waitForLine(_ line: String) async throws {
    try await wait("\(Self.lines).includes(\(quoted(line)))")
  }

  /// The lines of output that are drawn.
  func lines() async throws -> [String] {
    try await evaluate(Self.lines).elements.compactMap(\.string)
  }

  private static let lines =
    "[...document.querySelectorAll('#lines .row:not([hidden])')].map((row) => row.textContent)"
}

/// Whether a browser is there, and what to say if not.
let browserIsThere: some TestTrait & SuiteTrait = .enabled(
  if: Chromium.program != nil, Comment(rawValue: Chromium.hint))

/// Tests of the page in a browser: the way through it, and its connection. One after the other, beside those
/// of its content: two browsers take what a small machine has.
@Suite("the panel's page", .serialized, browserIsThere, .timeLimit(.minutes(5)))
enum PanelPageTests {}

/// Tests of what the page shows of runs, of its forms, and of its modules alone.
@Suite("the content of the panel's page", .serialized, browserIsThere, .timeLimit(.minutes(5)))
enum PageContentTests {}
