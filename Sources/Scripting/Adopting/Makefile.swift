import Platform

/// The targets of a Makefile, which is read and never evaluated: `make -p` and `make -n` execute
/// `$(shell …)`.
///
/// Targets of the file and of what it includes, also those that variables and make's functions of text
/// name; none of a pattern or with a special meaning. Of a conditional that only a program can decide,
/// both branches count.
struct Makefile {
  private let file: AdoptedFile

  init(_ file: AdoptedFile) { self.file = file }

  func recipes() throws(AdoptionError) -> [AdoptedRecipe] {
    var reader = MakefileReader(folder: file.folder)
    reader.read(try file.content(), named: file.name, isMain: true)
    let program =
      file.isFound(among: AdoptedFormat.makefile.names)
      ? ["make"] : ["make", "-f", file.name]
    return reader.targets.map { target in
      var recipe = AdoptedRecipe(name: target.name, words: program + [target.name])
      recipe.summary = target.documentation
      recipe.group = target.group
      recipe.line = target.line
      recipe.isPrivate =
        target.name.hasPrefix("_")
        || !reader.phony.contains(target.name) && target.documentation == nil
          && target.name.contains { $0 == "/" || $0 == "." }
      recipe.parameters = [
        AdoptedParameter(
          name: "args", form: .rest, help: "variables and options of make: NAME=value")
      ]
      return recipe
    }
  }
}
