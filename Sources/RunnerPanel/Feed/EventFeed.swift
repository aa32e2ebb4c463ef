import EventLoop
import RunnerCore

/// The stream of events of a panel, and its readers. On the loop's thread.
final class EventFeed: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  /// The time that output is collected before it is sent.
  private static let outputDelay = Duration.milliseconds(16)
  /// The time that a line is given to end before it is sent as it is.
  private static let begunDelay = Duration.milliseconds(30)
  /// The time after which a reader gets something, if nothing happens. A page that gets nothing for
  /// nine seconds says so.
  private static let signOfLife = Duration.seconds(3)

  /// A name of this start of the server.
  let server: String
  private(set) var ring = EventRing()
  /// The number of the latest event or output.
  private(set) var number = 0
  private let loop: EventLoop
  private var readers: [ObjectIdentifier: EventReader] = [:]
  private var outputTimer: Timer?
  private var begunTimer: Timer?
  /// The executions that have begun a line since readers looked.
  private var begun: [Int: PanelExecution] = [:]
  private var lifeTimer: Timer?
  /// The executions with output that has not been announced to readers.
  private var changed: [Int: PanelExecution] = [:]
  /// Called when an event has been added to the ring.
  var onEvent: () -> Void = {}
  /// The beginning of the line that tells readers their place.
  let placeStart: [UInt8]
  /// Called with the pages of a reader that has ended.
  var onReaderEnd: (([String]) -> Void)?

  init(_ loop: EventLoop) throws(PanelError) {
    self.loop = loop
    server = try RandomText.make(bytes: 9)
    placeStart = Array("id: \(server).".utf8)
  }

  /// Takes numbers for events that do not go into the ring.
  ///
  /// - Returns: the first of them.
  func takeNumbers(_ count: Int) -> Int {
    defer { number += count }
    return number + 1
  }

  /// Sends an event to all readers, or to those of a page.
  func send(
    _ type: String, _ fields: [EventJSON.Field], execution: Int? = nil, to page: String? = nil
  ) {
    let number = takeNumbers(1)
    ring.append(
      PanelEvent(
        page: page, execution: execution, isEnd: EventJSON.isEnd(type), number: number,
        bytes: Array(EventJSON.text(number, type, fields).utf8)))
    onEvent()
    for reader in readers.values { reader.eventsHaveCome() }
  }

  /// The event for a reader that was overtaken.
  func gap(_ count: Int) -> [UInt8] {
    Array(EventJSON.text(takeNumbers(1), "gap", [("missed", "\(count)")]).utf8)
  }

  /// The execution has new output.
  func outputHasCome(to execution: PanelExecution) {
    guard !readers.isEmpty, changed.updateValue(execution, forKey: execution.id) == nil else {
      return
    }
    guard outputTimer == nil else { return }
    outputTimer = loop.timer(after: Self.outputDelay) { [unowned self] in
      outputTimer = nil
      announceOutput()
    }
  }

  /// The execution has begun a line, or gone on with it.
  func lineHasBegun(of execution: PanelExecution) {
    guard !readers.isEmpty else { return }
    begun[execution.id] = execution
    guard begunTimer == nil else { return }
    begunTimer = loop.timer(after: Self.begunDelay) { [unowned self] in
      begunTimer = nil
      let executions = begun.values
      begun = [:]
      for execution in executions {
        execution.lookAtErrors?()
        if !execution.begun.bytes.isEmpty { outputHasCome(to: execution) }
      }
    }
  }

  private func announceOutput() {
    let executions = changed.values
    changed = [:]
    for reader in readers.values where executions.contains(where: reader.looks) {
      reader.outputIsDue()
    }
  }

  // MARK: Readers

  var readerCount: Int { readers.count }

  /// The number of readers of all executions that have been sent everything.
  var observerCount: Int { readers.values.count { $0.everything != nil && $0.isAtEnd } }

  func reader(_ id: String) -> EventReader? { readers.values.first { $0.id == id && id != "" } }

  func add(_ reader: EventReader) {
    readers[ObjectIdentifier(reader)] = reader
    guard lifeTimer == nil else { return }
    lifeTimer = loop.timer(after: Self.signOfLife, every: Self.signOfLife) { [unowned self] in
      for reader in readers.values { reader.giveSignOfLife() }
    }
    lifeTimer?.unref()
  }

  /// An execution begins that another one needs.
  func begins(_ need: PanelExecution) {
    for reader in readers.values { reader.follow(need) }
  }

  func remove(_ reader: EventReader) {
    guard readers.removeValue(forKey: ObjectIdentifier(reader)) != nil else { return }
    if readers.isEmpty {
      lifeTimer?.cancel()
      lifeTimer = nil
    }
    onReaderEnd?(reader.pages.map(\.name))
  }

  func hasPage(_ name: String) -> Bool {
    readers.values.contains { $0.pages.contains { $0.name == name } }
  }

  func removePage(_ name: String) {
    for reader in readers.values { reader.removePage(name) }
  }

  func close() {
    outputTimer?.cancel()
    begunTimer?.cancel()
    lifeTimer?.cancel()
  }
}
