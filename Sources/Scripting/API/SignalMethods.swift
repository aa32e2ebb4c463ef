import LuaRuntime

extension Library {
  static let signalObject = APIObject(
    kind: .signal,
    summary: "A stream of values that ends with an error, with completion, or never.",
    methods: signalFamilies.flatMap(\.functions),
    metamethods: [
      APIFunction("__tostring", needs: [], "The signal's name.") { call in
        let object = try call.lua.object(at: 1, Userdata.signal)
        return call.returning(.string("signal" + (object.name.map { ": \($0)" } ?? "")))
      }
    ])
}
