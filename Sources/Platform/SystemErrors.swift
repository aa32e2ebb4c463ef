/// The system's text for an error number, in lower case like all messages. From any thread.
public func systemErrorText(_ code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  let full = String(cString: text)
  return full.prefix(1).lowercased() + full.dropFirst()
}
