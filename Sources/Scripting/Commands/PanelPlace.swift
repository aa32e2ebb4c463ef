import LuaRuntime

/// What the definition of a command says about the panel.
package struct PanelPlace: Sendable {
  /// True if the command stands in the header of each page.
  package var isPinned = false
  /// True if each page has a refresh control for it.
  package var isRefreshed = false
  /// The fixed input of both, as JSON; nil for none.
  package var input: String?

  /// No place of its own.
  init() {}

  init(_ fields: TableFields, _ problems: DefinitionProblems) throws {
    guard fields.type("panel") != .nil else { return }
    guard fields.type("panel") == .table else {
      throw problems.bad("field 'panel' must be a table {pin =, refresh =, input =}")
    }
    fields.stack.rawGet("panel", at: fields.index)
    defer { fields.stack.pop() }
    let place = TableFields(fields.stack, at: -1)
    try problems.lookForUnknownKeys(in: place, of: Library.panelPlace, "field 'panel' has an ")
    isPinned = try place.bool("pin", problems)
    isRefreshed = try place.bool("refresh", problems)
    guard place.type("input") != .nil else { return }
    guard isPinned || isRefreshed else {
      throw problems.bad("field 'panel.input' is used with 'pin' or 'refresh' only")
    }
    place.stack.rawGet("input", at: place.index)
    defer { place.stack.pop() }
    do { input = try place.stack.json(at: -1) } catch {
      throw problems.bad("field 'panel.input': \(error)")
    }
  }
}

extension ScriptCommand {
  /// What its definition says about the panel.
  package var panelPlace: PanelPlace { description.panel }

  /// Checks the fixed input of the panel's controls against the parameters.
  func checkPanelInput(_ problems: DefinitionProblems) throws {
    guard panelPlace.isPinned || panelPlace.isRefreshed else { return }
    do throws(InputError) {
      let input = try panelPlace.input.map { (json) throws(InputError) in try host.value(json: json)
      }
      if let input { hideSecrets(of: input) }
      _ = try checked(input ?? .nil)
    } catch {
      hideSecrets(of: error)
      let field = panelPlace.input == nil ? "field 'panel' without 'input'" : "field 'panel.input'"
      throw problems.bad(Secrets.masked("\(field): \(error)"))
    }
  }
}
