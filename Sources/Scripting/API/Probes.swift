import LuaRuntime
import Platform

extension Library {
  /// Functions that look at servers, and find ports for them.
  static let probes: [APIFunction] = [
    APIFunction(
      "tcp", needs: .files, [.required("address", .either(.string, .integer))],
      returns: .signal(of: "boolean"),
      "Returns a signal of whether a server accepts connections at an address, such as `\"localhost:5432\"`, or a port of this machine: now, and at each change. `localhost` means 127.0.0.1 and ::1. It tries every few milliseconds until a connection succeeds, then once a second.",
      example: """
        print(rac.tcp("localhost:" .. rac.port "nobody"):first())
        --> false
        """
    ) { call in
      let number = call.value(at: 1).integerValue
      let text = try number.map { "\($0)" } ?? call.lua.string(at: 1)
      guard let place = ServerPlace(text) else {
        throw LuaArgumentError.value(at: 1, problem: "\(ProbeError.address(text))")
      }
      return call.newSignal(call.host.answers(of: ServerProbe(place)))
    },
    APIFunction(
      "http", needs: .files,
      [.required("url", .string), .optional("options", .table("rac.HTTPOptions"))],
      returns: .signal(of: "boolean"),
      "Returns a signal of whether a web server responds at an `http:` URL with a status from 200 to 399, or with `status`, a number or a list: now, and at each change, like `rac.tcp`.",
      example: """
        local url = "http://127.0.0.1:" .. rac.port "nobody" .. "/health"
        print(rac.http(url, {status = 204}):first())
        --> false
        """
    ) { call in
      var statuses: [Int] = []
      if call.has(2) {
        try call.refuseUnknownKeys(at: 2, of: Library.httpOptions)
        statuses = try TableFields(call.stack, at: 2).statuses {
          LuaArgumentError.value(at: 2, problem: $0)
        }
      }
      do throws(ProbeError) {
        let probe = try ServerProbe(
          url: call.value(at: 1).stringValue?.exactText ?? "", statuses: statuses)
        return call.newSignal(call.host.answers(of: probe))
      } catch {
        throw LuaArgumentError.value(at: 1, problem: "\(error)")
      }
    },
    APIFunction(
      "port", needs: .files, [.required("name", .string)], returns: .integer,
      "Returns a free port for a name: the same at each call and each start in this checkout, unless another program has taken it in the meantime, and never one that belongs to another of your checkouts.",
      example: """
        print(rac.port "db" == rac.port "db", rac.port "db" == rac.port "web")
        --> true	false
        """
    ) { call in
      let name = try call.lua.string(at: 1)
      guard !name.isEmpty else { throw LuaArgumentError.value(at: 1, problem: "a name expected") }
      do throws(PortError) {
        let port = try call.host.port(name)
        return call.returning(.integer(Int64(port)))
      } catch {
        var failure = Failure(.input, "\(error)")
        failure.position = call.host.placeOfCall()
        throw failure
      }
    },
  ]
}

extension ScriptHost {
  /// Returns the port of a name. A name keeps its port while the program runs.
  fileprivate func port(_ name: String) throws(PortError) -> UInt16 {
    if let port = ports[name] { return port }
    let port = try PortBook().port(
      name, of: checkout, workingIn: resolvedPath("."), isRecorded: !isRehearsing)
    ports[name] = port
    return port
  }

  /// True if a name whose port its scripts have read has another one since: another program had taken that.
  package var hasOtherPorts: Bool {
    guard !ports.isEmpty, let book = try? PortBook() else { return false }
    let noted = book.ports(of: ports.keys, in: checkout)
    return ports.contains { name, port in noted[name].map { $0 != port } == true }
  }
}

extension TableFields {
  /// Returns the statuses in the field `status`; none if it is absent.
  func statuses(_ bad: (String) -> any Error) throws -> [Int] {
    let isList = type("status") == .table
    let values = isList ? list("status") : self["status"].isNil ? [] : [self["status"]]
    let statuses = values.compactMap { $0.integerValue.map { Int(clamping: $0) } }
    guard statuses.count == values.count, statuses.allSatisfy((100...599).contains),
      !isList || !values.isEmpty
    else { throw bad("'status' must be a number from 100 to 599, or a list of such numbers") }
    return statuses
  }
}
