import LuaRuntime

extension ScriptHost {
  /// From now on a script starts and changes nothing: processes print an empty line and end well,
  /// executions complete at once, and what Lua's own library would run, write or remove it only seems
  /// to. For looking at commands without executing anything.
  ///
  /// - Throws: `LuaError` if the interpreter has too little memory for it.
  public func rehearse() throws(LuaError) {
    isRehearsing = true
    let source = """
      -- A sandbox has nothing of it.
      if not io then return end
      local open = io.open
      local function nothing() return open("/dev/null", "r+") end
      os.execute = function(line) return true, "exit", 0 end
      os.remove = function() return true end
      os.rename = os.remove
      io.popen = nothing
      io.open = function(path, mode)
        if mode and mode:find("[wa+]") then return nothing() end
        return open(path, mode)
      end
      """
    try interpreter.run(source, chunkName: Prelude.chunkName)
  }
}
