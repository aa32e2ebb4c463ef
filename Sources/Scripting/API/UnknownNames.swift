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
        return call.returning(.nil)
      }
      let problem = "'\(module.path).\(name)' does not exist" + module.hint(for: name)
      throw LuaError(placeOfCall().map { "\($0): \(problem)" } ?? problem)
    }
    stack.rawSet("__index", at: -2)
    stack.setMetatable(at: -2)
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
