import Platform
import Testing

/// Targets as they are written in public Makefiles.
@Suite("adopted Makefiles", .timeLimit(.minutes(5)))
struct AdoptedMakefilesTests {
  private func names(_ makefile: String, _ others: [String: String] = [:]) async -> [String] {
    let folder = Folder(["Makefile": makefile].merging(others) { own, _ in own })
    let list = await raclette("list", "--all", "--adopt", in: folder)
    #expect(!Folder.isThere(folder["EXECUTED"]), "a Makefile is read and never executed")
    return list.lines.compactMap { line in
      line.hasPrefix("  ") ? line.split(separator: " ").first.map(String.init) : nil
    }
  }

  @Test("have the targets that variables with plain text name")
  func variables() async {
    let names = await names(
      """
      NAME = tool
      LIBRARY := lib$(NAME).a
      SOURCES = one.c \\
                two.c
      SOURCES += dir/three.c
      OBJECTS = ${SOURCES:.c=.o}
      export STAMP ?= $(SOURCES:%.c=.%.done)
      $(NAME): $(LIBRARY)
      $(LIBRARY) extra: $(OBJECTS)
      $(OBJECTS): %.o: %.c
      $(STAMP):
      """)
    #expect(
      names == [
        "tool", "libtool.a", "extra", "one.o", "two.o", "dir/three.o", ".one.done", ".two.done",
        ".dir/three.done",
      ])
  }

  @Test("leave out targets whose variables make has to compute")
  func unknown() async {
    let names = await names(
      """
      A != touch EXECUTED
      B := $(shell touch EXECUTED)
      ifdef DEBUG
      C = debug
      else
      C = release
      endif
      C += more
      D = $(D)
      E = a$(UNSET)
      define F
      text
      endef
      $(A) $(B) $(C) $(D) $(E) $(F) $(G) $$x $@: all
      $(patsubst %,%.html,$(B) a b): %.html: %.txt
      endif
      ifdef-check: all
      H = $(I)$(I)$(I)$(I)$(I)$(I)$(I)$(I)$(I)$(I)
      I = $(J)$(J)$(J)$(J)$(J)$(J)$(J)$(J)$(J)$(J)
      J = $(K)$(K)$(K)$(K)$(K)$(K)$(K)$(K)$(K)$(K)
      K = $(L)$(L)$(L)$(L)$(L)$(L)$(L)$(L)$(L)$(L)
      L =
      last$(H):
      known = last
      $(known):
      all:
      """)
    #expect(names == ["ifdef-check", "last", "all"])
  }

  @Test("have targets whose needs are references with a replacement")
  func replacements() async {
    let names = await names(
      """
      DIRS = a b
      .PHONY: build test
      build: $(DIRS:%=build/%) more
      test: ${DIRS:=.test}
      test: MODE = debug
      one two &: build
      .setup: ; touch .setup
      ./site/index.html: build
      .c.o:
      .DEFAULT:
      .SUFFIXES:
      """)
    #expect(names == ["build", "test", "one", "two", ".setup", "site/index.html"])
  }

  @Test("include files that variables name")
  func includes() async {
    let names = await names(
      """
      PARTS = parts
      include $(PARTS)/one.mk ${PARTS}/$(TWO).mk
        -include $(wildcard *.mk) $(PARTS)/three.mk
      all:
      """,
      ["parts/one.mk": "one:\n", "parts/three.mk": "three:\n", "more.mk": "more:\n"])
    #expect(names == ["one", "three", "all"])
  }
}
