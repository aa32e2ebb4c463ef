import RunnerBatch
import RunnerCore

/// The scripts with which shells request completions. Each calls `raclette :complete WORDS`, which
/// prints one candidate per line with its description after a tab, or `:files`, or `:folders`.
enum ShellScripts {
  static let names = ["bash", "zsh", "fish"]
  /// The names in usage lines. A literal, because the first `joined` at the start of the program is
  /// expensive.
  static let choice = "bash|zsh|fish"

  /// - Parameter trusts: true if the command file may do anything while it is loaded for a
  ///   completion.
  static func script(for shell: String, trusts: Bool) -> String? {
    let script: String? =
      switch shell {
      case "bash": bash
      case "zsh": zsh
      case "fish": fish
      default: nil
      }
    return trusts ? script?.replacing(" :complete --", with: " :complete --trust --") : script
  }

  private static let bash = #"""
    # Completion of raclette for bash: source <(raclette :completions bash)
    _raclette() {
      local text=${COMP_LINE:0:COMP_POINT} words current line prefix program files
      read -ra words <<<"$text"
      [[ $text == *[[:space:]] ]] && words+=("")
      current=${words[${#words[@]}-1]}
      program=${words[0]/#\~\//"$HOME"/}
      # bash completes what follows the last of its word breaks only.
      prefix=
      case $COMP_WORDBREAKS in *=*) [[ $current == *=* ]] && prefix=${current%"${current##*=}"} ;; esac
      case $COMP_WORDBREAKS in
        *:*) [[ ${current#"$prefix"} == *:* ]] && prefix=${current%"${current##*:}"} ;;
      esac
      COMPREPLY=()
      while IFS= read -r line; do
        case $line in
          :files | :folders)
            compopt -o filenames
            [[ $line == :files ]] && line=-f || line=-d
            mapfile -t files < <(compgen "$line" -- "${current#"$prefix"}")
            COMPREPLY+=("${files[@]}")
            ;;
          *)
            line=${line%%$'\t'*}
            printf -v line %q "${line#"$prefix"}"
            COMPREPLY+=("$line")
            ;;
        esac
      done < <("$program" :complete -- "${words[@]:1}" 2>/dev/null)
    }
    complete -F _raclette raclette

    """#

  private static let zsh = #"""
    #compdef raclette
    # Completion of raclette for zsh: source <(raclette :completions zsh), after compinit
    _raclette() {
      local line candidates=()
      for line in ${(f)"$(${~words[1]} :complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
        case $line in
          :files) _files ;;
          :folders) _files -/ ;;
          *$'\t'*) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
          *) candidates+=("${line//:/\\:}") ;;
        esac
      done
      (( $#candidates )) && _describe -V raclette candidates
    }
    if [[ $funcstack[1] == _raclette ]]; then _raclette "$@"; else compdef _raclette raclette; fi

    """#

  private static let fish = #"""
    # Completion of raclette for fish: raclette :completions fish | source
    function __raclette_complete
      set -l words (commandline -opc)
      set -l current (commandline -ct)
      for line in ($words[1] :complete -- $words[2..-1] $current 2>/dev/null)
        switch $line
          case :files
            __fish_complete_path $current
          case :folders
            __fish_complete_directories $current ''
          case '*'
            echo $line
        end
      end
    end
    complete -c raclette -f -a '(__raclette_complete)'

    """#
}
