import Platform

/// What the execution that has started this process may use. Its processes share that and may use nothing
/// else, as executions inside it do.
package struct CallerResources {
  /// The variable with the amounts, as JSON.
  package static let variable = "RACLETTE_USES"

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
      (ProcessEnvironment.value(of: "RACLETTE_\(name.uppercased())") ?? "").split(separator: ",")
        .compactMap { Int($0) }.prefix(Int(clamping: count))
    }
    return ResourcePool.Stock(
      .count(count), indices: indices.map(Array.init), devices: devices ?? [])
  }

  /// The devices that `CUDA_VISIBLE_DEVICES` names; nil if it is not set. As CUDA has it, what follows a
  /// device that there cannot be is hidden, such as everything behind -1.
  static var visibleDevices: [String]? {
    guard let text = ProcessEnvironment.value(of: "CUDA_VISIBLE_DEVICES") else { return nil }
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
