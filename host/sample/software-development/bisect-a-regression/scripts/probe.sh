#!/bin/sh
# Probe for "git bisect run". Copy it outside the repository and edit the three marked lines.
# Exit status: 0 good, 1 bad, 125 cannot be tested.

runs=1                                   # 1. raise for a failure that is not certain
build() { make -s; }                     # 2. how to build
symptom() {                              # 3. succeed if the symptom IS present
    ./app --input ../case.txt 2>&1 | grep -q 'total: -1'
}

# Leftovers from another commit make results wrong, so clean what git ignores as well.
# This deletes untracked files: run it only in a worktree made for the bisect.
git clean -fdxq -e node_modules -e .venv || exit 125
[ ! -f .gitmodules ] || git submodule update --init --quiet || exit 125
build >build.log 2>&1 || exit 125

i=0
while [ "$i" -lt "$runs" ]; do
    if symptom; then exit 1; fi
    i=$((i + 1))
done
exit 0
