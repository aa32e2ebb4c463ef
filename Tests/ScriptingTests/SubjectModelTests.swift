import Testing

@testable import Scripting

/// The rules of a subject, as a script in plain Lua that knows no rows, plays random games beside the
/// subject itself: sends and subscriptions during a delivery wait for its end, a disposal takes effect
/// at once, an error ends the subscription in which it is raised.
@Suite("A subject and its model") struct SubjectModelTests {
  private static let model = """
    local function model()
      local self, subscribers, waiting, busy = {}, {}, {}, false
      local function run(operation)
        waiting[#waiting + 1] = operation
        if busy then return end
        busy = true
        while waiting[1] do table.remove(waiting, 1)() end
        busy = false
      end
      function self:send_next(value)
        run(function()
          for _, each in ipairs(subscribers) do
            local fine, problem = true, nil
            if not each.over then fine, problem = pcall(each.next, value) end
            if not fine and not each.over then
              each.over = true
              each.fail(problem)
            end
          end
        end)
      end
      function self:subscribe(next, fail)
        local new = {next = next, fail = fail}
        run(function() subscribers[#subscribers + 1] = new end)
        return {dispose = function() new.over = true end}
      end
      return self
    end
    """

  /// `size` is the number of subscribers at the start; the more eagerly they leave, the more often a row
  /// closes its empty places.
  private static let game = """
    local function play(s, seed, size, eagerness)
      math.randomseed(seed)
      local log, subscriptions, budget = {}, {}, 200
      local subscribe
      local function leave() subscriptions[math.random(#subscriptions)]:dispose() end
      local function act(name, value)
        log[#log + 1] = name .. "=" .. value
        budget = budget - 1
        if budget < 0 then return end
        local dice = math.random(40)
        if dice == 1 then s:send_next(value .. "'")
        elseif dice <= 3 then subscribe()
        elseif dice <= 3 + eagerness then leave()
        elseif dice == 40 then error("no " .. name, 0)
        elseif dice == 39 then leave() error("left " .. name, 0)
        elseif dice == 38 then subscriptions[name]:dispose() error("gone", 0)
        end
      end
      function subscribe()
        local name = #subscriptions + 1
        subscriptions[name] = s:subscribe(function(v) act(name, v) end, function(problem)
          log[#log + 1] = name .. "!" .. tostring(problem)
          if math.random(3) == 1 then leave() end
        end)
      end
      for _ = 1, size do subscribe() end
      for i = 1, 12 do
        s:send_next(tostring(i))
        log[#log + 1] = ";"
        for _ = 1, math.random(0, eagerness) do leave() end
        for _ = 1, math.random(0, 3) do subscribe() end
      end
      return table.concat(log, " ")
    end
    """

  @Test(arguments: [1, 2, 3, 10, 70], [0, 3, 12])
  func playTheSameGames(_ size: Int, _ eagerness: Int) throws {
    let lines = try Script.lines(
      Self.model + "\n" + Self.game + """

        local events = 0
        for seed = 1, 60 do
          local one = play(rac.subject(), seed, \(size), \(eagerness))
          local other = play(model(), seed, \(size), \(eagerness))
          events = events + #one
          if one ~= other then print(seed, one, other) end
        end
        print(events > 60 * 50, rac.stats().subscriptions > 0)
        """)
    #expect(lines == ["true\ttrue"])
  }

  /// More functions than a userdata has user values.
  @Test func aVeryLongRowReceivesAll() throws {
    let lines = try Script.lines(
      """
      local s, sum = rac.subject(), 0
      local function receive(v) sum = sum + v end
      for _ = 1, 65534 do s:subscribe(receive) end
      s:send_next(1)
      print(sum)
      local last = s:subscribe(receive)
      s:subscribe(function(v) error("no", 0) end, print)
      s:send_next(1)
      print(sum)
      last:dispose()
      s:send_next(1)
      print(sum)
      """)
    #expect(lines == ["65534", "no", "131069", "196603"])
  }
}
