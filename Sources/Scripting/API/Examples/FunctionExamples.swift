extension Library {
  static let includingExamples: [String: String] = [
    "rac.include": """
    local path = os.tmpname()
    local file <close> = io.open(path, "w")
    file:write('rac.command{name = "test", run = function() return 42 end}')
    file:close()
    rac.include("api", path)
    os.remove(path)
    print(rac.commands["api:test"]:execute():first())
    --> 42
    """
  ]

  static let constructionExamples: [String: String] = [
    "rac.create": """
    local countdown = rac.create(function(subscriber)
      for seconds = 3, 1, -1 do subscriber:send_next(seconds) end
      subscriber:send_completed()
    end)
    countdown:subscribe(print)
    --> 3, 2, 1
    """,
    "rac.just": """
    rac.just("ready"):subscribe(print)
    --> ready
    """,
    "rac.empty": """
    rac.empty():subscribe(print, print, function() print("completed") end)
    --> completed
    """,
    "rac.never": """
    print(rac.never():take_until(rac.timer(0.01)):to_table().n)
    --> 0
    """,
    "rac.error": """
    print(pcall(function() rac.error("disk full"):wait() end))
    --> false	disk full
    """,
    "rac.from": """
    rac.from{"main.c", "util.c"}:subscribe(print)
    --> main.c, util.c
    """,
    "rac.range": """
    rac.range(10, 4, -3):subscribe(print)
    --> 10, 7, 4
    """,
    "rac.defer": """
    local attempts = 0
    local fetch = rac.defer(function()
      attempts = attempts + 1
      return rac.just(attempts)
    end)
    print(fetch:first(), fetch:first())
    --> 1	2
    """,
    "rac.try": """
    rac.try(function() return tonumber("0x1F") end):subscribe(print)
    --> 31
    """,
    "rac.interval": """
    rac.interval(0.01):take(3):subscribe(print)
    --> 1, 2, 3
    """,
    "rac.timer": """
    rac.timer(0.01):map_replace("time is up"):subscribe(print)
    --> time is up
    """,
    "rac.async": """
    local steps = rac.async(function(emit)
      emit("compiling")
      rac.sleep(0.01)
      return "done"
    end)
    steps:subscribe(print)
    --> compiling, done
    """,
    "rac.start_eagerly": """
    local config = rac.start_eagerly(function(subscriber)
      print("reading")
      subscriber:send_next("debug = true")
      subscriber:send_completed()
    end)
    print(config:first(), config:first())
    --> reading, debug = true	debug = true
    """,
    "rac.start_lazily": """
    local config = rac.start_lazily(function(subscriber)
      print("reading")
      subscriber:send_next("debug = true")
      subscriber:send_completed()
    end)
    print("nobody asked yet")
    print(config:first(), config:first())
    --> nobody asked yet, reading, debug = true	debug = true
    """,
  ]

  static let combinationExamples: [String: String] = [
    "rac.merge": """
    rac.merge(rac.timer(0.02):map_replace("slow"), rac.just("fast")):subscribe(print)
    --> fast, slow
    """,
    "rac.concat": """
    rac.concat(rac.timer(0.02):map_replace("slow"), rac.just("fast")):subscribe(print)
    --> slow, fast
    """,
    "rac.combine_latest": """
    local width, height = rac.behavior_subject(3), rac.behavior_subject(4)
    rac.combine_latest(width, height, function(w, h) return w * h end):subscribe(print)
    width:send_next(5)
    --> 12, 20
    """,
    "rac.zip": """
    rac.zip(rac.from{"red", "green"}, rac.from{0xF00, 0x0F0}):subscribe(print)
    --> (red, 3840), (green, 240)
    """,
    "rac.tuple": """
    local point = rac.tuple(3, nil, 5)
    print(point, point.n, point == rac.tuple(3, nil, 5), point:unpack())
    --> (3, nil, 5)	3	true	3	nil	5
    """,
    "rac.when": """
    local online = rac.from{true, false}
    rac.when(online, rac.just("fetch"), rac.just("use the cache")):subscribe(print)
    --> fetch, use the cache
    """,
    "rac.switch": """
    local mode = rac.from{"fast", "unheard of"}
    rac.switch(mode, {fast = rac.just("-O3")}, rac.just("-O0")):subscribe(print)
    --> -O3, -O0
    """,
    "rac.subject": """
    local saved = rac.subject()
    saved:subscribe(function(file) print("saved " .. file) end)
    saved:send_next("main.c")
    --> saved main.c
    """,
    "rac.replay_subject": """
    local log = rac.replay_subject(2)
    for _, line in ipairs{"a", "b", "c"} do log:send_next(line) end
    log:subscribe(print)
    --> b, c
    """,
    "rac.behavior_subject": """
    local level = rac.behavior_subject("info")
    level:subscribe(print)
    level:send_next("debug")
    --> info, debug
    """,
  ]

  static let systemExamples: [String: String] = [
    "rac.command": """
    local greet = rac.command{
      name = "greet", params = {{name = "whom", default = "world"}},
      run = function(input) return "hello " .. input.whom end,
    }
    print(greet:execute{whom = "Lua"}:first())

    local double = rac.command(function(input) return rac.just(input * 2) end)
    print(double:execute(21):first())
    --> hello Lua, 42
    """,
    "rac.exec": """
    rac.exec{"sort", "-n", stdin = rac.from{"10", "9", "8"}}:subscribe(print)
    --> 8, 9, 10
    """,
    "rac.sh": """
    print(rac.sh("echo $NAME | tr a-z A-Z", {env = {NAME = "lua"}}):first())
    --> LUA
    """,
    "rac.watch": """
    local folder = rac.sh("mktemp -d"):first()
    local seen <close> = rac.watch(folder):take(1):subscribe(function(change)
      print(change.kind, change.path:match("[^/]+$"))
    end)
    io.open(folder .. "/notes.txt", "w"):close()
    rac.sleep(0.2)
    rac.exec{"rm", "-r", folder}:wait()
    --> created	notes.txt
    """,
    "rac.glob": """
    print(table.concat(rac.glob{"/etc/host{s,name}", "!/etc/hostname"}, " "))
    --> /etc/hosts
    """,
    "rac.stat": """
    print(rac.stat("/etc").kind, rac.stat("/etc/hosts").kind, rac.stat("/no/such/file"))
    --> folder	file	nil
    """,
    "rac.digest": """
    local name = os.tmpname()
    io.open(name, "w"):write("abc"):close()
    print(rac.digest(name):sub(1, 12), os.remove(name))
    --> ba7816bf8f01	true
    """,
    "rac.which": """
    print(rac.which("sh"), rac.which("no-such-program"))
    --> /usr/bin/sh	nil
    """,
    "rac.file_exists": """
    rac.file_exists("/etc/passwd"):take(1):subscribe(print)
    --> true
    """,
    "rac.sleep": """
    local started = rac.now()
    rac.sleep(0.02)
    print(rac.now() - started >= 0.02)
    --> true
    """,
    "rac.now": """
    local started = rac.now()
    rac.exec{"true"}:wait()
    print(rac.now() - started < 60)
    --> true
    """,
    "rac.test_scheduler": """
    local clock <close> = rac.test_scheduler()
    rac.interval(3600):map(function(hour) return "hour " .. hour end):subscribe(print)
    clock:advance(2 * 3600)
    --> hour 1, hour 2
    """,
    "rac.is_signal": """
    print(rac.is_signal(rac.just(1)), rac.is_signal(1))
    --> true	false
    """,
    "rac.is_command": """
    print(rac.is_command(rac.command(rac.just)), rac.is_command(print))
    --> true	false
    """,
    "rac.stats": """
    local ticks <close> = rac.interval(1):subscribe()
    print(rac.stats().subscriptions)
    --> 1
    """,
    "rac.log.debug": """
    rac.log.debug("cache hit for", "main.o")
    """,
    "rac.log.info": """
    rac.log.info("compiled", 12, "files")
    """,
    "rac.log.warn": """
    rac.log.warn("the disk is 95 % full")
    """,
    "rac.log.error": """
    rac.log.error("nothing was uploaded")
    """,
    "rac.json.encode": """
    print(rac.json.encode{name = "lua", versions = {5, 5.5}, list = {n = 0}})
    --> {"list":[],"name":"lua","versions":[5,5.5]}
    """,
    "rac.json.decode": """
    local package = rac.json.decode('{"name": "lua", "tags": ["small", "fast"]}')
    print(package.name, package.tags[2])
    --> lua	fast
    """,
  ]
}
