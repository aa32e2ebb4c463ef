import LuaRuntime
import Platform
import Reactive

/// Texts of a definition in which values of `rac.lazy` are still to be computed: words, lines and
/// variables. Each is marked by its number between two zero bytes, which no such text can contain.
enum LazyText {
  /// Returns the mark of a value.
  static func mark(_ number: Int) -> [UInt8] { [0] + Array(String(number).utf8) + [0] }

  /// Returns true if a text has a mark.
  static func isMarked(_ text: [UInt8]) -> Bool { text.contains(0) }

  /// Returns the number of the first marked value.
  static func firstNumber(in text: [UInt8]) -> Int? {
    guard let start = text.firstIndex(of: 0),
      let end = text[(start + 1)...].firstIndex(of: 0)
    else { return nil }
    return Int(String(decoding: text[(start + 1)..<end], as: UTF8.self))
  }

  /// Returns a text with a value in place of its marks.
  static func replacing(_ number: Int, by value: [UInt8], in text: [UInt8]) -> [UInt8] {
    text.replacing(mark(number), with: value)
  }

  /// Returns a text for people: with the word `(computed)` in place of each mark.
  static func shown(_ text: [UInt8]) -> [UInt8] {
    var text = text
    while let number = firstNumber(in: text) {
      text = replacing(number, by: Array("(computed)".utf8), in: text)
    }
    return text
  }
}

/// The values of `rac.lazy` by their numbers, while they exist.
struct LazyValues {
  private struct Entry {
    weak var object: LazyObject?
  }

  private var entries: [Int: Entry] = [:]
  private var last = 0
  /// The number of entries at which those of values that are gone are removed.
  private var limit = 64

  /// Makes a value.
  mutating func make(_ make: (_ number: Int) -> LazyObject) -> LazyObject {
    if entries.count >= limit {
      entries = entries.filter { $0.value.object != nil }
      limit = max(64, 2 * entries.count)
    }
    last += 1
    let object = make(last)
    entries[last] = Entry(object: object)
    return object
  }

  subscript(number: Int) -> LazyObject? { entries[number]?.object }

  /// True if values were made.
  var hasAny: Bool { last > 0 }
}

extension LuaStack {
  /// Returns the text of the value of `rac.lazy` at an index, marked unless it is known; nil for any other
  /// value. [-0, +0]
  func lazyText(at index: Int) -> [UInt8]? {
    guard let object = object(at: index, Userdata.lazy) else { return nil }
    return object.value?.argumentBytes ?? object.text
  }

  /// Returns the text of a value of `rac.lazy`; nil for any other value. [-0, +0]
  func lazyText(of value: LuaValue) -> [UInt8]? {
    guard value.type == .userdata else { return nil }
    push(value)
    defer { pop() }
    return lazyText(at: -1)
  }
}

extension ScriptHost {
  /// Computes the marked values of some texts, and calls `done` with the texts: at once if nothing is to
  /// be computed.
  func resolve(
    _ texts: [[UInt8]], in subscription: CompoundDisposable,
    _ done: @escaping (Result<[[UInt8]], any Error>) -> Void
  ) {
    guard let number = texts.lazy.compactMap(LazyText.firstNumber).first else {
      return done(.success(texts))
    }
    guard let object = lazyValues[number] else {
      return done(.failure(Failure(.lua, "a value of rac.lazy is gone")))
    }
    compute(object, in: subscription) { [self] value in
      do {
        let value = try value.get()
        guard let bytes = value.argumentBytes, !bytes.contains(0) else {
          throw SourceLocation(text: object.position).failure(
            "the value of rac.lazy is used as a text, but is "
              + (value.argumentBytes == nil ? "a \(value.type.name)" : "one with a zero byte"))
        }
        resolve(
          texts.map { LazyText.replacing(number, by: bytes, in: $0) }, in: subscription, done)
      } catch {
        done(.failure(error))
      }
    }
  }

  /// Calls `done` with the value, once it is computed, or with the error of its function.
  func compute(
    _ object: LazyObject, in subscription: CompoundDisposable,
    _ done: @escaping (Result<LuaValue, any Error>) -> Void
  ) {
    var value = LuaValue.nil
    let waiting = subscription.makeChild()
    object.signal.observe(
      Observer(
        next: onLoop { value = $0 },
        end: onLoop { termination in
          waiting.dispose()
          switch termination {
          case .completed: done(.success(value))
          case .error(let error): done(.failure(error))
          }
        }), in: waiting)
  }

  /// Computes the marked values of variables, and calls `done` with the variables.
  func resolve(
    _ variables: [EnvironmentChange], in subscription: CompoundDisposable,
    _ done: @escaping (Result<[EnvironmentChange], any Error>) -> Void
  ) {
    resolve(variables.map { $0.value ?? [] }, in: subscription) { texts in
      done(
        texts.map { texts in
          let changes = zip(variables, texts).map { ($0.name, $0.value == nil ? nil : $1) }
          Secrets.add(changes)
          return changes
        })
    }
  }

  /// Computes the marked values in the variables of some work, and calls `done`: at once if nothing is to
  /// be computed.
  func resolve(
    _ purpose: Purpose, in subscription: CompoundDisposable,
    _ done: @escaping (Result<Void, any Error>) -> Void
  ) {
    guard purpose.isMarked, let surroundings = purpose.surroundings else {
      return done(.success(()))
    }
    resolve(surroundings.place.variables, in: subscription) { variables in
      done(
        variables.map { variables in
          // Others may have been set meanwhile.
          surroundings.place.variables.replaceSubrange(..<variables.count, with: variables)
        })
    }
  }

  /// True if the values of all marks in the variables of some work are known.
  func knowsVariables(of purpose: Purpose) -> Bool {
    guard purpose.isMarked, let surroundings = purpose.surroundings else { return true }
    return surroundings.place.variables.allSatisfy { variable in
      var text = variable.value ?? []
      while let number = LazyText.firstNumber(in: text) {
        guard lazyValues[number]?.value != nil else { return false }
        text = LazyText.replacing(number, by: [], in: text)
      }
      return true
    }
  }
}
