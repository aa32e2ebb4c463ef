import Testing

@testable import Scripting

@Suite struct DepfileTests {
  @Test(
    "prerequisites are read as make and ninja read them",
    arguments: [
      ("a.o: a.c a.h\n", ["a.c", "a.h"]),
      ("a.o: a.c \\\n  b.h \\\r\n c.h\n", ["a.c", "b.h", "c.h"]),
      ("a.o: my\\ file.c b\\#c.h d\\:e.h\n", ["my file.c", "b#c.h", "d:e.h"]),
      ("a.o: $$x.h\n", ["$x.h"]), ("a.o b.o: x.h", ["x.h"]), ("a.o:", []), ("", []),
      ("a.o: a.h\n\na.h:\n\nb.o: b.h a.h\n", ["a.h", "b.h"]),
      ("a.o: C:/x.h D:\\y.h\n", ["C:/x.h", "D:\\y.h"]),
      ("a\\ b.o : x\\\\y.h z\\\\\\ w.h\n", ["x\\\\y.h", "z\\ w.h"]),
      ("# a comment\na.o: x.h # more\n", ["x.h"]), ("a.o: x.h\\\n", ["x.h"]),
      ("a.o:\\\n x.h\n", ["x.h"]), ("a.o: b.c x.h x.h\n", ["b.c", "x.h"]),
    ])
  func prerequisites(_ text: String, _ expected: [String]) throws {
    #expect(try Depfile(Array(text.utf8)).prerequisites == expected)
  }

  @Test("names keep bytes that are not UTF-8") func bytes() throws {
    let depfile = try Depfile(Array("a.o: ".utf8) + [0xFF, 0x2E, 0x68, 10])
    #expect(depfile.prerequisites.map(\.exactBytes) == [[0xFF, 0x2E, 0x68]])
  }

  @Test("what is no depfile is told with its line")
  func malformed() {
    #expect(throws: Depfile.Malformed(line: 1)) { try Depfile(Array("just words\n".utf8)) }
    #expect(throws: Depfile.Malformed(line: 2)) { try Depfile(Array("a: b\nc d\n".utf8)) }
    #expect(throws: Depfile.Malformed(line: 1)) { try Depfile(Array(": a\n".utf8)) }
  }
}
