import EventLoop
import Platform

/// The document that the lister of another tool prints.
enum ToolAnswer {
  /// Runs the lister in the folder of a file.
  ///
  /// - Parameters:
  ///   - argv: the program and its words.
  ///   - input: what it reads instead of the file.
  static func document(
    of argv: [String], for file: AdoptedFile, input: [UInt8] = []
  ) throws(AdoptionError) -> JSONValue {
    let run: CapturedRun
    do { run = try CapturedRun(argv, in: file.folder, input: input, within: 20) } catch {
      switch error {
      case .input:
        throw .failedTool(argv[0], file: file.title, errors: "no memory for what it should read")
      case .start(.programNotFound): throw .missingTool(argv[0], file: file.title)
      case .start(let error): throw .failedTool(argv[0], file: file.title, errors: "\(error)")
      case .timeout: throw .failedTool(argv[0], file: file.title, errors: "no answer within 20 s")
      }
    }
    guard run.status == 0 else {
      let errors = message(run.errors, of: argv[0])
      throw .failedTool(
        argv[0], file: file.title,
        errors: !errors.isEmpty
          ? errors : run.status.map { "it exited with status \($0)" } ?? "a signal ended it")
    }
    do { return try JSONValue(parsingOther: run.output) } catch {
      throw .failedTool(argv[0], file: file.title, errors: "its answer is no JSON: \(error.reason)")
    }
  }

  /// What a tool says, without the words that a message has already.
  private static func message(_ errors: [UInt8], of tool: String) -> String {
    var text = String(decoding: errors, as: UTF8.self)[...]
    for prefix in ["error: ", "\(tool): "] where text.hasPrefix(prefix) {
      text = text.dropFirst(prefix.count)
    }
    while text.last?.isWhitespace == true { text = text.dropLast() }
    return String(text)
  }
}
