import Platform

/// What the execution that has started this process may use. Its processes share that and may use nothing
/// else, as executions inside it do.
package struct CallerResources {
  /// The variable with the amounts, as JSON, and with the devices that are visible outside all executions.
  package static let variable = "RACLETTE_USES"
  /// The variable of CUDA with the devices that a process may use.
  private static let visible = "CUDA_VISIBLE_DEVICES"

  let amounts: Resources

  /// Reads the variable; nil if it is missing or something else.
  init?() {
    guard let text = ProcessEnvironment.value(of: Self.variable), let json = JSONValue(text: text)
    else { return nil }
    amounts = Resources(json: json)
    guard !amounts.isEmpty else { return nil }
  }

  /// The part of an offer that this process may use.
  ///
  /// - Parameter caller: what it was promised; nil if it may use everything.
  static func stock(
    _ name: String, _ amount: ResourceAmount, _ caller: CallerResources?
  ) -> ResourcePool.Stock {
    let promised = caller.map { $0.amounts[name]?.value ?? 0 }
    let value = min(amount.value, promised ?? .max)
    guard amount.isCount else { return ResourcePool.Stock(.size(value)) }
    let devices = name == "gpu" ? visibleDevices : nil
    let count = min(value, devices.map { Int64($0.count) } ?? .max)
    let indices = promised.map { _ in
      (ProcessEnvironment.value(of: variable(of: name)) ?? "").split(separator: ",")
        .compactMap { Int($0) }.prefix(Int(clamping: count))
    }
    return ResourcePool.Stock(
      .count(count), indices: indices.map(Array.init), devices: devices ?? [])
  }

  /// The variables that tell processes of an execution what they may use.
  static func variables(_ stocks: [String: ResourcePool.Stock]) -> [EnvironmentChange] {
    var variables: [EnvironmentChange] = []
    for (name, stock) in stocks.sorted(by: { $0.key < $1.key }) {
      let value =
        stock.amount.isCount
        ? stock.indices.map(String.init).joined(separator: ",") : "\(stock.amount.value)"
      variables.append((variable(of: name), value.exactBytes))
      guard name == "gpu" else { continue }
      let devices = stock.devices.isEmpty ? value : stock.devices.joined(separator: ",")
      variables.append((visible, devices.exactBytes))
    }
    var uses = stocks.sorted { $0.key < $1.key }.map { ($0.key, $0.value.amount.json) }
    if stocks["gpu"] != nil, let devices = devicesOutside {
      uses.append((visible, .string(devices)))
    }
    return variables + [(variable, JSONValue.object(uses).text.exactBytes)]
  }

  /// The changes after which a process may use what this one may not, as it works for no execution.
  package static var lifting: [EnvironmentChange] {
    var changes = ResourceLedger.lifting + ResourceHolder.lifting
    guard let caller = CallerResources() else { return changes }
    changes.append((variable, nil))
    for name in caller.amounts.keys { changes.append((variable(of: name), nil)) }
    if caller.amounts["gpu"] != nil { changes.append((visible, devicesOutside?.exactBytes)) }
    return changes
  }

  private static func variable(of name: String) -> String { "RACLETTE_\(name.uppercased())" }

  /// The value of `CUDA_VISIBLE_DEVICES` outside all executions; nil if it is not set there.
  private static var devicesOutside: String? {
    guard CallerResources()?.amounts["gpu"] != nil else {
      return ProcessEnvironment.value(of: visible)
    }
    return ProcessEnvironment.value(of: variable).flatMap { JSONValue(text: $0) }?[visible]?.string
  }

  /// The devices that `CUDA_VISIBLE_DEVICES` names; nil if it is not set. As CUDA has it, what follows a
  /// device that there cannot be is hidden, such as everything behind -1.
  static var visibleDevices: [String]? {
    guard let text = ProcessEnvironment.value(of: visible) else { return nil }
    var devices: [String] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let device = String(part.filter { $0 != " " })
      guard !device.isEmpty, device.first != "-", device != "NoDevFiles",
        !devices.contains(device)
      else { break }
      devices.append(device)
    }
    return devices
  }
}
