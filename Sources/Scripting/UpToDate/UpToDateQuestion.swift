import Digests
import LuaRuntime
import Platform
import Reactive

/// Finds out what counts for an execution with one input: calls the functions of the definition one
/// after the other, which may wait. Confined to the loop's thread.
final class UpToDateQuestion {
  private let command: ScriptCommand
  private let rules: UpToDateRules
  private let input: LuaValue
  private let caller: CallerEnvironment
  private let subscription: CompoundDisposable
  /// The texts of the definition that have values of `rac.lazy`, with these, and the values that its
  /// functions use.
  private var computedTexts: [[UInt8]] = []
  private var host: ScriptHost { command.host }

  init(
    _ command: ScriptCommand, _ rules: UpToDateRules, _ input: LuaValue,
    in subscription: CompoundDisposable
  ) {
    self.command = command
    self.rules = rules
    self.input = input
    caller = command.host.caller
    self.subscription = subscription
  }

  /// Calls `done` with what counts, or with the error of a function.
  func ask(_ done: @escaping (Result<UpToDateTerms, any Error>) -> Void) {
    host.resolve(command.description.markedTexts, in: subscription) { [self] texts in
      switch texts {
      case .failure(let error): done(.failure(error))
      case .success(let texts):
        computedTexts = texts
        compute(command.lazyValuesOfFunctions[...]) { self.askFunctions(done) }
      }
    }
  }

  /// Computes values of `rac.lazy`. Where one cannot be computed, its error counts: the function that
  /// uses it fails, if it does use it.
  private func compute(_ values: ArraySlice<LazyObject>, _ done: @escaping () -> Void) {
    guard let first = values.first else { return done() }
    host.compute(first, in: subscription) { [self] value in
      switch value {
      case .success(let value):
        computedTexts.append(
          value.argumentBytes ?? (try? host.jsonValue(value).text.exactBytes)
            ?? value.type.name.exactBytes)
      case .failure(let error): computedTexts.append(host.failure(of: error).message.exactBytes)
      }
      compute(values.dropFirst(), done)
    }
  }

  private func askFunctions(_ done: @escaping (Result<UpToDateTerms, any Error>) -> Void) {
    askSources { sources in
      self.patterns("outputs", self.rules.outputs) { outputs in
        self.patterns("depfile", self.rules.depfiles) { depfiles in
          self.fingerprint { fingerprint in
            done(
              Result {
                try self.terms(
                  sources.get(), outputs.get(), depfiles.get(), fingerprint.get())
              })
          }
        }
      }
    }
  }

  /// Calls `done` with the outputs that the definition names.
  func askOutputs(_ done: @escaping (Result<PlacedPatterns?, any Error>) -> Void) {
    patterns("outputs", rules.outputs, done)
  }

  private func askSources(_ done: @escaping Answer<[PlacedPatterns]>) {
    guard command.impliesSources else {
      return patterns("sources", rules.sources) { sources in
        done(sources.map { $0.map { [$0] } ?? [] })
      }
    }
    let purpose = host.context.purpose
    askOutputs(of: command.makers(for: input)[...], []) { [host] outputs in
      // The functions of another definition may have been called.
      host.within(purpose) { done(outputs) }
    }
  }

  private func askOutputs(
    of calls: ArraySlice<Plan.Call>, _ known: [PlacedPatterns],
    _ done: @escaping Answer<[PlacedPatterns]>
  ) {
    guard let call = calls.first else { return done(.success(known)) }
    call.command.askOutputs(call.input, in: subscription) { outputs in
      do {
        let known = known + [try outputs.get()].compactMap { $0 }
        self.askOutputs(of: calls.dropFirst(), known, done)
      } catch { done(.failure(error)) }
    }
  }

  private func terms(
    _ sources: [PlacedPatterns], _ outputs: PlacedPatterns?, _ depfiles: PlacedPatterns?,
    _ fingerprint: String?
  ) throws -> UpToDateTerms {
    let description = try command.definitionDescription()
    let environment = command.description.environment
    let (key, call) = try keys()
    return UpToDateTerms(
      key: key, call: call,
      definition: description.parts + computedParts + (try environment.definitionParts(for: caller))
        + (environment.passed?.definitionParts(for: caller) ?? []),
      incomparable: description.incomparable, sources: sources,
      areSourcesImplied: command.impliesSources,
      outputs: outputs, depfiles: depfiles?.glob,
      fingerprint: fingerprint, folder: command.directory ?? ".")
  }

  private var computedParts: [StoredExecution.Part] {
    guard !computedTexts.isEmpty else { return [] }
    var digest = SHA256()
    for text in computedTexts { digest.update(part: text) }
    return [StoredExecution.Part(name: "a value of rac.lazy", digest: digest.finish())]
  }

  private func keys() throws -> (key: [UInt8], call: CachedCall?) {
    let document = try command.stateDocument(of: input)
    return (command.stateKey(document), command.cachedCall(document))
  }

  private typealias Answer<Value> = (Result<Value, any Error>) -> Void

  private func patterns(
    _ name: String, _ files: UpToDateRules.Files, _ done: @escaping Answer<PlacedPatterns?>
  ) {
    switch files {
    case .none: done(.success(nil))
    case .patterns(let patterns): done(Result { try command.placed(patterns) })
    case .lazy: resolvePatterns(name, done)
    case .function:
      call(name) { values in
        done(
          Result {
            let patterns = try values.get().flatMap { try self.patterns(of: $0, name) }
            do { return try self.command.placed(patterns) } catch {
              throw self.failure("'\(name)': \(error)")
            }
          })
      }
    }
  }

  /// Computes the patterns of a field that has values of `rac.lazy`; one whose value is a list gives all
  /// of its elements.
  private func resolvePatterns(_ name: String, _ done: @escaping Answer<PlacedPatterns?>) {
    let field = kept(name)
    resolvePatterns(host.elements(of: field) ?? [field], []) { values in
      done(
        Result {
          let patterns = try values.get().flatMap { try self.patterns(of: $0, name) }
          do { return try self.command.placed(patterns) } catch {
            throw self.failure("'\(name)': \(error)")
          }
        })
    }
  }

  private func resolvePatterns(
    _ values: [LuaValue], _ known: [LuaValue], _ done: @escaping Answer<[LuaValue]>
  ) {
    guard let first = values.first else { return done(.success(known)) }
    let rest = Array(values.dropFirst())
    guard let object = host.lazyObject(first) else {
      return resolvePatterns(rest, known + [first], done)
    }
    host.compute(object, in: subscription) { value in
      switch value {
      case .failure(let error): done(.failure(error))
      case .success(let value): self.resolvePatterns(rest, known + [value], done)
      }
    }
  }

  private func kept(_ name: String) -> LuaValue {
    host.value { stack in
      guard stack.pushUserValue(command.node.anchor, CommandDefinition.Slot.kept) == .table else {
        return
      }
      stack.rawGet(name, at: -1)
    }
  }

  private func patterns(of value: LuaValue, _ name: String) throws -> [String] {
    guard let patterns = UpToDateRules.patterns(of: value, host.elements(of: value)) else {
      throw failure("'\(name)' must return a pattern or a list of patterns")
    }
    return patterns
  }

  private func fingerprint(_ done: @escaping Answer<String?>) {
    guard rules.hasFingerprint else { return done(.success(nil)) }
    call("fingerprint") { values in
      done(
        Result {
          let texts = try values.get().map { value in
            do { return try self.host.jsonValue(value).canonical } catch {
              throw self.failure("'fingerprint': \(error)")
            }
          }
          let document = texts.count == 1 ? texts[0] : .list(texts)
          let text = document.text
          let isLong = text.utf8.count > 1_000
          guard isLong || document.masked != nil || !document.isText else { return text }
          // Long, secret, or changed by the conversion to text.
          return "the digest \(SHA256.digest(of: document.exactBytes).hexadecimal)"
        })
    }
  }

  /// Calls a function of the definition with the input, and collects the values that it returns or,
  /// if it returns a signal, that the signal sends.
  private func call(_ name: String, _ done: @escaping Answer<[LuaValue]>) {
    let function = kept(name)
    let calling = subscription.makeChild()
    var answer: [LuaValue] = []
    let run = CoroutineRun(
      host,
      Observer(
        next: onLoop { answer.append($0) },
        end: onLoop { [self] termination in
          calling.dispose()
          switch termination {
          case .completed: done(.success(answer))
          case .error(let error):
            var failure = host.failure(of: error)
            failure.message = "'\(name)' of '\(command.name)': \(failure.message)"
            done(.failure(failure))
          }
        }), calling, resultUse: .signalOrValue)
    run.start(function) { [input] stack in
      stack.push(input)
      return 1
    }
  }

  private func failure(_ message: String) -> Failure {
    var failure = Failure(.input, "'\(command.name)': \(message)")
    failure.position = command.position
    return failure
  }
}

extension ScriptHost {
  /// Calls `work` on another thread, and `done` with its result on the loop's, unless the
  /// subscription was disposed meanwhile.
  func inBackground<Value: Sendable>(
    _ subscription: CompoundDisposable,
    _ work: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) -> Value,
    then done: @escaping (Value) -> Void
  ) {
    let keepAlive = loop.keepAlive()
    let finish = onLoop { (value: Value) in
      keepAlive.release()
      if !subscription.isDisposed { done(value) }
    }
    fileWork.schedule { [loop] in
      let value = work { subscription.isDisposed }
      loop.enqueue { finish(value) }
    }
  }
}
