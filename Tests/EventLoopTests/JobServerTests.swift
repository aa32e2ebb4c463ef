import EventLoop
import Platform
import Testing

/// The job server of GNU make, by participants in one process; `JobBudgetTests` has the real programs.
@Suite("a job server", .timeLimit(.minutes(5)))
struct JobServerTests {
  /// A participant and the jobs that it has begun.
  private final class Participant {
    let server: JobServer
    private var jobs: [JobServer.Job] = []

    init(_ server: JobServer) { self.server = server }

    func begin() { jobs.append(server.begin {}) }

    /// Ends the job that was begun first and runs.
    func end() {
      guard let index = jobs.firstIndex(where: { !$0.isWaiting }) else { return }
      server.end(jobs.remove(at: index))
    }

    /// Ends the jobs that wait.
    func endWaiting() {
      for job in jobs where job.isWaiting { server.end(job) }
    }

    var count: Int { server.runningJobs }
  }

  @Test("lets its own jobs run up to the limit, in order", arguments: [1, 2, 7])
  func limit(jobs: Int) async throws {
    try await withLoop { loop in
      let server = try #require(JobServer(jobs: jobs, on: loop))
      var started: [Int] = []
      let begun = (0..<10).map { number in server.begin { started.append(number) } }
      #expect(started == Array(0..<jobs))
      server.end(begun[0])
      #expect(started == Array(0...jobs))
      // One that waits ends without having started.
      server.end(begun[9])
      for job in begun { server.end(job) }
      #expect(started == Array(0..<9))
      #expect(server.runningJobs == 0)
      server.close()
    }
  }

  @Test("is shared with clients, each of which has one job without asking")
  func shared() async throws {
    try await withLoop { loop in
      let server = try #require(JobServer(jobs: 4, on: loop))
      let address = server.address
      let client = try #require(JobServer(address, on: loop))
      let (own, other) = (Participant(server), Participant(client))
      // The job of the server that is the client needs one place.
      own.begin()
      for _ in 0..<9 { other.begin() }
      #expect(other.count == 4)
      for _ in 0..<9 { own.begin() }
      #expect(own.count == 1)
      other.end()
      other.end()
      // It takes back for itself what it needs.
      #expect(other.count == 4)
      for _ in 0..<5 { other.end() }
      #expect(other.count == 2)
      loop.poll()
      #expect(own.count == 3)
      server.close()
      client.close()
    }
  }

  @Test("has all its tokens again after a client was killed, and none too many")
  func settled() async throws {
    try await withLoop { loop in
      let server = try #require(JobServer(jobs: 3, on: loop))
      let address = server.address
      do {
        // Released with what it holds, as by SIGKILL.
        let killed = try #require(JobServer(address, on: loop))
        for _ in 0..<3 { _ = killed.begin {} }
        #expect(killed.runningJobs == 3)
      }
      let own = Participant(server)
      own.begin()
      own.begin()
      #expect(own.count == 1)
      own.end()
      own.end()
      for _ in 0..<5 { own.begin() }
      #expect(own.count == 3)
      for _ in 0..<5 { own.end() }
      guard case .descriptors(_, let writing) = address else { return }
      _ = write(writing, "+++++", 5)
      own.begin()
      own.end()
      for _ in 0..<9 { own.begin() }
      #expect(own.count == 3)
      server.close()
    }
  }

  @Test("has them again although jobs wait all the time, and takes none that are too many")
  func settledUnderLoad() async throws {
    try await withLoop { loop in
      let server = try #require(JobServer(jobs: 3, on: loop))
      let address = server.address
      guard case .descriptors(_, let writing) = address else { return }
      do {
        let killed = try #require(JobServer(address, on: loop))
        for _ in 0..<3 { _ = killed.begin {} }
      }
      let own = Participant(server)
      for _ in 0..<20 { own.begin() }
      #expect(own.count == 1)
      own.end()
      #expect(own.count == 3)
      _ = write(writing, "+++++", 5)
      loop.poll()
      #expect(own.count == 3)
      server.close()
    }
  }

  @Test("drops what is written back too often, while jobs run, before others read it")
  func surplus() async throws {
    try await withLoop { loop in
      let server = try #require(JobServer(jobs: 2, on: loop))
      guard case .descriptors(_, let writing) = server.address else { return }
      /// The jobs that a client can run at once.
      let jobs: () throws -> Int = {
        let client = try #require(JobServer(server.address, on: loop))
        for _ in 0..<9 { _ = client.begin {} }
        defer { client.close() }
        return client.runningJobs
      }
      let own = Participant(server)
      own.begin()
      own.begin()
      _ = write(writing, "++++", 4)
      own.end()
      #expect(try jobs() == 2)
      // No job ends, and the pipe has a token that nobody reads.
      _ = write(writing, "++++", 4)
      loop.poll()
      #expect(try jobs() == 2)
      own.begin()
      #expect(own.count == 2)
      #expect(try jobs() == 1)
      server.close()
    }
  }

  @Test("drops it from both pipes after tokens were lost")
  func surplusOfBoth() async throws {
    try await withLoop { loop in
      let server = try #require(JobServer(jobs: 3, on: loop))
      guard case .descriptors(let reading, let writing) = server.address else { return }
      Participant(server).begin()
      // The token that this reads is lost.
      var byte: UInt8 = 0
      #expect(read(reading, &byte, 1) == 1)
      server.mayHaveLostTokens()
      guard case .descriptors(_, let other) = server.address, other != writing else {
        Issue.record("there is no other pipe")
        return
      }
      _ = write(writing, "++++", 4)
      _ = write(other, "++++", 4)
      loop.poll()
      let client = try #require(JobServer(server.address, on: loop))
      for _ in 0..<9 { _ = client.begin {} }
      // What came back to the former pipe may include the lost token.
      #expect(client.runningJobs <= 3)
      client.close()
      server.close()
    }
  }

  @Test("has them again although jobs run all the time, without one too many meanwhile")
  func settledAmongOthers() async throws {
    try await withLoop { loop in
      let server = try #require(JobServer(jobs: 4, on: loop))
      let own = Participant(server)
      var addresses = 0
      server.onNewAddress = { addresses += 1 }
      // Two clients, each of which is a job of the server; the first is killed.
      own.begin()
      own.begin()
      let old = try #require(JobServer(server.address, on: loop))
      let other = Participant(old)
      for _ in 0..<2 { other.begin() }
      do {
        let killed = try #require(JobServer(server.address, on: loop))
        for _ in 0..<2 { _ = killed.begin {} }
        #expect(killed.runningJobs == 2)
      }
      for _ in 0..<9 { own.begin() }
      #expect(own.count == 2)
      server.mayHaveLostTokens()
      #expect(addresses == 1)
      own.end()
      // The other one has a job more, and nobody knows where the second token is.
      #expect(own.count == 2)
      // A client that has begun since gets no token of the old pipe.
      let fresh = try #require(JobServer(server.address, on: loop))
      let late = Participant(fresh)
      for _ in 0..<3 { late.begin() }
      other.end()
      #expect(late.count == 1)
      loop.poll()
      #expect(own.count == 3)
      other.end()
      // The last job with the old pipe ends: the lost token is back.
      own.end()
      #expect(own.count == 4)
      #expect(addresses == 1)
      for one in [old, fresh, server] { one.close() }
    }
  }

  /// A job server whose jobs are clients of it, as nested makes are.
  private final class Crowd {
    private struct Client {
      let job: JobServer.Job
      let participant: Participant
      var wanted = 0
    }

    let limit: Int
    private let server: JobServer
    private let loop: EventLoop
    private var clients: [Client] = []
    private var lost = 0

    init(limit: Int, on loop: EventLoop) throws {
      (self.limit, self.loop) = (limit, loop)
      server = try #require(JobServer(jobs: limit, on: loop))
    }

    var count: Int { clients.count }

    /// Begins a client unless it would have to wait.
    func begin() throws {
      let job = server.begin {}
      guard !job.isWaiting else { return server.end(job) }
      let client = try #require(JobServer(server.address, on: loop))
      clients.append(Client(job: job, participant: Participant(client)))
    }

    /// A client begins or ends a job.
    func change(_ random: inout some RandomNumberGenerator) {
      guard let index = clients.indices.randomElement(using: &random) else { return }
      let participant = clients[index].participant
      if Bool.random(using: &random) {
        participant.begin()
        clients[index].wanted += 1
      } else if participant.count > 0 {
        participant.end()
        clients[index].wanted -= 1
      }
      #expect(running <= limit)
    }

    /// The first client ends and loses what it has.
    func kill() {
      let client = clients.removeFirst()
      client.participant.endWaiting()
      lost = max(0, client.participant.count - 1)
      server.mayHaveLostTokens()
      server.end(client.job)
    }

    /// The first clients end as they should.
    func end(_ count: Int) {
      for client in clients.prefix(count) {
        client.participant.server.close()
        server.end(client.job)
      }
      clients.removeFirst(count)
    }

    /// All who have ended had known the pipe of which tokens are lost.
    func tokensAreReplaced() { lost = 0 }

    /// Runs the loop until as many jobs run as are wanted, or as there are tokens for.
    func settle() {
      let wanted = clients.reduce(0) { $0 + max(1, $1.wanted) }
      let expected = min(limit - lost, wanted)
      while running != expected { loop.poll() }
    }

    func close() { server.close() }

    private var running: Int { clients.reduce(0) { $0 + max(1, $1.participant.count) } }
  }

  @Test("gives all tokens that are left to whoever wants them after a client was killed")
  func sharedAfterKill() async throws {
    try await withLoop { loop in
      var random = SystemRandomNumberGenerator()
      for _ in 0..<100 {
        let crowd = try Crowd(limit: Int.random(in: 2...6, using: &random), on: loop)
        for _ in 0..<3 { try crowd.begin() }
        for _ in 0..<20 { crowd.change(&random) }
        crowd.settle()
        crowd.kill()
        let known = crowd.count
        for _ in 0..<2 { try crowd.begin() }
        for _ in 0..<20 { crowd.change(&random) }
        crowd.settle()
        crowd.end(known)
        crowd.tokensAreReplaced()
        for _ in 0..<20 { crowd.change(&random) }
        crowd.settle()
        crowd.close()
      }
    }
  }

  @Test("stays with its pipe when a killed process had no token")
  func nothingLost() async throws {
    try await withLoop { loop in
      let server = try #require(JobServer(jobs: 3, on: loop))
      let address = server.address
      let own = Participant(server)
      for _ in 0..<2 { own.begin() }
      server.mayHaveLostTokens()
      #expect(server.address == address)
      server.close()
    }
  }

  @Test(
    "lets a client write back what it has read, however many tokens there are",
    arguments: [65_535, 65_536, 70_000, 100_000, 4_000_000])
  func room(jobs: Int) async throws {
    try await withLoop { loop in
      let server = try #require(JobServer(jobs: jobs, on: loop))
      let limit = try #require(server.limit)
      #expect(limit <= jobs && limit > 4_096)
      guard case .descriptors(let reading, let writing) = server.address else { return }
      // A program of the job server that did not block would lose what has no room.
      let mode = fcntl(writing, F_GETFL)
      _ = fcntl(writing, F_SETFL, mode | O_NONBLOCK)
      var byte: UInt8 = 0
      for _ in 0..<5_000 {
        #expect(read(reading, &byte, 1) == 1)
        #expect(write(writing, &byte, 1) == 1)
      }
      server.close()
    }
  }

  @Test("is found through its holder where the descriptors were closed, and offers others")
  func holder() async throws {
    try await withLoop { loop in
      let server = try #require(JobServer(jobs: 3, on: loop))
      let holder = try #require(
        JobServerHolder(of: server.address).flatMap { JobServerHolder($0.text) })
      #expect(holder.address == server.address && holder.isInherited)
      let nested = try #require(JobServer(holder, on: loop))
      #expect(nested.limit == nil && nested.address != server.address)
      let (own, other) = (Participant(nested), Participant(server))
      other.begin()
      for _ in 0..<3 { own.begin() }
      #expect(own.count == 3)
      own.end()
      for _ in 0..<5 { other.begin() }
      #expect(other.count == 2)
      nested.close()
      server.close()
    }
  }

  @Test("is not found through a holder whose descriptors are another pipe by now")
  func otherPipe() async throws {
    try await withLoop { loop in
      let server = try #require(JobServer(jobs: 2, on: loop))
      let text = try #require(JobServerHolder(of: server.address)).text
      var parts = text.split(separator: ",").map { String($0) }
      parts[1] += "0"
      let holder = try #require(JobServerHolder(parts.joined(separator: ",")))
      #expect(holder.address == server.address)
      #expect(!holder.isInherited)
      #expect(JobServer(holder, on: loop) == nil)
      server.close()
    }
  }

  @Test(
    "has no holder in other texts",
    arguments: ["", "1,2,3", "1,2,3,4,5", "a,2,3,4", "0,2,3,4", "1,-2,3,4", "1,2,3,fifo:/x"])
  func noHolder(text: String) { #expect(JobServerHolder(text) == nil) }

  @Test("is none where the descriptors are something else by now")
  func gone() async throws {
    try await withLoop { loop in
      let file = open("/dev/null", O_RDWR)
      defer { close(file) }
      #expect(JobServer(.descriptors(reading: file, writing: file), on: loop) == nil)
      #expect(JobServer(.descriptors(reading: -2, writing: -2), on: loop) == nil)
      #expect(JobServer(.descriptors(reading: 9_999, writing: 9_998), on: loop) == nil)
      #expect(JobServer(.fifo("/nowhere/fifo"), on: loop) == nil)
      #expect(JobServer(.fifo("/dev/null"), on: loop) == nil)
    }
  }

  @Test("never runs more jobs than the limit in random histories of several participants")
  func histories() async throws {
    try await withLoop { loop in
      var random = SystemRandomNumberGenerator()
      for _ in 0..<300 {
        let limit = Int.random(in: 1...5, using: &random)
        let server = try #require(JobServer(jobs: limit, on: loop))
        let address = server.address
        let all = (0..<3).compactMap { _ in JobServer(address, on: loop).map(Participant.init) }
        try #require(all.count == 3)
        // Each client has one job besides the tokens, of which there is one fewer than the limit.
        for _ in 0..<40 {
          let one = all[Int.random(in: 0..<3, using: &random)]
          if Bool.random(using: &random) { one.begin() } else { one.end() }
          let tokens = all.reduce(0) { $0 + max(0, $1.count - 1) }
          #expect(tokens <= limit - 1)
        }
        for one in all { one.server.close() }
        let own = Participant(server)
        for _ in 0..<9 { own.begin() }
        #expect(own.count == limit)
        server.close()
      }
    }
  }
}

@Suite("the address of a job server")
struct JobServerAddressTests {
  @Test(
    "is the last one in MAKEFLAGS",
    arguments: [
      ("", nil), ("k", nil), ("-j4", nil),
      (" -j4 --jobserver-auth=3,4", .descriptors(reading: 3, writing: 4)),
      ("ks -j4 --jobserver-fds=5,6", .descriptors(reading: 5, writing: 6)),
      ("--jobserver-auth=3,4 -j --jobserver-auth=fifo:/tmp/G M", .fifo("/tmp/G")),
      ("-j4 --jobserver-auth=-2,-2", .descriptors(reading: -2, writing: -2)),
      ("--jobserver-auth=3", nil),
      ("--jobserver-auth=a,b", nil), ("-j4 -- X=--jobserver-auth=3,4", nil),
    ] as [(String, JobServerAddress?)])
  func reading(flags: String, address: JobServerAddress?) {
    #expect(JobServerAddress(makeFlags: flags) == address)
  }

  @Test("replaces the one in MAKEFLAGS and its jobs, and keeps the rest")
  func writing() {
    let address = JobServerAddress.descriptors(reading: 100, writing: 101)
    let own = "-j8 --jobserver-auth=100,101"
    #expect(address.makeFlags(jobs: 8, over: "") == own)
    #expect(address.makeFlags(jobs: 8, over: "k") == "k \(own)")
    #expect(
      address.makeFlags(
        jobs: 8, over: "ks -j4 --jobserver-fds=3,4 --no-print-directory -- CC=gcc V=1")
        == "ks --no-print-directory \(own) -- CC=gcc V=1")
    #expect(
      address.makeFlags(jobs: nil, over: "k -j4 --jobserver-fds=3,4")
        == "k -j4 --jobserver-auth=100,101")
    #expect(address.makeFlags(jobs: nil, over: "k") == "k -j --jobserver-auth=100,101")
    #expect(JobServerAddress.makeFlags(without: "k -j --jobserver-auth=3,4 -- A=b") == "k -- A=b")
  }
}
