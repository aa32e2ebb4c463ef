import Platform
import Testing

/// Targets as they are written in public Makefiles.
@Suite("adopted Makefiles", .timeLimit(.minutes(5)))
struct AdoptedMakefilesTests {
  private func names(
    _ makefile: String, _ others: [String: String] = [:], environment: [String: String] = [:]
  ) async -> [String] {
    let folder = Folder(["Makefile": makefile].merging(others) { own, _ in own })
    let list = await raclette("list", "--all", "--adopt", in: folder, environment: environment)
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

  @Test("leave out targets whose variables only a program can compute")
  func unknown() async {
    let names = await names(
      """
      A != touch EXECUTED
      B := $(shell touch EXECUTED)
      ifeq ($(B),)
      C = debug
      else
      C = release
      endif
      C += more
      D = $(D)
      E = a$(CC)b
      F = $(file >EXECUTED,text)
      $(A) $(B) $(C) $(D) $(E) $(F) $$x $@: all
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
    #expect(names == ["one", "more", "three", "all"])
  }

  @Test("have the targets that functions of text name")
  func functions() async {
    let names = await names(
      """
      PARTS = core net/http
      export EXTRA = $(UNSET)x
      test-%: ; true
      $(addprefix test-,$(notdir $(PARTS))): test-%:
      $(foreach part,$(PARTS),$(part)/all $(if $(findstring net,$(part)),fetch)):
      $(patsubst src/%.c,bin/%,$(wildcard src/*.c)): bin/%: src/%.c
      $(filter-out %.c,$(subst a,b,xa.o ya.c)) $(EXTRA)$(suffix a/b.c .d/e) $(basename dir/f.tar.gz):
      $(word 2,$(sort q p q)) $(lastword $(PARTS:%=last-%)) $(words $(PARTS))-parts:
      $(join a b,.x .y) $(or $(UNSET),both) $(and $(UNSET),none):
      """, ["src/one.c": "", "src/two.c": "", "src/three.h": ""])
    #expect(
      names == [
        "test-core", "test-http", "core/all", "net/http/all", "fetch", "bin/one", "bin/two", "xb.o",
        "x.c", "dir/f.tar", "q", "last-net/http", "2-parts", "a.x", "b.y", "both",
      ])
  }

  @Test("have the targets of templates")
  func templates() async {
    let names = await names(
      """
      define program
      # Build a program
      $(1): $(1).o $(2)
      \tcc -o $$@ $$^
      clean-$(1):
      \trm $(1) $$(shell touch EXECUTED)
      endef
      define unused
      never:
      endef
      $(foreach name,one two,$(eval $(call program,$(name))))
      many = $(1)-$(11)
      $(call many,a,b,c,d,e,f,g,h,i,j,k):
      """)
    #expect(names == ["one", "clean-one", "two", "clean-two", "a-k"])
  }

  @Test("are those of the branches that make reads")
  func conditionals() async {
    let makefile = """
      ifeq ($(MODE),fast)
      SUFFIX = .fast
      quick:
      else ifneq "$(MODE)" ''
      SUFFIX = .$(MODE)
      else
      SUFFIX =
        ifdef NEVER
      never:
        endif
      endif
      tool$(SUFFIX):
      ifeq ($(shell touch EXECUTED),)
      unix:
      else
      windows:
      endif
      ifndef MODE
      plain:
      endif
      """
    #expect(await names(makefile) == ["tool", "unix", "windows", "plain"])
    #expect(
      await names(makefile, environment: ["MODE": "fast"])
        == ["quick", "tool.fast", "unix", "windows"])
    #expect(
      await names(makefile, environment: ["MODE": "slow"]) == ["tool.slow", "unix", "windows"])
  }

  @Test("are those of files that are included from their own folder, and by a pattern")
  func includesFromAFolder() async {
    let names = await names(
      "include make/all.mk\n-include local/*.mk\n",
      [
        "make/all.mk": "HERE := $(dir $(lastword $(MAKEFILE_LIST)))\ninclude $(HERE)go.mk\n",
        "make/go.mk": "go-test:\n", "local/a.mk": "a:\n", "local/b.mk": "b:\n",
      ])
    #expect(names == ["go-test", "a", "b"])
  }

  @Test("stay unknown where a file is included that is not there")
  func missingIncludes() async {
    let names = await names("include made.mk\n$(SET_THERE)x all:\n-include no.mk\n")
    #expect(names == ["all"])
  }
}
