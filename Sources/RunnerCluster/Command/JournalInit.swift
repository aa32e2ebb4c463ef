import EventLoop
import Platform
import Reactive
import RunnerCore
import Scripting

/// `raclette journal init URL`.
package enum JournalInit {
  /// Makes the schema in a database, or brings it up to date, and makes the role of workers.
  package static func execute(_ url: String, _ line: CommandLine) throws -> Int32 {
    guard JournalPath.isServer(url) else {
      throw UsageError.input(
        "init makes the journal on a server, postgresql://USER@HOST/DATABASE; "
          + "a journal in a file needs no init"
      )
    }
    let address = try ServerAddress(url)
    let loop = try EventLoop()
    Scheduler.main.use(loop)
    let link = ServerLink(address, on: loop, checksSchema: false)
    var result: Result<Int?, ServerError> = .failure(.closed)
    var hasRole = false
    func end(_ answer: Result<Int?, ServerError>) {
      result = answer
      link.close()
      loop.stop()
    }
    // The role may have been left to somebody who may make it.
    func askForRole(_ answer: Result<Int?, ServerError>) {
      link.send("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'raclette_worker')") {
        if case .success(let rows) = $0 { hasRole = rows.isTrue(0, 0) }
        end(answer)
      }
    }
    link.onFailure = { end(.failure($0)) }
    link.onChange = {
      if let problem = $0 {
        end(.failure(.unreachable(server: address.name, reason: problem)))
      }
    }
    link.send("SHOW server_encoding") { answer in
      guard case .success(let rows) = answer, let encoding = rows.text(0, 0),
        encoding != ServerLink.encoding
      else { return }
      end(.failure(.notUTF8(server: address.name, encoding: encoding)))
    }
    // All in one transaction, and one after the other if several do the same. The lock ends with the
    // transaction: a pooler would keep one of the session. A lock that is tried again needs a new
    // transaction, as nothing can be done in one that has failed. Whoever has waited for the lock must see
    // what its holder has made, whatever the isolation of transactions is by default.
    link.send("ROLLBACK; BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(7265)")
    {
      if case .failure(let error) = $0 { end(.failure(error)) }
    }
    link.send("SELECT to_regclass('raclette.schema_version') IS NOT NULL") { answer in
      switch answer {
      case .failure(let error): end(.failure(error))
      case .success(let rows) where rows.isTrue(0, 0):
        link.send("SELECT number FROM raclette.schema_version") { answer in
          switch answer {
          case .failure(let error): end(.failure(error))
          case .success(let rows):
            let version = rows.integer(0, 0)
            if let refusal = Schema.refusal(version, by: address.name) {
              return end(.failure(refusal))
            }
            link.send("\(Schema.functions)\nCOMMIT") {
              askForRole($0.map { _ in version })
            }
          }
        }
      case .success:
        link.send("\(Schema.creation)\n\(Schema.functions)\nCOMMIT") {
          askForRole($0.map { _ in nil })
        }
      }
    }
    loop.run()
    loop.close()
    let report = Report(
      style: Style(option: line[.color], descriptor: STDERR_FILENO), isQuiet: line.has(.quiet),
      isVerbose: line.has(.verbose))
    switch try result.get() {
    case nil: report.say("made the journal in \(address.name), version \(Schema.version)")
    case Schema.version?:
      report.say("the journal in \(address.name) has version \(Schema.version) already")
    case let version?:
      report.say(
        "brought the journal in \(address.name) from version \(version) to \(Schema.version)")
    }
    report.say(
      hasRole
        ? "users that only run workers connect as members of raclette_worker: "
          + "CREATE ROLE worker1 LOGIN IN ROLE raclette_worker"
        : "this user may not create the role raclette_worker, so workers must connect as this "
          + "user; ask a superuser to create it: CREATE ROLE raclette_worker NOLOGIN, then call "
          + "this again")
    return ExitStatus.success
  }
}
