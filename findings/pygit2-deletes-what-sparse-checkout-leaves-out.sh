#!/bin/sh
# pygit2 1.21.0 beside dulwich 1.2.21 (PyPI), git 2.39.5 (Debian 12, installed).
# Behaviour: to pygit2 the files that `git sparse-checkout` leaves out are deleted ones. Its status says so,
#   `index.add_all()` stages their deletion, so that the next commit removes them for everybody, and a stash
#   has the deletions as well. A sparse index, `git sparse-checkout set --sparse-index`, it refuses with an
#   error. git and dulwich call the same worktree clean.
# Expected: the index marks these entries (skip-worktree), so a library of git leaves them alone, or refuses
#   to work with them as it does with the sparse index.
# Who meets it: tools that commit for somebody, bots that bump versions, formatters and release scripts, in a
#   large repository where a developer or a CI job has checked out only the folders it needs.
set -eu
command -v git >/dev/null || { echo "git is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pygit2==1.21.0 dulwich==1.2.21
cd "$work"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
git init -q -b main repository
cd repository
git config user.name trial
git config user.email trial@example.org
mkdir app site
echo 1 >app/version
echo page >site/index
git add .
git commit -q -m first
git sparse-checkout set app
cat >../trial.py <<'END'
import sys
import pygit2
from dulwich import porcelain

repository = pygit2.Repository(".")
names = {pygit2.GIT_STATUS_WT_DELETED: "deleted", pygit2.GIT_STATUS_WT_MODIFIED: "modified"}

def status():
    return {path: names[flags] for path, flags in repository.status().items()}

if sys.argv[1] == "index":
    try:
        print("pygit2, with a sparse index:", status())
    except pygit2.GitError as error:
        print("pygit2, with a sparse index:", error)
elif sys.argv[1] == "status":
    seen = porcelain.status(".")
    print("dulwich:", [*seen.staged.values(), seen.unstaged])
    print("pygit2:", status())
else:
    who = pygit2.Signature("trial", "trial@example.org")
    print("pygit2, with a new version:", status())
    if sys.argv[1] == "stash":
        repository.stash(who)
    else:
        repository.index.add_all()
        repository.index.write()
        repository.create_commit("HEAD", who, who, "bump", repository.index.write_tree(),
                                 [repository.head.target])
END
{
  echo "git: $(git status --short | wc -l) changes"
  ../env/bin/python ../trial.py status
  echo 2 >app/version
  ../env/bin/python ../trial.py stash
  echo "the stash:" $(git diff --name-status stash^ stash)
  git stash drop -q
  git reset -q --hard
  git sparse-checkout set app
  echo 2 >app/version
  ../env/bin/python ../trial.py commit
  echo "the commit:" $(git diff --name-status HEAD^ HEAD)
  git reset -q --hard HEAD^
  git sparse-checkout set --sparse-index app
  ../env/bin/python ../trial.py index
} | tee ../seen
cat >../expected <<'END'
git: 0 changes
dulwich: [[], [], [], []]
pygit2: {'site/index': 'deleted'}
pygit2, with a new version: {'app/version': 'modified', 'site/index': 'deleted'}
the stash: M app/version D site/index
pygit2, with a new version: {'app/version': 'modified', 'site/index': 'deleted'}
the commit: M app/version D site/index
pygit2, with a sparse index: unsupported mandatory extension: 'sdir'
END
diff ../seen ../expected
