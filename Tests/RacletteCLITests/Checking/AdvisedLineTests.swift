import Testing
import TextFiles

/// The lines that `check` advises in place of lists, as the shell executes them.
@Suite("advised lines do what was meant", .timeLimit(.minutes(5)))
struct AdvisedLineTests {
  /// Prints its words, each in brackets.
  private static let program = """
    #!/bin/sh
    for word in "$@"; do printf '<%s>' "$word"; done
    echo
    """

  /// A list of words, and what is meant: the words that the program gets with `who` as "x y", or nil if
  /// no line is certain.
  private static let lists: [(list: String, meant: String?)] = [
    (#""$who""#, "<x y>"),
    (##""$who", "a b", "it's", "", "#", "{a,b}""##, "<x y><a b><it's><><#><{a,b}>"),
    (#""to ${who}_b", "{{ who }}.txt", "$(who)", "{{.who}}""#, "<to x y_b><x y.txt><x y><x y>"),
    (#""--out=$who", "a=1&b", 'say "$who"'"#, #"<--out=x y><a=1&b><say "x y">"#),
    (
      #""~/backup-$who.tgz", "~/$who", "~/", "~/a b""#,
      "<HOME/backup-x y.tgz><HOME/x y><HOME/><HOME/a b>"
    ),
    (#""$who", ">", "out""#, "<x y>"),
    (#""{{who}}", "|", "cat", "-""#, "<x y>"),
    (#""$who", "2>&1""#, "<x y>"),
    (#""a", "&&", "./print", "~/$who""#, "<a>\n<HOME/x y>"),
    (#""$who", ";", "./print", "b""#, "<x y>\n<b>"), (#""a b", ">", "~/out""#, "<a b>"),
    (#""$who", "*.txt""#, nil), (#""$who", "a?""#, nil), (#""$who", "[ab]""#, nil),
    (#""$who", "$HOME/x""#, nil), (#""$who", "a`b`""#, nil), (#""$who", [[a\n]]"#, nil),
    (#""$who", ">out""#, nil), (#""$who", "2>/dev/null""#, nil), (#""$who", "a;", "b""#, nil),
    (#""$who", "|", "cat", ">", "out""#, nil), (#""$who", "~""#, nil), (#""$who", "-o=~/x""#, nil),
    (#""*", ">", "out""#, nil), (#""!", "$who""#, nil),
  ]

  @Test("in each case for which there is a line")
  func lines() async throws {
    let folder = Folder(["print": Self.program])
    #expect(spawnAndWait(["/bin/chmod", "755", folder["print"]]) == 0)
    let define = { (index: Int, run: String) in
      "rac.command{name = \"c\(index)\", params = {{name = \"who\"}}, run = \(run)}\n"
    }
    let definitions = Self.lists.enumerated().map {
      define($0.offset, "{\"./print\", \($0.element.list)}")
    }
    folder.write(definitions.joined(), to: "commands.lua")
    let check = await raclette("check", in: folder)
    var lines: [Int: String] = [:]
    for note in check.notes.dropLast() {
      let parts = note.split(separator: "'", maxSplits: 2)
      guard parts.count == 3, let index = Int(parts[1].dropFirst()) else { continue }
      lines[index] = ""
      guard let start = note.firstRange(of: "write a line, \""),
        let end = note.firstRange(of: ", or a function")
      else { continue }
      lines[index] = String(note[note.index(before: start.upperBound)..<end.lowerBound])
    }
    // Each is noted.
    #expect(lines.count == Self.lists.count, "\(check)")
    folder.write(
      lines.filter { $0.value != "" }.map { define($0.key, $0.value) }.joined(), to: "commands.lua")
    let again = await raclette("check", in: folder)
    #expect(again.output == "" && again.notes.count == 1, "\(again)")
    for (index, list) in Self.lists.enumerated() {
      guard let meant = list.meant else {
        #expect(lines[index] == "", "\(list.list): \(lines[index] ?? "")")
        continue
      }
      let run = await raclette(
        "c\(index)", "x y", in: folder, environment: ["HOME": folder.path])
      let file = list.list.contains(#"">""#) ? try TextFile(folder["out"]) : nil
      #expect(
        (file?.lines.joined(separator: "\n") ?? run.output)
          == meant.replacing("HOME", with: folder.path) + "\n",
        "\(list.list): \(lines[index] ?? "")\n\(run)")
      #expect(run.status == 0)
    }
  }
}
