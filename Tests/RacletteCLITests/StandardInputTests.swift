import Testing

@Suite("rac.stdin", .timeLimit(.minutes(5))) struct StandardInputTests {
  private let folder = Folder([
    "read.lua":
      "rac.stdin():subscribe(print, function(e) print(e.kind, e.message) end, function() print('end') end)"
  ])

  @Test func readsAPipeByNameThatNobodyWritesToAnyMore() async {
    let pipe = folder.makePipe("pipe")
    let run = await shell(
      "exec 3<>\(pipe); echo left >&3; exec raclette read.lua <\(pipe) 3>&-", in: folder)
    #expect(run.output == "left\nend\n", "\(run.errors)")
  }

  @Test func tellsWhatCannotBeReadFromItsEnd() async {
    let run = await shell(
      "exec raclette read.lua </", in: folder)
    #expect(
      run.output == "input\tstandard input cannot be read: is a directory\n")
  }

  @Test func isNotReadFasterThanItsLinesAreUsed() async {
    let run = await shell(
      """
      yes 'a line of some length, as programs write it' | raclette -e '
        local sent = 0
        rac.stdin():do_next(function() sent = sent + 1 end)
          :map(function() return rac.timer(0.001) end):flatten(1):take(3):wait()
        print(sent < 200000 or sent)'
      """, in: folder)
    #expect(run.output == "true\n", "\(run.errors)")
  }
}
