import Journal
import RunnerCore
import Scripting

/// Parses the words and options of a journal query.
package struct JournalQuery {
  package let journal: any JournalReader
  package let style: Style

  package init(_ line: CommandLine, of journal: any JournalReader) {
    self.journal = journal
    style = Style(option: line[.color], descriptor: 1)
  }

  /// The batch that a word names, or the last one; the presses of a panel are no batch while there is
  /// another.
  package func batch(_ word: String?) throws -> RecordedBatch {
    let batches = try journal.batches()
    guard let word else {
      let last = batches.last { !$0.isOfPanel } ?? batches.last
      guard let last else {
        throw UsageError.input("the journal '\(journal.name)' is empty")
      }
      return last
    }
    guard let batch = batches.first(where: { String($0.id) == word }) else {
      throw UsageError.input("there is no batch \(word) in '\(journal.name)'")
    }
    return batch
  }

  /// The command or script with a name, of which there are executions.
  package func command(_ name: String) throws -> String {
    let known = try journal.commands()
    guard known.contains(name) else {
      throw UsageError.input(
        "there is no execution of '\(name)' in '\(journal.name)'"
          + didYouMean(nearestName(to: name, among: known)))
    }
    return name
  }

  /// The execution that a word names, with or without its `#`.
  package func execution(_ word: String) throws -> RecordedExecution {
    guard let id = Int64(word.hasPrefix("#") ? word.dropFirst() : word[...]),
      let execution = try journal.execution(id)
    else { throw UsageError.input("there is no execution \(word) in '\(journal.name)'") }
    return execution
  }

  /// The executions that match a filter, oldest first.
  package func executions(_ filter: ExecutionFilter) throws -> [RecordedExecution] {
    var found: [RecordedExecution] = []
    try journal.forEachExecution(filter) {
      found.append($0)
      return true
    }
    return found
  }
}
