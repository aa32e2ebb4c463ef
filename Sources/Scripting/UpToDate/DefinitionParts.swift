import Digests
import LuaRuntime
import Platform

/// What of a definition decides what an execution does.
struct DefinitionDescription {
  var parts: [StoredExecution.Part] = []
  /// A sentence about the first value whose changes cannot be seen.
  var incomparable: String?
  /// The values of `rac.lazy` that functions use.
  var lazyValues: [LazyObject] = []
}

extension ScriptHost {
  /// The parts of a definition that decide what an execution does, with digests: each key, each
  /// variable that its functions use, and each module that they name in `require`.
  ///
  /// A function counts by its code without debug information, so that comments and the place where
  /// it stands do not count.
  ///
  /// - Parameters:
  ///   - kept: the table that `UpToDateRules.pushKept` has made.
  ///   - calls: the commands that it executes as steps.
  func description(
    ofDefinition kept: LuaValue, executing calls: [Need]
  ) throws -> DefinitionDescription {
    let describer = try definitionDescriber()
    let commands = value { stack in pushCommands(calls, on: stack) }
    let results = try interpreter.call(.reference(describer), [kept, commands], results: 3)
    guard results.count == 3 else { return DefinitionDescription() }
    let texts = elements(of: results[0])?.compactMap(\.stringValue) ?? []
    let parts = stride(from: 0, to: texts.count - 1, by: 2).map { index in
      var digest = SHA256()
      texts[index + 1].withUnsafeBytes { digest.update($0) }
      return StoredExecution.Part(name: texts[index].exactText, digest: digest.finish())
    }
    return DefinitionDescription(
      parts: parts, incomparable: results[1].stringValue?.exactText,
      lazyValues: elements(of: results[2])?.compactMap(lazyObject) ?? [])
  }

  /// The function that describes definitions, compiled when it is first needed.
  private func definitionDescriber() throws -> LuaReference {
    if let definitionDescription { return definitionDescription }
    let chunk = try interpreter.load(DefinitionDescriber.source, chunkName: "=[rac]")
    let code = value { stack in
      stack.pushFunction { call in
        let bytes = try call.bytes(at: 1).bytes
        let bytecode = Bytecode(bytes)
        call.stack.push(LuaString(bytecode?.normalized ?? bytes))
        let strings = bytecode?.strings ?? []
        call.stack.newTable(elements: strings.count)
        for (index, string) in strings.enumerated() {
          call.stack.push(LuaString(string))
          call.stack.rawSet(index + 1, at: -2)
        }
        call.stack.push(.bool(bytecode?.computesKeys ?? true))
        call.stack.newTable(elements: 0)
        for index in bytecode?.fetchedUpvalues ?? [] {
          call.stack.push(.bool(true))
          call.stack.rawSet(index + 1, at: -2)
        }
        return .results(4)
      }
    }
    let module = value { stack in
      stack.pushFunction { [unowned(unsafe) self] call in
        let name = try call.string(at: 1)
        guard let path = self.moduleFile(name), let content = fileContent(path) else {
          return call.returning(.nil)
        }
        return call.returning(.string(LuaString(content)))
      }
    }
    let file = value { stack in
      stack.pushFunction { call in
        let name = try call.string(at: 1)
        guard Self.isRegularFile(name), let content = fileContent(name) else {
          return call.returning(.nil)
        }
        return call.returning(.string(LuaString(content)))
      }
    }
    // Returns the names of the commands that a name may mean in some file, and of a command its name,
    // its lines and programs, and the functions of its work.
    let commands = value { stack in
      stack.pushFunction { [unowned(unsafe) self] call in
        guard call.stack.type(at: 1) == .string else { return try describeCommand(call) }
        let name = try call.string(at: 1)
        call.stack.newTable(elements: 0)
        var count = 0
        for command in self.commands where command.isMeant(by: name) {
          count += 1
          pushCommand(command, on: call.stack)
          call.stack.rawSet(count, at: -2)
        }
        return .results(1)
      }
    }
    let made = try interpreter.call(
      .reference(chunk),
      [.reference(prelude[.introspection]), code, module, lazyParts, file, commands]
        + loadedModules(),
      results: 1)
    guard case .reference(let describer)? = made.first else {
      throw LuaError("the description of definitions is not a function")
    }
    definitionDescription = describer
    return describer
  }

  /// Returns a function that returns what a value of `rac.lazy` consists of, its function or its parts.
  private var lazyParts: LuaValue {
    value { stack in
      stack.pushFunction { [unowned(unsafe) self] call in
        guard call.stack.object(at: 1, Userdata.lazy) != nil else { return .results(0) }
        let node = node(of: call.stack, at: 1)
        call.stack.newTable(elements: 2)
        for slot in [LazyObject.Slot.function, LazyObject.Slot.otherPart] {
          call.stack.pushUserValue(node.anchor, slot)
          call.stack.rawSet(slot, at: -2)
        }
        return .results(1)
      }
    }
  }

  private static func isRegularFile(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
  }

  /// The text file of a module that `require` would find; nil for modules in C and unknown ones.
  private func moduleFile(_ name: String) -> String? {
    let part = name.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "/")
    return interpreter.packagePath.split(separator: ";")
      .map { $0.split(separator: "?", omittingEmptySubsequences: false).joined(separator: part) }
      .first { access($0, R_OK) == 0 }
  }
}
