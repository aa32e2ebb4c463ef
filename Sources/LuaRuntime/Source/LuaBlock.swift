/// What a word of Lua opens, up to the word or bracket that closes it.
package enum LuaBlock {
  case function
  /// The statements of `do`, `if` or `repeat`; the `do` of a loop stands for the loop.
  case statements
  case brackets

  /// The block that a word opens; nil for any other word.
  package init?(openedBy word: String) {
    switch word {
    case "function": self = .function
    case "do", "if", "repeat": self = .statements
    case "(", "[", "{": self = .brackets
    default: return nil
    }
  }

  /// The change of the number of open blocks by a word.
  package static func change(by word: String) -> Int {
    switch word {
    case "end", "until", ")", "]", "}": -1
    default: LuaBlock(openedBy: word) == nil ? 0 : 1
    }
  }
}

extension LuaCode {
  /// Calls a function with the index of each token and the blocks that are open there, the innermost
  /// last.
  package func forEachToken(_ body: (_ index: Int, _ open: [LuaBlock]) -> Void) {
    var open: [LuaBlock] = []
    for (index, text) in texts.enumerated() {
      body(index, open)
      if let block = LuaBlock(openedBy: text) {
        open.append(block)
      } else if LuaBlock.change(by: text) < 0 {
        _ = open.popLast()
      }
    }
  }
}
