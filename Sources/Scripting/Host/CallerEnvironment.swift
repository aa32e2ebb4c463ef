import Platform
import Synchronization

/// The variables that work begins with, before those of its command: those of this program, or those of
/// another process that has asked for the work. What scripts change in it counts for all that begins with
/// it from then on. Any thread.
package final class CallerEnvironment: Sendable {
  /// That of this program.
  package static let own = CallerEnvironment(of: nil, isOfThisProgram: true)

  fileprivate struct State {
    /// The entries `NAME=value`; nil for those of this program.
    var entries: [[UInt8]]?
    /// What scripts have changed, with the values before.
    var originals: [(name: [UInt8], value: [UInt8]?)] = []
    /// What scripts have read before they changed it, with the values.
    var readings: [(name: [UInt8], value: [UInt8]?)] = []
    /// True if scripts have read all variables.
    var isReadWhole = false
    /// True if scripts have read the folder.
    var isFolderRead = false
  }

  private let state: Mutex<State>
  /// True for that of this program, of which it is not noted what scripts read.
  let isOwn: Bool
  /// True if its variables are those of this program, apart from what scripts change.
  let isOfThisProgram: Bool
  /// The folder that another process was called from; nil if it is not known.
  private let folder: String?

  /// That of this program for one interpreter: what its scripts change counts for what begins in that
  /// interpreter, and the next one begins with what this one has begun with.
  package static func ofOneInterpreter() -> CallerEnvironment {
    CallerEnvironment(of: ProcessEnvironment.entries { _ in true }, isOfThisProgram: true)
  }

  /// That of another process.
  ///
  /// - Parameters:
  ///   - entries: `NAME=value`.
  ///   - folder: the absolute path of the folder that it was called from; nil if that is not known.
  ///   - changes: what its scripts have changed in it.
  package convenience init(
    _ entries: [[UInt8]], in folder: String? = nil, changes: [EnvironmentChange] = []
  ) {
    self.init(of: entries, in: folder, isOfThisProgram: false)
    for (name, value) in changes { set(name, to: value) }
  }

  private init(of entries: [[UInt8]]?, in folder: String? = nil, isOfThisProgram: Bool) {
    state = Mutex(State(entries: entries))
    self.folder = folder
    isOwn = entries == nil
    self.isOfThisProgram = isOfThisProgram
  }

  /// The absolute path of the folder that the process was called from; nil if the folder is gone.
  var invocationFolder: String? {
    if isOfThisProgram { return InvocationFolder.path }
    state.withLock { $0.isFolderRead = true }
    return folder
  }

  /// The value of a variable; nil if it is not set.
  package func value(of name: String) -> [UInt8]? {
    if isOwn { return ProcessEnvironment.value(of: name)?.exactBytes }
    return name.withExactBytes { name in state.withLock { $0.read(name) } }
  }

  /// All variables.
  package var variables: [(name: String, value: [UInt8])] {
    if isOwn { return ProcessEnvironment.variables() }
    return state.withLock { state in
      state.isReadWhole = true
      return (state.entries ?? []).map(Self.parts)
    }
  }

  /// The entries `NAME=value` of the variables whose names are to be kept.
  func entries(where isKept: (UnsafeRawBufferPointer) -> Bool) -> [[UInt8]] {
    if isOwn { return ProcessEnvironment.entries(where: isKept) }
    return state.withLock { $0.entries ?? [] }.filter { entry in
      entry.withUnsafeBytes { isKept(UnsafeRawBufferPointer(rebasing: $0.prefix { $0 != equals })) }
    }
  }

  /// Sets a variable, or removes it if `value` is nil, because a script does.
  func set(_ name: String, to value: [UInt8]?) {
    let bytes = name.exactBytes
    let before = isOwn ? ProcessEnvironment.value(of: name)?.exactBytes : nil
    state.withLock { state in
      state.note(bytes, before: isOwn ? before : state.value(of: bytes))
      state.set(bytes, to: value)
    }
    if isOwn { ProcessEnvironment.set(name, to: value) }
  }

  // MARK: What scripts have changed and read

  /// What scripts have changed, with the present values.
  package var changes: [EnvironmentChange] {
    let names = state.withLock { $0.originals.map { String(exactly: $0.name) } }
    return names.map { name in
      (name, isOwn ? ProcessEnvironment.value(of: name)?.exactBytes : present(name))
    }
  }

  /// The variables without what scripts have changed.
  package var originals: [(name: String, value: [UInt8])] {
    let (originals, entries) = state.withLock { ($0.originals, $0.entries) }
    let present = entries.map { $0.map(Self.parts) } ?? ProcessEnvironment.variables()
    guard !originals.isEmpty else { return present }
    let kept = present.filter { variable in
      !originals.contains { $0.name == variable.name.exactBytes }
    }
    return kept
      + originals.compactMap { name, value in value.map { (String(exactly: name), $0) } }
  }

  /// Undoes what scripts have changed: the next ones begin with what those have begun with.
  package func undoChanges() {
    let originals = state.withLock { $0.originals }
    for (name, value) in originals { set(String(exactly: name), to: value) }
    state.withLock { $0.originals = [] }
  }

  /// True if scripts that have read this environment could have read something else in another one.
  ///
  /// - Parameters:
  ///   - entries: those of the other one, without what scripts have changed in it.
  ///   - folder: the folder that the other process was called from.
  package func wasRead(
    differentlyFrom entries: [[UInt8]], in folder: String? = nil
  ) -> Bool {
    let state = state.withLock { $0 }
    let other = State(entries: entries)
    if state.readings.contains(where: { other.value(of: $0.name) != $0.value }) { return true }
    if state.isFolderRead, folder != self.folder { return true }
    guard state.isReadWhole else { return false }
    let own = originals.map { $0.name.exactBytes + [equals] + $0.value }
    return Set(own) != Set(entries)
  }

  private func present(_ name: String) -> [UInt8]? {
    name.withExactBytes { name in state.withLock { $0.value(of: name) } }
  }

  private static func parts(_ entry: [UInt8]) -> (name: String, value: [UInt8]) {
    let name = entry.prefix { $0 != equals }
    return (String(exactly: name), Array(entry.dropFirst(name.count + 1)))
  }
}

private let equals = UInt8(ascii: "=")

extension CallerEnvironment.State {
  fileprivate func value(of name: some Collection<UInt8>) -> [UInt8]? {
    let count = name.count
    let entry = entries?.first {
      $0.count > count && $0[count] == equals && $0.starts(with: name)
    }
    return entry.map { Array($0.dropFirst(count + 1)) }
  }

  fileprivate mutating func read(_ name: some Collection<UInt8>) -> [UInt8]? {
    let value = value(of: name)
    if !originals.contains(where: { $0.name.elementsEqual(name) }),
      !readings.contains(where: { $0.name.elementsEqual(name) })
    {
      readings.append((Array(name), value))
    }
    return value
  }

  fileprivate mutating func note(_ name: [UInt8], before value: [UInt8]?) {
    if !originals.contains(where: { $0.name == name }) { originals.append((name, value)) }
  }

  fileprivate mutating func set(_ name: [UInt8], to value: [UInt8]?) {
    guard entries != nil else { return }
    entries?.removeAll {
      $0.count > name.count && $0[name.count] == equals && $0.starts(with: name)
    }
    if let value { entries?.append(name + [equals] + value) }
  }
}
