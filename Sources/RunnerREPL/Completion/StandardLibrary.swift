import RunnerCore

/// The standard library of Lua, in one-line descriptions.
struct StandardLibrary {
  struct Entry {
    /// The full name: `string.rep`.
    let name: String
    /// The name with its parameters and results.
    let signature: String
    let summary: String
  }

  static func entry(named name: String) -> Entry? { entries[name] }

  static var names: [String] { entries.keys.sorted() }

  /// True for the name of a table of functions.
  static func isLibrary(_ name: String) -> Bool { libraries.contains(name) }

  private static let libraries: Set = [
    "_G", "coroutine", "debug", "io", "math", "os", "package", "string", "table", "utf8",
  ]

  /// All entries that match a name: a full name, or the last part of one.
  static func entries(for name: String) -> [Entry] {
    if let entry = entries[name] { return [entry] }
    return entries.values.filter { $0.name.hasSuffix("." + name) }.sorted { $0.name < $1.name }
  }

  private static let entries = Dictionary(
    uniqueKeysWithValues: table.split(separator: "\n").map { line in
      let parts = line.split(separator: "|", maxSplits: 1).map { String($0).trimmed }
      let name = String(parts[0].prefix { $0 != "(" && $0 != ":" })
      return (name, Entry(name: name, signature: parts[0], summary: parts[1]))
    })

  private static let table = """
    assert(v [, message]): v, … | Raises an error unless v is true.
    collectgarbage([option [, arg]]): any | Controls the garbage collector; "count" returns the memory in use in KiB.
    dofile([filename]): … | Executes a file of Lua code.
    error(message [, level]) | Raises an error.
    getmetatable(object): table | The metatable of an object, or its field __metatable.
    ipairs(t): iterator | Iterates over t[1], t[2], … up to the first nil.
    load(chunk [, chunkname [, mode [, env]]]): function | Compiles a chunk; nil and a message if that fails.
    loadfile([filename [, mode [, env]]]): function | Compiles a file.
    next(table [, index]): key, value | The field that follows an index, in any order.
    pairs(t): iterator | Iterates over all fields of a table.
    pcall(f [, arg, …]): boolean, … | Calls f; false and the error instead of raising it.
    print(…) | Writes its arguments to standard output, separated by tabs.
    rawequal(v1, v2): boolean | Compares without metamethods.
    rawget(table, index): any | The field of a table, without metamethods.
    rawlen(v): integer | The length of a table or string, without metamethods.
    rawset(table, index, value): table | Sets a field, without metamethods.
    require(modname): any, string | Loads a module once and returns its value.
    select(n, …): … | The arguments from the nth on; "#" returns their number.
    setmetatable(table, metatable): table | Sets the metatable of a table.
    tonumber(e [, base]): number | Converts to a number; nil if that is not possible.
    tostring(v): string | Converts to a string.
    type(v): string | The name of the type of v.
    warn(msg1, …) | Writes a warning; warn("@on") turns warnings on.
    xpcall(f, msgh [, arg1, …]): boolean, … | As pcall, with a function that handles the message.
    coroutine.close(co): boolean | Closes a coroutine and its variables that are to be closed.
    coroutine.create(f): thread | A coroutine with the body f.
    coroutine.isyieldable([co]): boolean | Whether a coroutine can yield.
    coroutine.resume(co [, val1, …]): boolean, … | Starts or continues a coroutine.
    coroutine.running(): thread, boolean | The running coroutine, and whether it is the main one.
    coroutine.status(co): string | "running", "suspended", "normal" or "dead".
    coroutine.wrap(f): function | A function that resumes a coroutine at each call.
    coroutine.yield(…): … | Suspends the running coroutine.
    debug.getinfo([thread,] f [, what]): table | Information on a function or a level of the stack.
    debug.traceback([thread,] [message [, level]]): string | A traceback of the stack.
    io.close([file]) | Closes a file, or the default output.
    io.flush() | Writes what is buffered for the default output.
    io.input([file]): file | Sets or returns the default input.
    io.lines([filename, …]): iterator | Iterates over the lines of a file, which is closed at the end.
    io.open(filename [, mode]): file | Opens a file; nil and a message if that fails.
    io.output([file]): file | Sets or returns the default output.
    io.popen(prog [, mode]): file | Starts a program and returns a file to read from or write to it.
    io.read(…): … | Reads from the default input.
    io.tmpfile(): file | A temporary file, removed at the end of the program.
    io.type(obj): string | "file", "closed file", or nil.
    io.write(…): file | Writes to the default output.
    math.abs(x): number | The absolute value.
    math.acos(x): float | The arc cosine, in radians.
    math.asin(x): float | The arc sine, in radians.
    math.atan(y [, x]): float | The arc tangent of y/x, in radians.
    math.ceil(x): integer | The least integral value not below x.
    math.cos(x): float | The cosine of x, in radians.
    math.deg(x): float | Converts from radians to degrees.
    math.exp(x): float | e to the power of x.
    math.floor(x): integer | The greatest integral value not above x.
    math.fmod(x, y): number | The remainder of x/y, with the sign of x.
    math.huge: float | A value greater than any other number.
    math.log(x [, base]): float | The logarithm, to the base e unless another is given.
    math.max(x, …): number | The greatest argument.
    math.maxinteger: integer | The greatest integer.
    math.min(x, …): number | The least argument.
    math.mininteger: integer | The least integer.
    math.modf(x): float, float | The integral and the fractional part.
    math.pi: float | The value of π.
    math.rad(x): float | Converts from degrees to radians.
    math.random([m [, n]]): number | A random float in [0,1), or a random integer from 1 or m on.
    math.randomseed([x [, y]]) | Sets the seed of the random numbers.
    math.sin(x): float | The sine of x, in radians.
    math.sqrt(x): float | The square root.
    math.tan(x): float | The tangent of x, in radians.
    math.tointeger(x): integer | Converts to an integer; nil if that is not possible.
    math.type(x): string | "integer", "float", or nil.
    math.ult(m, n): boolean | Compares as unsigned integers.
    os.clock(): float | The processor time used, in seconds.
    os.date([format [, time]]): string | A date as text, or as table for the format "*t".
    os.difftime(t2, t1): float | The difference of two times, in seconds.
    os.execute([command]): boolean, string, integer | Executes a command line with the shell.
    os.exit([code [, close]]) | Ends the program.
    os.getenv(varname): string | The value of a variable of the environment; nil if it is not set.
    os.remove(filename): boolean | Removes a file or an empty folder.
    os.rename(oldname, newname): boolean | Renames a file or folder.
    os.setlocale(locale [, category]): string | Sets the locale.
    os.time([table]): integer | The current time, or that of a table, in seconds since 1970.
    os.tmpname(): string | The name of a new temporary file.
    string.byte(s [, i [, j]]): integer, … | The codes of the bytes from i to j.
    string.char(…): string | A string of bytes with these codes.
    string.dump(function [, strip]): string | The binary code of a function.
    string.find(s, pattern [, init [, plain]]): integer, integer, … | The place of the first match, and its captures.
    string.format(formatstring, …): string | Formats its arguments as printf does.
    string.gmatch(s, pattern [, init]): iterator | Iterates over all matches.
    string.gsub(s, pattern, repl [, n]): string, integer | Replaces matches, and counts them.
    string.len(s): integer | The length in bytes.
    string.lower(s): string | With small letters.
    string.match(s, pattern [, init]): string, … | The captures of the first match, or all of it.
    string.pack(fmt, v1, v2, …): string | Values in binary form.
    string.packsize(fmt): integer | The length of what string.pack makes.
    string.rep(s, n [, sep]): string | n copies of s, with a separator.
    string.reverse(s): string | The bytes in reverse order.
    string.sub(s, i [, j]): string | The part from i to j; negative numbers count from the end.
    string.unpack(fmt, s [, pos]): … | The values that string.pack has packed.
    string.upper(s): string | With capital letters.
    table.concat(list [, sep [, i [, j]]]): string | The elements of a list as one string.
    table.insert(list, [pos,] value) | Inserts an element, at the end unless a place is given.
    table.move(a1, f, e, t [, a2]): table | Copies elements to another place or table.
    table.pack(…): table | A table of the arguments, with their number in n.
    table.remove(list [, pos]): any | Removes an element, the last unless a place is given.
    table.sort(list [, comp]) | Sorts a list in place.
    table.unpack(list [, i [, j]]): … | The elements of a list.
    utf8.char(…): string | A string of characters with these codes.
    utf8.charpattern: string | The pattern that matches one UTF-8 character.
    utf8.codepoint(s [, i [, j [, lax]]]): integer, … | The codes of characters.
    utf8.codes(s [, lax]): iterator | Iterates over the characters of a string.
    utf8.len(s [, i [, j [, lax]]]): integer | The number of characters; nil and a place if it is not UTF-8.
    utf8.offset(s, n [, i]): integer | The place in bytes of the nth character.
    """
}
