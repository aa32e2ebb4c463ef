import LuaRuntime

extension Library {
  static let questions: [APIFunction] = [
    APIFunction(
      "is_signal", [.optional("value", .any)], returns: .boolean, "Whether a value is a signal."
    ) { call in
      call.returning(.bool(call.stack.object(at: 1, Userdata.signal) != nil))
    },
    APIFunction(
      "is_command", [.optional("value", .any)], returns: .boolean, "Whether a value is a command."
    ) { call in
      call.returning(.bool(call.stack.object(at: 1, Userdata.command) != nil))
    },
  ]
}
