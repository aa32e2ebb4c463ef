import EventLoop
import Platform
import Scripting

/// The folder and the variables of a client of a hub, which what it asks for begins with.
///
/// They travel behind the document of a request: the folder, empty if it is gone, and each entry
/// `NAME=value`, with a zero byte behind each. If the client has loaded the command file, an empty entry
/// follows, and then what the file and its commands have changed; a name alone is that of a variable that
/// they have removed.
package struct HubEnvironment: Sendable {
  /// The field of a request's head with the number of bytes of its body that are these.
  package static let field = "X-Raclette-Environment"

  /// The absolute path of the folder that the client was called from; nil if the folder is gone.
  package let folder: String?
  /// The entries `NAME=value` that the client was started with.
  package let entries: [[UInt8]]
  /// What scripts have changed there; nil if the client has not loaded the command file.
  package let changes: [EnvironmentChange]?

  /// Those of an interpreter of this process, but not what makes a process a part of its run.
  ///
  /// - Parameter hasLoaded: true if it has loaded the command file.
  init(of caller: CallerEnvironment, hasLoaded: Bool) {
    folder = InvocationFolder.path
    var changes = JobServerVariables.hiding + CallerResources.lifting
    let others = ["TRACEPARENT", "TRACESTATE", ProcessMark.name]
    let ofEntry = ["RACLETTE_SLOT", "RACLETTE_ATTEMPT", "RACLETTE_TOKEN"]
    for name in others + ofEntry { changes.append((name, nil)) }
    let kept = caller.originals.filter { variable in
      !changes.contains { $0.name == variable.name }
    }
    let changed = changes.compactMap { name, value in value.map { (name: name, value: $0) } }
    entries = (kept + changed).map { $0.name.exactBytes + [Self.equals] + $0.value }
    self.changes = hasLoaded ? caller.changes : nil
  }

  /// Reads what `bytes` has made.
  package init(_ bytes: some Collection<UInt8>) {
    let parts = Array(bytes).split(separator: 0, omittingEmptySubsequences: false).dropLast()
    folder = parts.first.flatMap { $0.isEmpty ? nil : String(exactly: Array($0)) }
    let all: [[UInt8]] = parts.dropFirst().map { Array($0) }
    let count = all.firstIndex(of: []) ?? all.count
    entries = Array(all[..<count])
    guard count < all.count else {
      changes = nil
      return
    }
    changes = all[(count + 1)...].map { entry -> EnvironmentChange in
      guard let index = entry.firstIndex(of: Self.equals) else {
        return (String(exactly: entry), nil)
      }
      return (String(exactly: Array(entry[..<index])), Array(entry[(index + 1)...]))
    }
  }

  private static let equals = UInt8(ascii: "=")

  var bytes: [UInt8] {
    var bytes = (folder?.exactBytes ?? []) + [0]
    for entry in entries { bytes += entry + [0] }
    guard let changes else { return bytes }
    bytes.append(0)
    for (name, value) in changes {
      bytes += name.exactBytes
      if let value { bytes += [Self.equals] + value }
      bytes.append(0)
    }
    return bytes
  }
}
