#!/bin/sh
# git 2.39.5 (Debian 12, installed).
# Behaviour: in a linked worktree hooks and `git rebase --exec` get GIT_DIR as an absolute path, in the
#   main one they do not. So `git -C ../other ...` in a hook is about the repository ../other in the
#   main worktree, and about the one that is committed to in a linked one: `-C` changes the folder, and
#   GIT_DIR goes before what is found there.
# Expected: a hook has the same environment in each worktree; `-C` of another repository is that one.
# Who meets it: hooks and commands that look into a submodule, a sibling or a tool's clone: a version,
#   a diff or a `reset --hard` that is right for years and then meets a colleague who uses worktrees.
#   `git rev-parse --local-env-vars` has the names to unset.
set -eu
command -v git >/dev/null || { echo "git is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME="$work" GIT_CONFIG_NOSYSTEM=1 SEEN="$work/seen"
git config --global user.name me
git config --global user.email me@localhost
git init -q main
git init -q other
git -C main commit -q --allow-empty -m first
git -C main worktree add -q ../linked
cat >look.sh <<'END'
echo "$1, $(basename "$PWD"): $(git -C ../other rev-parse --absolute-git-dir | sed "s|^$HOME/||")" >>"$SEEN"
END
printf '#!/bin/sh\nsh ../look.sh hook\n' >main/.git/hooks/pre-commit
chmod +x main/.git/hooks/pre-commit
for tree in main linked; do
  git -C $tree commit -q --allow-empty -m "in $tree"
  git -C $tree rebase -q --exec "sh ../look.sh rebase" HEAD~1 >/dev/null 2>&1
done
cat seen
cat >expected <<'END'
hook, main: other/.git
rebase, main: other/.git
hook, linked: main/.git/worktrees/linked
rebase, linked: main/.git/worktrees/linked
END
diff seen expected
