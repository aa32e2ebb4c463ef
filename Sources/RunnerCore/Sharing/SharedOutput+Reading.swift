import Journal
import Scripting

extension SharedOutput {
  /// The output that an event of a worker or a hub carries; nil if it carries none.
  package init?(_ event: EncodedEvent) {
    switch event.type {
    case "next":
      let bytes = event["value_base64"]?.string.flatMap(Base64.bytes)
      guard let value = event["value"] else { return nil }
      if case .bool(true)? = event["chunk"] {
        self = .chunk(bytes ?? value.string?.exactBytes ?? [])
      } else if let text = bytes ?? value.string?.exactBytes {
        self = .text(text)
      } else {
        self = .json(Array(value.text.utf8))
      }
    case "stderr": self = .errorLine(event["value"]?.string?.exactBytes ?? [])
    case "step":
      guard let step = WorkStep(event) else { return nil }
      self = .step(step.text.exactBytes)
    case "gap":
      self = .errorLine(Array("\(event["count"]?.integer ?? 0) events were not kept".utf8))
    default: return nil
    }
  }

  /// The output in the record of an execution that has ended.
  package static func kept(_ blob: [UInt8]?) -> [SharedOutput] {
    (blob.flatMap(RecordedLine.lines(in:)) ?? []).map { line in
      switch line.stream {
      case .output: .text(line.bytes)
      case .value: .json(line.bytes)
      case .chunk: .chunk(line.bytes)
      case .step: .step(line.bytes)
      case .errors, .errorChunk, .retry, .leftOut: .errorLine(line.bytes)
      }
    }
  }
}
