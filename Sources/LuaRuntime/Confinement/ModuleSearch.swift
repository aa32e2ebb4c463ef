import CLuaShims
import Platform

/// The search of `require` in a confined interpreter, in place of Lua's own: it loads text only,
/// and no C modules. Without the capability `files`, a module is a regular file below one of the
/// folders of the path, and messages name no other files.
struct ModuleSearch {
  private let call: LuaCall
  private let interpreter: LuaInterpreter
  private let name: [UInt8]
  private let seesFiles: Bool

  /// Replaces the searchers of the package library except the first, which searches
  /// `package.preload`.
  static func install(on stack: LuaStack, _ confinement: Confinement) {
    rac_lua_push_package(stack.state)
    defer { stack.pop() }
    guard stack.rawGet("searchers", at: -1) == .table else { return stack.pop() }
    let searchers = stack.top
    for position in stride(from: stack.rawLength(at: searchers), to: 1, by: -1) {
      stack.pushNil()
      stack.rawSet(position, at: searchers)
    }
    stack.pushFunction { call in try ModuleSearch(call).findText() }
    stack.rawSet(2, at: searchers)
    if confinement.granted.contains(.files) {
      stack.pushFunction { call in try ModuleSearch(call).refuseLibrary() }
      stack.rawSet(3, at: searchers)
    }
    stack.pop()
  }

  private init(_ call: LuaCall) throws {
    self.call = call
    interpreter = call.interpreter
    name = try call.bytes(at: 1).withUnsafeBytes { Array($0) }
    seesFiles = interpreter.allows(.files)
  }

  /// Finds a text module and returns its loader and its path.
  private func findText() throws -> LuaOutcome {
    guard seesFiles || isPlainName else {
      throw LuaError(
        "module name '\(String(decoding: name, as: UTF8.self))' has a character other than letters, digits, '_', '-' and '.'"
      )
    }
    let candidates = candidates(interpreter.packagePath)
    for candidate in candidates where isFile(candidate) {
      interpreter.onTextModule(candidate.path)
      call.stack.push(try load(candidate.path))
      call.stack.push(candidate.path)
      return .results(2)
    }
    return tellMissing(candidates)
  }

  private func load(_ path: String) throws -> LuaReference {
    do { return try interpreter.loadFile(path, from: .regularFile) } catch {
      let name = String(decoding: name, as: UTF8.self)
      throw LuaError("error loading module '\(name)' from file '\(path)':\n\t\(error.message)")
    }
  }

  /// Refuses a C library, which is not loaded.
  private func refuseLibrary() throws -> LuaOutcome {
    let candidates = candidates(interpreter.packageCPath)
    guard candidates.contains(where: isFile) else { return tellMissing(candidates) }
    do {
      try interpreter.demand(
        .unsafeCode, for: "require \"\(String(decoding: name, as: UTF8.self))\"")
    } catch {
      throw LuaError(call.stack.placeOfCall.map { "\($0): \(error)" } ?? error.description)
    }
    return .results(0)
  }

  private func tellMissing(_ candidates: [Candidate]) -> LuaOutcome {
    let places =
      seesFiles
      ? candidates.map { "no file '\($0.path)'" }
      : ["no such file next to the script or among the plugins"]
    call.stack.push(places.joined(separator: "\n\t"))
    return .results(1)
  }

  // MARK: Candidates

  /// A possible file of the module, and the folder of its template.
  private struct Candidate {
    let path: String
    let folder: String
  }

  /// True if the name cannot change the structure of the templates that it is inserted into.
  private var isPlainName: Bool {
    !name.isEmpty
      && name.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
          UInt8(ascii: "."), 0x80...0xFF:
          true
        default: false
        }
      }
  }

  private func candidates(_ path: String) -> [Candidate] {
    let dot = UInt8(ascii: ".")
    let slash = UInt8(ascii: "/")
    let part = String(exactly: name.map { $0 == dot ? slash : $0 })
    return path.split(separator: ";").map { template in
      let beforeName = template.prefix { $0 != "?" }
      let folder = beforeName.lastIndex(of: "/").map { String(beforeName[...$0]) } ?? "./"
      return Candidate(
        path: template.map { $0 == "?" ? part : String($0) }.joined(), folder: folder)
    }
  }

  private func isFile(_ candidate: Candidate) -> Bool {
    guard access(candidate.path, R_OK) == 0 else { return false }
    // A link may lead anywhere, even to a file whose text scripts must not read.
    return seesFiles || resolved(candidate.path).starts(with: resolved(candidate.folder) + "/")
  }

  private func resolved(_ path: String) -> String {
    guard let real = resolvedPath(path), real != "/" else { return "" }
    return real
  }
}
