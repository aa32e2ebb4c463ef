import Platform

extension Signal {
  /// The same signal with a name, for `log` and for descriptions. RAC: `setNameWithFormat:`.
  ///
  /// - Values: the source's.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source.
  /// - Scheduler: the source's.
  public func named(_ name: String) -> Signal<Value> {
    NamedSignal(name, self)
  }

  /// What `named` called this signal; signals derived from it have no name.
  public var name: String? { (self as? NamedSignal<Value>)?.givenName }

  /// Writes a line for each subscription, value, end and disposal. RAC: `logAll`.
  ///
  /// - Values: the source's.
  /// - Error: passed on.
  /// - Completion: with the source.
  /// - Disposal: disposes the source. An end disposes too, and is the line before.
  /// - Scheduler: a line is written where what it tells of happens.
  ///
  /// - Parameter write: receives each line without a line break; by default it goes to standard
  ///   error.
  public func log(_ write: (@Sendable (String) -> Void)? = nil) -> Signal<Value> {
    let write = write ?? writeToStandardError
    let name = name ?? "signal"
    return Signal { [source] observer, subscription in
      write("\(name): subscribed")
      subscription.add { write("\(name): disposed") }
      source(
        Observer(
          next: {
            write("\(name): next \($0)")
            observer.next($0)
          },
          end: { termination in
            switch termination {
            case .completed: write("\(name): completed")
            case .error(let error): write("\(name): error \(error)")
            }
            observer.end(termination)
          }), subscription)
    }
  }
}

private final class NamedSignal<Value: Sendable>: Signal<Value>, @unchecked Sendable {
  // Unchecked only because its superclass is open: the property that it adds is immutable.
  let givenName: String

  init(_ name: String, _ signal: Signal<Value>) {
    givenName = name
    super.init(signal)
  }
}

extension Signal: CustomStringConvertible {
  /// The type and, if it has one, the name.
  public var description: String {
    name.map { "Signal<\(Value.self)>(\($0))" } ?? "Signal<\(Value.self)>"
  }
}

package func writeToStandardError(_ line: String) {
  var text = line + "\n"
  // A line that cannot be written is lost; there is no place to report that.
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
