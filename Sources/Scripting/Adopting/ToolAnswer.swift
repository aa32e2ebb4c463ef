import EventLoop
import Platform

/// A run of the lister of another tool, which prints a document.
struct ToolAnswer {
  private let argv: [String]
  private let file: AdoptedFile
  private var start: CapturedRun.Start

  /// Starts the lister in the folder of a file, unless it has begun already.
  ///
  /// - Parameters:
  ///   - argv: the program and its words.
  ///   - input: what it reads instead of the file.
  init(
    of argv: [String], for file: AdoptedFile, input: [UInt8] = []
  ) throws(AdoptionError) {
    (self.argv, self.file) = (argv, file)
    if input.isEmpty, let early = EarlyLister.take(argv, in: file.folder) {
      start = early
      return
    }
    do { start = try CapturedRun.Start(argv, in: file.folder, input: input) } catch {
      throw Self.error(error, of: argv[0], file)
    }
  }

  /// Waits for the document.
  ///
  /// - Parameter omitted: names of lists that nobody reads.
  mutating func document(without omitted: Set<String> = []) throws(AdoptionError) -> JSONValue {
    let run: CapturedRun
    do { run = try start.end(within: 20) } catch { throw Self.error(error, of: argv[0], file) }
    guard run.status == 0 else {
      let errors = Self.message(run.errors, of: argv[0])
      throw .failedTool(
        argv[0], file: file.title,
        errors: !errors.isEmpty
          ? errors : run.status.map { "it exited with status \($0)" } ?? "a signal ended it")
    }
    do { return try JSONValue(parsingOther: run.output, without: omitted) } catch {
      throw .failedTool(
        argv[0], file: file.title, errors: "its answer is not JSON: \(error.reason)")
    }
  }

  private static func error(
    _ problem: CapturedRun.Problem, of tool: String, _ file: AdoptedFile
  ) -> AdoptionError {
    switch problem {
    case .start(.programNotFound): .missingTool(tool, file: file.title)
    case .start(let error): .failedTool(tool, file: file.title, errors: "\(error)")
    case .input: .failedTool(tool, file: file.title, errors: "no memory for what it should read")
    case .timeout: .failedTool(tool, file: file.title, errors: "no answer within 20 s")
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
