import Platform
import Testing

@testable import Scripting

@Suite("A file of variables") struct EnvironmentFileTests {
  /// The variables of a text, as `NAME=value`; the message of the first problem at the end.
  private func read(_ bytes: [UInt8], _ outer: [String: String] = [:]) -> [String] {
    var parser = EnvironmentFileParser(ContiguousArray(bytes), path: ".env")
    var values = outer.mapValues { Array($0.utf8) }
    var lines: [String] = []
    do throws(Failure) {
      while let (name, value) = try parser.next({ values[$0] }) {
        if outer[name] == nil { values[name] = value }
        lines.append("\(name)=\(String(exactly: value))")
      }
    } catch {
      lines.append(error.message)
    }
    return lines
  }

  private func read(_ text: String, _ outer: [String: String] = [:]) -> [String] {
    read(Array(text.utf8), outer)
  }

  @Test(
    arguments: [
      ("", []), ("\n \t\n# A=1\n  # B=2", []),
      ("A=1", ["A=1"]), ("  export A = 1  ", ["A=1"]),
      ("export\tA=1\nexported=2", ["A=1", "exported=2"]),
      ("A=", ["A="]), ("A=\nB=2", ["A=", "B=2"]), ("A= # nothing", ["A="]),
      ("A=a b # c", ["A=a b"]), ("A=a#b", ["A=a#b"]), ("A=x=y", ["A=x=y"]),
      ("A=#b", ["A=#b"]), ("A=#b # c", ["A=#b"]), ("A=\t#b", ["A="]), (#"A=a\ #b"#, ["A=a #b"]),
      (#"A=a\  # c"#, ["A=a "]), ("A=\\#b", ["A=#b"]),
      (#"A=\$\n"#, ["A=$n"]), (#"A=C:\\new\dir"#, [#"A=C:\newdir"#]), (#"A=a\"#, [#"A=a\"#]),
      ("A=a\\\nb\nB=2", ["A=ab", "B=2"]), (#"A=it's "so""#, [#"A=it's "so""#]),
      (#"A='it $is ${x} \n' # c"#, [#"A=it $is ${x} \n"#]), (#"A='a#b'"#, ["A=a#b"]),
      (#"A="a\n\t\"b\" \\ \$c \`d\` \e""#, [#"A=a"# + "\n\t" + #""b" \ $c `d` \e"#]),
      ("A=\"one\n two\n\"\nB=3", ["A=one\n two\n", "B=3"]),
      ("A='one\n\ntwo'\nB=3", ["A=one\n\ntwo", "B=3"]),
      ("A=\"joined \\\nline\"", ["A=joined line"]),
      ("A=1\r\nB=\"x\r\ny\"\r\n", ["A=1", "B=x\ny"]),
      (#"A="" "#, ["A="]), (#"A=''"#, ["A="]),
    ] as [(String, [String])])
  func forms(text: String, expected: [String]) {
    #expect(read(text) == expected)
  }

  @Test(
    arguments: [
      ("A=1\nB=${A}2\nC=$A/$B.", ["A=1", "B=12", "C=1/12."]),
      (#"A="$HOME/${HOME}x""#, ["A=/h//hx"]), ("A='$HOME'", ["A=$HOME"]),
      (#"A=\$HOME \${HOME}"#, ["A=$HOME ${HOME}"]), (#"A=${NO:-a\}b}"#, ["A=a}b"]),
      (#"A="\$HOME""#, ["A=$HOME"]),
      ("A=5$ $1 $$ $(x) $", ["A=5$ $1 $$ $(x) $"]),
      ("A=${NO:-${HOME:-x}}y", ["A=/hy"]), ("A=${NO:-}", ["A="]), ("A=${EMPTY:-d}$EMPTY", ["A=d"]),
      (#"A="${NO:-a\nb}""#, ["A=a\nb"]),
      ("HOME=/file\nA=$HOME", ["HOME=/file", "A=/h"]),
    ] as [(String, [String])])
  func references(text: String, expected: [String]) {
    #expect(read(text, ["HOME": "/h", "EMPTY": ""]) == expected)
  }

  @Test(arguments: [
    ("A=1\nB", ".env:2: expected NAME=value"), ("\n=x", ".env:2: '' is not the name of a variable"),
    ("1A=x", ".env:1: '1A' is not the name of a variable"),
    ("A B=x", ".env:1: 'A B' is not the name of a variable"),
    ("A=\"x\n\ny", ".env:1: the quote \" is not closed"),
    ("A='x", ".env:1: the quote ' is not closed"),
    ("A=\"x\\\"", ".env:1: the quote \" is not closed"),
    ("A=\"x\ny\" z", ".env:2: there is text after the closing quote \""),
    ("A=\"x\"#y", ".env:1: there is text after the closing quote \""),
    ("A=''# y", ".env:1: there is text after the closing quote '"),
    (
      "A=\"x\n\n$NO\"",
      ".env:3: the variable 'NO' is not set; write ${NO:-} for an empty value, or \\$ for a dollar "
        + "sign"
    ),
    (
      "A=${NO}",
      ".env:1: the variable 'NO' is not set; write ${NO:-} for an empty value, or \\$ for a dollar "
        + "sign"
    ),
    ("A=${NO", ".env:1: '${' is not closed"),
    ("A=${NO?x}", ".env:1: '${NO?x}' must be ${NAME} or ${NAME:-text}"),
    ("A=${}", ".env:1: '${}' must be ${NAME} or ${NAME:-text}"),
    ("A=x\0y", ".env:1: the value contains a zero byte"),
  ])
  func problems(text: String, message: String) {
    #expect(read(text).last == message)
  }

  @Test func bytesAreKeptAndAByteOrderMarkIsNot() {
    #expect(
      read([0xEF, 0xBB, 0xBF] + Array("A=".utf8) + [0xFF, 0xFE]) == [
        "A=" + String(exactly: [0xFF, 0xFE])
      ])
  }
}
