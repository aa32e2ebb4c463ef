/// Returns the fields of the kernel's description of a process by their names, such as `State` and
/// `Cpus_allowed`; nil where there is none.
///
/// - Parameter process: its id, or `self`.
public func statusFields(of process: String) -> [Substring: Substring]? {
  guard let status = fileContent("/proc/\(process)/status") else { return nil }
  var fields: [Substring: Substring] = [:]
  for line in String(decoding: status, as: UTF8.self).split(separator: "\n") {
    guard let colon = line.firstIndex(of: ":") else { continue }
    fields[line[..<colon]] = line[line.index(after: colon)...].drop { $0 == "\t" }
  }
  return fields
}
