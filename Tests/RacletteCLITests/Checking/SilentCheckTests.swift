import Testing

/// Definitions as people write them who come from just, make, npm and task. None is certainly wrong.
@Suite("check says nothing about what may be meant", .timeLimit(.minutes(5)))
struct SilentCheckTests {
  @Test("lines whose failures are answers, and texts that ignore them")
  func lines() async {
    await expectSilence(
      about: [
        #"docker ps | grep web && docker stop web"#,
        #"FOO=1 grep -q x y && echo found"#,
        #"sudo test -f /etc/motd && sudo rm /etc/motd"#,
        #"docker inspect app && docker rm -f app"#,
        #"docker inspect app >/dev/null 2>&1 && docker rm -f app"#,
        #"systemctl is-active nginx && sudo systemctl reload nginx"#,
        #"nc -z localhost 5432 && echo up"#,
        #"pidof server && pkill server"#,
        #"git diff --exit-code && echo clean"#,
        #"git diff --quiet && git stash"#,
        #"mountpoint /mnt/backup && umount /mnt/backup"#,
        #"kubectl get ns dev && kubectl delete ns dev"#,
        #"read answer && echo "$answer""#,
        #"echo 'deploying' && ./deploy.sh"#,
        #"version=1.2 && echo $version"#,
        #"let n=n+1 && echo $n"#,
        #"npm ls left-pad && npm rm left-pad"#,
        #"cargo --list | grep -q nextest && cargo nextest run"#,
        #"curl -sf localhost/health && echo up"#,
        #"command -v node >/dev/null && node build.js"#,
        #"[ -f .env ] && . ./.env"#,
        #"make -q all && make install"#,
        #"cd web 2>/dev/null && npm test"#,
        #"cd web && npm test || exit 1"#,
        #"cd web && npm test; exit $?"#,
        #"(cd web && npm test)"#,
        "cd web && make\nif [ $? -ne 0 ]; then exit 1; fi",
        "cd web && make\nif test ${?} -ne 0; then exit 1; fi",
        "cd web && make\n[ $? = 0 ] || exit 1",
        "cd web && make\nstatus=$?",
        "cd web && make &\npid=$!\nwait $pid",
        "cd web && make >\"$log\" 2>&1 &",
        "mkdir -p build && cd build & wait",
        #"if cd web && npm test; then echo passed; fi"#,
        #"deploy() { cd web && npm run deploy; }; deploy"#,
        #"for d in a b; do cd $d && make; done"#,
        #"! docker rm web"#,
        #"! grep -q TODO src/*.c; test $? = 0"#,
        #"set +e; cd web && npm test"#,
        #"set -x +e; cd web && npm test"#,
        #"cat <<END >notes.txt\ncd web && make\n! grep x\nEND"#,
        #"echo "$(echo "cd web && make")" 'cd a && b' "cd c && d""#,
        "case $1 in\nweb) cd web && make;;\nesac",
      ].map { "run = [[\($0.replacing("\\n", with: "\n"))\necho done]]" } + [
        #"shell = {"bash", "-c"}, run = "cd web && make\necho done""#,
        #"shell = {"node", "-e"}, run = "let a = 1 && 2\nlet b = !a\ncd && make\nb""#,
        #"shell = {"perl", "-e"}, run = "cd && make\n1""#,
        #"run = "cd web && npm test""#,
        #"run = "npm run lint && npm test && npm publish""#,
        #"steps = {"cd web && npm test", "make"}"#,
        #"steps = {"make", "cd web"}"#,
        #"steps = {"cd web\nnpm test", "export A=1; make", "true"}"#,
        #"steps = {"cd web; npm test", "[ -f x ] && . ./x && make", "cd web || exit 1", "true"}"#,
        #"steps = {"exec make", "set -x; make", "A=1 make", "env A=1 make", "true"}"#,
        #"shell = {"node", "-e"}, steps = {"export default 1", "cd"}"#,
      ])
  }

  @Test("texts for programs that read references themselves")
  func references() async {
    let parameters = ["target", "name", "dir", "version", "query", "cmd"].map {
      "{name = \"\($0)\", default = \"x\"}"
    }.joined(separator: ", ")
    await expectSilence(
      about: [
        #"run = {"bash", "-c", "echo $target"}"#,
        #"run = {"bash", "-euo", "pipefail", "-c", "$cmd"}"#,
        #"run = {"docker", "exec", "-e", "query", "db", "sh", "-c", "echo $query"}"#,
        #"run = {"sh", "-c", 'cd "$dir" && ls'}"#,
        #"run = {"sudo", "-E", "sh", "-c", "$cmd"}"#,
        #"run = {"find", ".", "-name", "*.o", "-exec", "sh", "-c", 'rm "$name"', ";"}"#,
        #"run = {"xargs", "-a", "list", "sh", "-c", "echo $target"}"#,
        #"run = {"env", "-S", "echo ${target}"}"#,
        #"run = {"envsubst", "$name"}"#,
        #"run = {"awk", "{ print $name }", "a.txt"}"#,
        #"run = {"awk", "$name"}"#,
        #"run = {"perl", "-ne", "print $name"}"#,
        #"run = {"jq", "--arg", "name", "x", ".[] | select(.name == $name)"}"#,
        #"run = {"jq", "-n", "--arg", "name", "x", "$name"}"#,
        #"run = {"ssh", "host", "echo", "$name"}"#,
        #"run = {"kubectl", "exec", "pod", "--", "echo", "$(name)"}"#,
        #"run = {"grep", "-rn", "$name", "src"}"#,
        #"run = {"git", "submodule", "foreach", "echo $name"}"#,
        #"run = {"docker", "inspect", "--format", "{{name}}", "web"}"#,
        #"run = {"gh", "release", "view", "--template={{.name}}"}"#,
        #"run = [[docker ps --format "{{.name}}"]]"#,
        #"run = [[docker inspect -f '{{.name}}' web; docker images --format="table {{.target}}"]]"#,
        #"run = [[gh release view --template "{{.version}} {{.Name}}"]]"#,
        #"env = {DOCKER_FORMAT = "{{.name}}"}, run = "true""#,
        #"outputs = {"{{target,name},x}.o"}, run = "true", fingerprint = function() end"#,
        #"run = {"gh", "release", "view", "--template", "{{name}}"}"#,
        #"run = {"hyperfine", "$cmd"}"#,
        #"run = {"make", "OUT=$name"}"#,
        #"run = {"echo", "${name:-none}", "$names", "{{ name | upper }}", "$PATH"}"#,
        #"run = "git cliff --body '{{ version }}' --tag $version""#,
        ##"run = [[#!/usr/bin/env python3\nname = "a"\nprint(f"{{name}} $(name)")]]"##,
        ##"run = [[#!/usr/bin/env node\nconsole.log(`{{name}} ${name}`)]]"##,
        #"run = [[version() { cat VERSION; }; echo $(version)]]"#,
        #"run = [[. ./lib.sh; echo $(version)]]"#,
        #"run = [[PATH=$PWD/bin:$PATH; echo $(version)]]"#,
        #"run = [[awk '{ print $name }' a.txt]]"#,
        #"run = [[echo '$(target) {{name}}' \$(target)]]"#,
        #"run = "cat <<END >page.html\n<h1>{{ name }}</h1>\nEND""#,
        #"shell = {"python3", "-c"}, run = "print(f'{{name}}'); print('$(name)', '{{name}}')""#,
        #"env = {FZF_DEFAULT_COMMAND = "fd $query", PS1 = "{{name}} > "}, run = "true""#,
        #"steps = {{command = "c1", target = "echo $target"}}"#,
        #"needs = {{"c1", target = "select '$name'"}}, run = "true""#,
      ].map {
        "params = {\(parameters)}, " + $0.replacing(#"\n"#, with: $0.contains("[[") ? "\n" : #"\n"#)
      })
  }

  @Test("words for programs that take operators of the shell, or give them to one")
  func words() async {
    await expectSilence(about: [
      #"run = {"ssh", "host", "ls", "&&", "uptime"}"#,
      #"run = {"ssh", "host", "ls", "~/logs"}"#,
      #"run = {"rsync", "-a", "src/", "~/backup"}"#,
      #"run = {"adb", "shell", "ls", "|", "wc"}"#,
      #"run = {"watch", "ls", "|", "wc"}"#,
      #"run = {"tmux", "new", "-d", ";", "split-window"}"#,
      #"run = {"printf", "%s", "|"}"#,
      #"run = {"gum", "join", "a", "|"}"#,
      #"run = {"git", "config", "core.excludesFile", "~/.gitignore"}"#,
      #"run = {"psql", "-c", ";"}"#,
      #"run = {"sqlite3", "x.db", ";"}"#,
      #"run = {"cut", "-d", "|", "-f1", "x"}"#,
      #"run = {"column", "-s", "|", "-t", "x"}"#,
      #"run = {"my-split", "--separator", "|", "x"}"#,
      #"run = {"expr", "3", "<", "4"}"#,
      #"run = {"find", ".", "-name", "*.o", "-exec", "rm", "{}", ";"}"#,
      #"run = {"sudo", "docker", "exec", "db", "psql", "<", "dump"}"#,
      #"run = {"read-mail", ">"}"#,
      #"run = {"echo", "a", "|", "b", "|"}"#,
      #"run = {"build dir/app", "--fast"}"#,
      #"run = {"tool-that-is-not-installed", "x"}"#,
      #"run = "tool-that-is-not-installed""#,
      #"private = true, name = "build/app.o", run = "true""#,
      #"name = "_build/lib.lua", run = "true""#,
    ])
  }

  @Test(
    "values that a file sets in some cases only",
    arguments: [
      #"if rac.env.NO_SUCH then VERSION = "1" end rac.command{name = "a", run = "true", summary = VERSION}"#,
      #"if rac.env.NO_SUCH then A, DEPS = 1, {"x"} end rac.command{name = "a", run = "true", needs = DEPS}"#,
      #"function setup() GROUP = "x" end rac.command{name = "a", run = "true", group = GROUP}"#,
      #"local deps; if rac.env.NO_SUCH then deps = {"x"} end rac.command{name = "a", run = "true", needs = deps}"#,
      #"rac.command{name = "a", run = "true", needs = ({plan9 = {"x"}})[rac.os]}"#,
      #"local given = ... rac.command{name = "a", run = "true", summary = given, group = ...}"#,
      #"_G["GROUP"] = nil rac.command{name = "a", run = "true", group = GROUP}"#,
      #"require "settings" rac.command{name = "a", run = "true", group = GROUP}"#,
      #"local settings = {} rac.command{name = "a", run = "true", needs = settings.needs, cwd = rac.env.NO_SUCH}"#,
      #"rac.command{name = "a", run = "true", timeout = rac.env.NO_SUCH and 10, summary = nil}"#,
      #"pcall(require, "none") rac.command{name = "a", run = "true", group = GROUP}"#,
      #"rac.include(nil, "none.lua", {optional = true}) rac.command{name = "a", run = "true", group = GROUP}"#,
      #"rac.command{name = "a", run = "true", enabled = rac.env.NO_SUCH and rac.just(false) or nil}"#,
      #"local condition rac.command{name = "a", run = "true", enabled = condition}"#,
      #"local list = {rac.just(1); rac.just(2)} rac.command{name = "a", run = function() return rac.merge(list[1], list[2]) end}"#,
      #"rac.command{name = "a", run = function() local t = {x = 1; rac.sh("true")} return t[1] end}"#,
      #"rac.adopt("Makefile")"#,
      #"rac.command{name = "gen", outputs = "gen", run = "true"} rac.command{name = "a", needs = "gen", sources = "gen/*.h", run = "true"}"#,
      #"rac.command{name = "gen", outputs = "gen.h", run = "true"} rac.command{name = "a", needs = "gen", sources = "settings.lua", depfile = "a.d", run = "true"}"#,
      #"rac.command{name = "gen", outputs = "gen.h", run = "true"} rac.command{name = "a", needs = "gen", sources = "settings.lua", fingerprint = function() return 1 end, run = "true"}"#,
      #"rac.command{name = "i", sources = "Makefile", outputs = "mods", run = "true"} rac.command{name = "a", needs = "i", sources = {"Makefile", "*.lua"}, run = "true"}"#,
      #"rac.command{name = "ok", run = "true"} rac.command{run = "true"}"#,
    ])
  func values(text: String) async {
    let folder = Folder([
      "commands.lua": text, "settings.lua": "if rac.env.NO_SUCH then GROUP = 'x' end\n",
      "Makefile":
        "all: build/app\nbuild/app: build/main.o\n\ttouch $@\nbuild/main.o:\n\ttouch $@\n",
    ])
    let run = await raclette("check", in: folder)
    #expect(run.output == "")
    #expect(
      run.errors.hasPrefix("raclette: commands.lua: ") && run.errors.hasSuffix(", no problems\n")
        && run.lines.count == 0 && run.errors.count { $0 == "\n" } == 1, "\(run)")
    #expect(run.status == 0)
  }

  /// Checks definitions, which differ in their names, in one file.
  private func expectSilence(about definitions: [String]) async {
    let text = definitions.enumerated().map { index, fields in
      "rac.command{name = \"c\(index + 1)\", \(fields)}\n"
    }
    let run = await raclette("check", in: Folder(commands: text.joined()))
    #expect(run.output == "")
    #expect(run.errors == "raclette: commands.lua: \(definitions.count) commands, no problems\n")
    #expect(run.status == 0)
  }
}
