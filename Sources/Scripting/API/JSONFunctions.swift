import LuaRuntime

extension Library {
  /// The functions of `rac.json`.
  static let json: [APIFunction] = [
    APIFunction(
      "encode", needs: [], [.optional("value", .any)], returns: .string,
      "Returns a value as compact JSON. A table with `n`, or with the keys 1 to its length, becomes a list; nil becomes null.",
      example: """
        print(rac.json.encode{name = "lua", versions = {5, 5.5}, list = {n = 0}})
        --> {"list":[],"name":"lua","versions":[5,5.5]}
        """
    ) { call in
      call.stack.top = max(call.count, 1)
      do { return call.returning(.string(try call.stack.json(at: 1))) } catch let error as LuaError
      {
        if error.isMemoryLimit { throw Failure(.limit, error.message) }
        throw LuaArgumentError.value(at: 1, problem: error.message)
      }
    },
    APIFunction(
      "decode", needs: [], [.required("text", .string)], returns: .any,
      "Returns the value of a JSON text. Null becomes nil: a list that contains null, or has no elements, has its length in `n`; a field with null is omitted. An integer of more than 64 bits becomes a float. Raises an error of kind `input`.",
      example: """
        local package = rac.json.decode('{"name": "lua", "tags": ["small", "fast"]}')
        print(package.name, package.tags[2])
        --> lua	fast
        """
    ) { call in
      let text = try call.lua.string(at: 1)
      do { try call.stack.push(json: text) } catch InputError.tooLarge(let reason) {
        throw Failure(.limit, reason)
      } catch {
        var failure = Failure(.input, "\(error)")
        failure.position = call.host.placeOfCall()
        throw failure
      }
      return .results(1)
    },
  ]
}
