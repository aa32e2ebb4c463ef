import LuaRuntime

extension ScriptHost {
  /// Makes a read of a name that the module at the top of the stack lacks an error, which tells the
  /// name that was probably meant. `rawget` reads a name that may be missing.
  func refuseOtherNames(of module: String, on stack: LuaStack) {
    stack.newTable(fields: 2)
    stack.set("__metatable", "module", at: -1)
    stack.pushFunction { [unowned(unsafe) self] call in
      let name = call.value(at: 2).description
      let module = Library.module(module)
      if let field = module.fields.first(where: { $0.name == name }) {
        try demand(field.needs, for: "\(module.path).\(name)")
        guard field.moment != .opening else { return call.returning(.nil) }
        let value = field.make(self)
        if field.moment == .firstRead { call.stack.set(name, value, at: 1) }
        return call.returning(value)
      }
      let problem = "'\(module.path).\(name)' does not exist" + module.hint(for: name)
      throw LuaError(placeOfCall().map { "\($0): \(problem)" } ?? problem)
    }
    stack.rawSet("__index", at: -2)
    if module == "rac" { makeLateFieldsInWalks(on: stack) }
    stack.setMetatable(at: -2)
  }
}

extension ScriptHost {
  /// Makes a walk over `rac` find the fields that are made when they are first read. The metatable is at
  /// the top.
  private func makeLateFieldsInWalks(on stack: LuaStack) {
    stack.pushFunction { [unowned(unsafe) self] call in
      for field in Library.rootFields where field.moment == .firstRead {
        if TableFields(call.stack, at: 1).type(field.name) == .nil {
          call.stack.set(field.name, field.make(self), at: 1)
        }
      }
      call.stack.push(prelude.parts)
      call.stack.rawGet("next", at: -1)
      call.stack.copy(from: 1)
      return .results(2)
    }
    stack.rawSet("__pairs", at: -2)
  }
}

extension APIModule {
  /// The names of its members, and for `rac` itself of the tables inside it.
  private var names: [String] {
    let inner = path == Library.root.path ? Library.modules.map(\.name) : []
    return functions.map(\.name) + fields.map(\.name) + inner
  }

  fileprivate func hint(for name: String) -> String {
    if let nearest = nearestName(to: name, among: names) {
      return didYouMean("\(path).\(nearest)")
    }
    // A signal's method is often taken for a function.
    let method = Library.signalObject.methods.first { $0.name == name }
    return path == "rac" && method != nil ? "; signals have it: signal:\(name)(…)" : ""
  }
}

extension APIType {
  /// The value of a field of this type that scripts may not use.
  func refused(in host: ScriptHost) -> LuaValue {
    name == APIType.table.name ? host.value { $0.newTable() } : .nil
  }
}
