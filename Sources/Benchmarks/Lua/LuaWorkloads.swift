/// The workloads in Lua. Each chunk returns a function of a number of units.
enum LuaWorkloads {
  static let pipeline = """
    local sum
    local signal = function(n)
      return rac.range(1, n)
        :map(function(x) return x + 1 end)
        :filter(function(x) return x % 2 == 0 end)
        :map(function(x) return x * 3 end)
        :scan(0, function(a, x) return a + x end)
    end
    return function(n) signal(2 * n):subscribe(function(x) sum = x end) end
    """

  /// The same by a subject, so that each event also is a call of the library.
  static let subjectPipeline = """
    local subject, sum = rac.subject(), nil
    subject
      :map(function(x) return x + 1 end)
      :filter(function(x) return x % 2 == 0 end)
      :map(function(x) return x * 3 end)
      :scan(0, function(a, x) return a + x end)
      :subscribe(function(x) sum = x end)
    return function(n) for i = 1, 2 * n do subject:send_next(i) end end
    """

  static let closures = """
    local function map(f, next) return function(x) next(f(x)) end end
    local function filter(f, next) return function(x) if f(x) then next(x) end end end
    local function scan(a, f, next) return function(x) a = f(a, x) next(a) end end
    local sum
    local send = map(function(x) return x + 1 end,
      filter(function(x) return x % 2 == 0 end,
        map(function(x) return x * 3 end,
          scan(0, function(a, x) return a + x end, function(x) sum = x end))))
    return function(n) for i = 1, 2 * n do send(i) end end
    """

  static let fanOut = """
    local subject, last = rac.subject(), nil
    for _ = 1, 100 do subject:subscribe(function(x) last = x end) end
    return function(n) for i = 1, n / 100 do subject:send_next(i) end end
    """

  static let subscriber = "local last return function(x) last = x end"

  static let flatMap = """
    local last
    return function(n)
      rac.range(1, n):flat_map(function(x) return rac.just(x) end):subscribe(function(x) last = x end)
    end
    """

  /// The peer: the same in a small library after RxLua, all of it Lua.
  static let flatMapPeer =
    peer + """

      local last
      return function(n)
        range(1, n):flat_map(function(x) return just(x) end):subscribe(function(x) last = x end)
      end
      """

  static let execute = """
    local command, last = rac.command(function(x) return rac.just(x) end), nil
    command.executions:subscribe(function(e) e:subscribe(function(x) last = x end) end)
    command.errors:subscribe(function(x) last = x end)
    command.executing:subscribe(function(x) last = x end)
    return function(n) command:execute(n) end
    """

  private static let peer = """
    local Observer, Observable = {}, {}
    Observer.__index, Observable.__index = Observer, Observable
    local unpack = table.unpack

    function Observer.create(on_next, on_error, on_completed)
      return setmetatable({
        _next = on_next or function() end, _error = on_error or error,
        _completed = on_completed or function() end, stopped = false,
      }, Observer)
    end
    function Observer:on_next(...)
      if not self.stopped then self._next(...) end
    end
    function Observer:on_error(message)
      if not self.stopped then self.stopped = true self._error(message) end
    end
    function Observer:on_completed()
      if not self.stopped then self.stopped = true self._completed() end
    end

    local function try(observer, f, ...)
      local ok, result = pcall(f, ...)
      if not ok then observer:on_error(result) end
      return ok, result
    end

    function Observable.create(subscribe)
      return setmetatable({_subscribe = subscribe}, Observable)
    end
    function Observable:subscribe(on_next, on_error, on_completed)
      if type(on_next) == "table" then return self._subscribe(on_next) end
      return self._subscribe(Observer.create(on_next, on_error, on_completed))
    end
    function just(...)
      local values = {...}
      return Observable.create(function(observer)
        observer:on_next(unpack(values))
        observer:on_completed()
      end)
    end
    function range(first, last)
      return Observable.create(function(observer)
        for i = first, last do observer:on_next(i) end
        observer:on_completed()
      end)
    end
    function Observable:map(f)
      return Observable.create(function(observer)
        return self:subscribe(function(...)
          return try(observer, function(...) return observer:on_next(f(...)) end, ...)
        end, function(e) return observer:on_error(e) end, function() observer:on_completed() end)
      end)
    end
    function Observable:flatten()
      return Observable.create(function(observer)
        local subscriptions, remaining = {}, 1
        local function on_error(message) return observer:on_error(message) end
        local function on_completed()
          remaining = remaining - 1
          if remaining == 0 then return observer:on_completed() end
        end
        local function on_next(inner)
          local function inner_next(...) observer:on_next(...) end
          remaining = remaining + 1
          subscriptions[#subscriptions + 1] = inner:subscribe(inner_next, on_error, on_completed)
        end
        return self:subscribe(on_next, on_error, on_completed)
      end)
    end
    function Observable:flat_map(f) return self:map(f):flatten() end

    """
}
