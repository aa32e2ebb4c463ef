import Platform
import Scripting

/// A tab of the browser.
struct BrowserPage: Sendable {
  let browser: Chromium
  private let session: String
  private let target: String

  /// Opens an empty tab.
  ///
  /// - Parameter context: whose storage and workers it shares; nil for those of the browser.
  init(in browser: Chromium, context: String? = nil) async throws {
    self.browser = browser
    var parameters: [(String, JSONValue)] = [("url", .string("about:blank"))]
    if let context { parameters.append(("browserContextId", .string(context))) }
    let made = try await browser.call("Target.createTarget", parameters)
    target = made["targetId"].string ?? ""
    let attached = try await browser.call(
      "Target.attachToTarget", [("targetId", .string(target)), ("flatten", .bool(true))])
    session = attached["sessionId"].string ?? ""
    for domain in ["Page", "Runtime", "Log"] { try await call("\(domain).enable") }
    try await resize(width: 1_280, height: 800)
  }

  /// Calls a method of the protocol for this tab.
  @discardableResult
  func call(_ method: String, _ parameters: (String, JSONValue)...) async throws -> JSONValue {
    try await browser.call(method, parameters, session: session)
  }

  /// Goes to an address. One that differs in its fragment only leaves the page as it is.
  func open(_ address: String) async throws {
    let loading = try await call("Page.navigate", ("url", .string(address)))
    if let problem = loading["errorText"].string { throw BrowserError.thrown(problem) }
    if !loading["loaderId"].isNull {
      _ = try await browser.event("Page.loadEventFired", session: session)
    }
  }

  func reload() async throws {
    try await call("Page.reload")
    _ = try await browser.event("Page.loadEventFired", session: session)
  }

  func close() async throws {
    try await browser.call("Target.closeTarget", [("targetId", .string(target))])
  }

  /// Evaluates an expression of JavaScript, and waits for it if it is a promise.
  @discardableResult
  func evaluate(_ expression: String) async throws -> JSONValue {
    let answer = try await call(
      "Runtime.evaluate", ("expression", .string(expression)), ("awaitPromise", .bool(true)),
      ("returnByValue", .bool(true)), ("userGesture", .bool(true)))
    let thrown = answer["exceptionDetails"]
    guard thrown.isNull else {
      throw BrowserError.thrown(
        thrown["exception"]["description"].string ?? thrown["exception"]["value"].string
          ?? thrown["text"].string ?? expression)
    }
    return answer["result"]["value"]
  }

  func text(of selector: String) async throws -> String {
    try await evaluate("document.querySelector(\(quoted(selector)))?.textContent").string ?? ""
  }

  /// Waits until an expression is true, which it is asked at each change of the document.
  ///
  /// - Returns: the expression's value.
  @discardableResult
  func wait(_ expression: String) async throws -> JSONValue {
    try await evaluate(
      """
      new Promise((done, fail) => {
        const look = () => {
          const value = (\(expression));
          if (!value) return;
          observer.disconnect();
          clearTimeout(limit);
          done(value);
        };
        const observer = new MutationObserver(look);
        const limit = setTimeout(() => {
          observer.disconnect();
          fail(new Error(\(quoted("it did not come to be: \(expression)")) + "\\n" + location.href
            + "\\n" + document.body.innerText));
        }, 60_000);
        observer.observe(document, {
          subtree: true, childList: true, attributes: true, characterData: true,
        });
        look();
      })
      """)
  }

  /// Presses the mouse on the middle of an element, as soon as there is one that stays where it is and
  /// that nothing covers: a page that is being drawn moves what is on it. A press that finds it moved all
  /// the same is kept from the page, and made again.
  func click(_ selector: String, shift: Bool = false) async throws {
    repeat {
      let place = try await place(of: selector)
      for kind in ["mousePressed", "mouseReleased"] {
        try await call(
          "Input.dispatchMouseEvent", ("type", .string(kind)), ("x", place.elements[0]),
          ("y", place.elements[1]), ("button", .string("left")), ("clickCount", .integer(1)),
          ("modifiers", .integer(shift ? 8 : 0)))
      }
    } while try await evaluate("endPress()").bool == false
  }

  /// The middle of an element that can be pressed. Until `endPress()`, whose value is whether the press has
  /// found the element, the page gets no press of anything else.
  private func place(of selector: String) async throws -> JSONValue {
    try await evaluate(
      """
      new Promise((done, fail) => {
        const selector = \(quoted(selector));
        let before = "";
        const limit = setTimeout(
          () => fail(new Error(`nothing to press: ${selector}\\n${document.body.innerText}`)), 60_000);
        const guard = (element) => {
          let isFound = true;
          let isPressed = false;
          const check = (event) => {
            // What the first event does may take the element away.
            const isGone = isPressed && !element.isConnected;
            isPressed = true;
            if (isFound && (element.contains(event.target) || isGone)) return;
            isFound = false;
            event.stopImmediatePropagation();
            event.preventDefault();
          };
          const kinds = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
          for (const kind of kinds) addEventListener(kind, check, true);
          window.endPress = () => {
            for (const kind of kinds) removeEventListener(kind, check, true);
            return isFound;
          };
        };
        const look = () => {
          const element = document.querySelector(selector);
          if (element) {
            element.scrollIntoView({block: "nearest"});
            const {x, y, width, height} = element.getBoundingClientRect();
            const place = [x + width / 2, y + height / 2];
            const isStill = width > 0 && before === place.join();
            if (isStill && element.contains(document.elementFromPoint(...place))) {
              clearTimeout(limit);
              guard(element);
              return done(place);
            }
            before = place.join();
          }
          requestAnimationFrame(look);
        };
        look();
      })
      """)
  }

  /// Turns the mouse wheel over an element.
  func wheel(_ selector: String, by distance: Int64) async throws {
    let place = try await evaluate(
      """
      (() => {
        const box = document.querySelector(\(quoted(selector))).getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
      })()
      """)
    try await call(
      "Input.dispatchMouseEvent", ("type", .string("mouseWheel")), ("x", place.elements[0]),
      ("y", place.elements[1]), ("deltaX", .integer(0)), ("deltaY", .integer(distance)))
  }

  /// Types a text where the focus is.
  func type(_ text: String) async throws {
    try await call("Input.insertText", ("text", .string(text)))
  }

  /// Presses a key: a name such as `Enter`, or a character.
  func press(_ key: String, shift: Bool = false, control: Bool = false) async throws {
    let codes: [String: Int64] = [
      "Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35,
      "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Delete": 46,
    ]
    var parameters: [(String, JSONValue)] = [
      ("key", .string(key)), ("modifiers", .integer((shift ? 8 : 0) | (control ? 2 : 0))),
    ]
    if let code = codes[key] { parameters.append(("windowsVirtualKeyCode", .integer(code))) }
    let text = key == "Enter" ? "\r" : key.count == 1 && !control ? key : ""
    try await browser.call(
      "Input.dispatchKeyEvent",
      parameters + [
        ("type", .string(text.isEmpty ? "rawKeyDown" : "keyDown")), ("text", .string(text)),
      ], session: session)
    try await browser.call(
      "Input.dispatchKeyEvent", parameters + [("type", .string("keyUp"))], session: session)
  }

  func resize(width: Int64, height: Int64, isPhone: Bool = false) async throws {
    try await call(
      "Emulation.setDeviceMetricsOverride", ("width", .integer(width)),
      ("height", .integer(height)), ("deviceScaleFactor", .integer(1)), ("mobile", .bool(isPhone)))
    try await call("Emulation.setTouchEmulationEnabled", ("enabled", .bool(isPhone)))
  }

  /// Sets what style sheets ask the reader's wishes for, such as `prefers-color-scheme`.
  func prefer(_ wishes: [(name: String, value: String)]) async throws {
    let features = wishes.map { wish in
      JSONValue.object([("name", .string(wish.name)), ("value", .string(wish.value))])
    }
    try await call("Emulation.setEmulatedMedia", ("features", .list(features)))
  }

  /// A picture of what is seen, as PNG in base 64.
  func picture() async throws -> String {
    try await call("Page.captureScreenshot", ("format", .string("png")))["data"].string ?? ""
  }

  /// What was written to the console as an error, or thrown and not caught, so far.
  func problems() -> [String] {
    let thrown = browser.events("Runtime.exceptionThrown", session: session).map {
      $0["exceptionDetails"]["exception"]["description"].string ?? $0.text
    }
    let logged = browser.events("Log.entryAdded", session: session).map { $0["entry"] }
      .filter { $0["level"].string == "error" }.map { $0["text"].string ?? $0.text }
    return thrown + logged
  }
}

/// A text as a literal of JavaScript.
func quoted(_ text: String) -> String { JSONValue.string(text).text }
