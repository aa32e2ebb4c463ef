import EventLoop
import Platform

/// What a hub has written down for a successor, and has not taken back: what it leaves if it is killed.
package struct HubInheritance: Sendable {
  /// A service that it held until `down`.
  package struct Held: Hashable, Sendable {
    package let name: String
    /// The input as JSON, empty for none; nil if it holds a secret, which is written nowhere.
    package let input: String?

    package init(_ name: String, input: String?) { (self.name, self.input) = (name, input) }
  }

  /// A detached execution that ran.
  package struct Execution: Hashable, Sendable {
    package let number: Int
    package let command: String
    /// The input as JSON with secrets masked; nil for none.
    package let input: String?

    package init(_ number: Int, of command: String, input: String?) {
      (self.number, self.command, self.input) = (number, command, input)
    }
  }

  /// A detached execution that has ended, and whose result nobody has read.
  package struct Result: Hashable, Sendable {
    package let number: Int
    /// When it ended, in seconds since 1970.
    package let ended: Int

    package init(_ number: Int, ended: Double) { (self.number, self.ended) = (number, Int(ended)) }

    /// How long it is kept for a client to attach to it, in seconds.
    package static let keeping = 600.0

    /// True if it is still kept.
    package var isKept: Bool { WallClock.seconds - Double(ended) < Self.keeping }
  }

  package fileprivate(set) var groups: [GroupIdentity] = []
  /// The mark of its processes; nil if it has ended as it should.
  fileprivate(set) var mark: ProcessMark?
  /// The number of the connection of a client whose groups these are; nil for the record of a hub, and once
  /// the client has ended the connection.
  package fileprivate(set) var guarding: Int?
  /// The number of its last execution.
  package fileprivate(set) var lastNumber = 0
  package fileprivate(set) var held: Set<Held> = []
  package fileprivate(set) var executions: Set<Execution> = []
  package fileprivate(set) var results: Set<Result> = []
  /// True if the hub ran since the start of this system, so that its processes may run yet.
  package var isOfThisSystem: Bool { system == GroupIdentity.ownSystem }
  private var system = ""

  /// Reads the record at a path; it has nothing if there is none.
  package init(at path: String) {
    self.init(fileContent(path) ?? [], file: HubRecordFile(at: path))
  }

  /// Reads a record of process groups that only its writer and its reader know.
  package init(groups bytes: [UInt8]) { self.init(bytes, file: nil) }

  /// - Parameter file: the identity of the file; nil if it cannot be a copy.
  private init(_ bytes: [UInt8], file: HubRecordFile?) {
    var reader = HubRecordReader(self, file: file)
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      reader.read(line)
    }
    self = reader.result
    system = reader.system
  }

  /// True if a successor has nothing to do.
  package var isEmpty: Bool {
    held.isEmpty && executions.isEmpty && !results.contains(where: \.isKept)
      && GroupIdentity.alive(among: allGroups).isEmpty
  }

  /// The groups that it has recorded, and those of processes that have left theirs.
  private var allGroups: [GroupIdentity] {
    let known = Set(groups.map(\.leader))
    return groups + (mark?.groups(on: system) ?? []).filter { !known.contains($0.leader) }
  }
}

/// Reads the lines of a record. They are what `HubRecordLine` makes, and those by which processes that
/// begin describe themselves.
private struct HubRecordReader {
  private(set) var result: HubInheritance
  private(set) var system = ""
  private var groups: [Int32: GroupIdentity] = [:] {
    didSet { result.groups = groups.values.sorted { $0.leader < $1.leader } }
  }
  private let file: HubRecordFile?
  /// A record in a copied folder is about the processes of the original: only the numbers count.
  private var isCopy: Bool

  init(_ empty: HubInheritance, file: HubRecordFile?) {
    result = empty
    self.file = file
    isCopy = file != nil
  }

  mutating func read(_ line: Substring) {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "file": isCopy = file.map { !$0.isDescribed(by: words) } ?? false
    case "number" where words.count == 2:
      result.lastNumber = Int(words[1]) ?? result.lastNumber
    case _ where isCopy: break
    case "guarding" where words.count == 2: result.guarding = Int(words[1])
    case "mark" where words.count == 2: result.mark = ProcessMark(text: words[1])
    case "system": system = String(line.dropFirst("system ".count))
    case "began":
      if let group = GroupIdentity(text: line.dropFirst("began ".count)) {
        groups[group.leader] = group
      }
    case "ended" where words.count == 2: if let leader = Int32(words[1]) { groups[leader] = nil }
    case "hold": if let held = held(words) { result.held.insert(held) }
    case "free": if let held = held(words) { result.held.remove(held) }
    case "execution": if let execution = execution(words) { result.executions.insert(execution) }
    case "over": if let execution = execution(words) { result.executions.remove(execution) }
    case "result": if let ended = ended(words) { result.results.insert(ended) }
    case "read": if let ended = ended(words) { result.results.remove(ended) }
    default:
      if let group = GroupIdentity(recorded: String(line), on: system) {
        groups[group.leader] = group
      }
    }
  }

  private func held(_ words: [String]) -> HubInheritance.Held? {
    guard words.count == 3, let name = PercentEncoding.decoded(words[1]) else { return nil }
    return HubInheritance.Held(name, input: input(words[2]))
  }

  private func execution(_ words: [String]) -> HubInheritance.Execution? {
    guard words.count == 4, let number = Int(words[1]),
      let command = PercentEncoding.decoded(words[2])
    else { return nil }
    return HubInheritance.Execution(number, of: command, input: input(words[3]))
  }

  private func ended(_ words: [String]) -> HubInheritance.Result? {
    guard words.count == 3, let number = Int(words[1]), let time = Int(words[2]) else { return nil }
    return HubInheritance.Result(number, ended: Double(time))
  }

  private func input(_ word: String) -> String? {
    word == HubRecordLine.none ? nil : PercentEncoding.decoded(word.dropFirst())
  }
}

/// The identity of the file that a record is written to, by which a copy of it is told apart.
package struct HubRecordFile: Sendable {
  fileprivate let device: UInt
  fileprivate let inode: UInt
  fileprivate let path: String

  /// Fails if there is no file.
  package init?(at path: String) {
    var information = stat()
    guard lstat(path, &information) == 0 else { return nil }
    self.init(information, path)
  }

  /// - Parameters:
  ///   - descriptor: an open file.
  ///   - path: where it will be.
  package init?(_ descriptor: Int32, at path: String) {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { return nil }
    self.init(information, path)
  }

  private init(_ information: stat, _ path: String) {
    device = UInt(information.st_dev)
    inode = UInt(information.st_ino)
    self.path = path
  }

  /// True if a line is about this file. A start of the system may change the number of its device, and a
  /// move of its folder changes its path; a copy differs in both, or in its inode.
  fileprivate func isDescribed(by words: [String]) -> Bool {
    guard words.count == 4, words[2] == String(inode) else { return false }
    return words[1] == String(device) || words[3] == PercentEncoding.encoded(path)
  }
}

/// The lines of the record of a hub.
package enum HubRecordLine {
  fileprivate static let none = "-"

  package static func file(_ file: HubRecordFile) -> String {
    "file \(file.device) \(file.inode) \(PercentEncoding.encoded(file.path))\n"
  }

  package static func guarding(_ number: Int) -> String { "guarding \(number)\n" }

  package static var system: String { "system \(GroupIdentity.ownSystem)\n" }

  package static func mark(_ mark: ProcessMark) -> String { "mark \(mark.text)\n" }

  package static func number(_ number: Int) -> String { "number \(number)\n" }

  package static func began(_ group: GroupIdentity) -> String {
    "began \(group.text)\n"
  }

  package static func ended(_ leader: Int32) -> String { "ended \(leader)\n" }

  package static func hold(_ held: HubInheritance.Held) -> String { "hold \(text(of: held))\n" }

  package static func free(_ held: HubInheritance.Held) -> String { "free \(text(of: held))\n" }

  package static func execution(_ execution: HubInheritance.Execution) -> String {
    "execution \(text(of: execution))\n"
  }

  package static func over(_ execution: HubInheritance.Execution) -> String {
    "over \(text(of: execution))\n"
  }

  package static func result(_ result: HubInheritance.Result) -> String {
    "result \(result.number) \(result.ended)\n"
  }

  package static func read(_ result: HubInheritance.Result) -> String {
    "read \(result.number) \(result.ended)\n"
  }

  private static func text(of held: HubInheritance.Held) -> String {
    "\(PercentEncoding.encoded(held.name)) \(word(held.input))"
  }

  private static func text(of execution: HubInheritance.Execution) -> String {
    "\(execution.number) \(PercentEncoding.encoded(execution.command)) \(word(execution.input))"
  }

  private static func word(_ input: String?) -> String {
    // Something comes first, so that an empty input is a word.
    input.map { "=" + PercentEncoding.encoded($0) } ?? none
  }
}

extension HubInheritance {
  /// Ends the groups that are left, and waits for their end.
  ///
  /// - Returns: the leaders of those that ran.
  package func endGroups() -> [Int32] { GroupIdentity.end(allGroups) }

  /// Ends the groups that are left while the loop goes on.
  ///
  /// - Parameter onEnd: called at their end with the leaders of those that ran; at once if none did.
  package func endGroups(on loop: EventLoop, onEnd: @escaping ([Int32]) -> Void) {
    GroupIdentity.end(allGroups, on: loop, onEnd)
  }
}
