#!/bin/sh
# Profile each column of a CSV file that has a header line.
# Usage: sh profile-csv.sh FILE [DELIMITER]      (delimiter: one character, comma by default)
set -eu

file=${1:?usage: profile-csv.sh FILE [DELIMITER]}
sep=${2:-,}
[ -r "$file" ] || { echo "cannot read: $file" >&2; exit 1; }

db=$(mktemp)
trap 'rm -f "$db"' EXIT

# In CSV mode sqlite3 understands quotes and line breaks inside fields. All columns become text.
# The file goes in through standard input so that any file name works.
sqlite3 -batch "$db" ".mode csv" ".separator \"$sep\"" ".import /dev/stdin t" < "$file"

echo "rows: $(sqlite3 "$db" 'SELECT count(*) FROM t')"

sqlite3 "$db" "SELECT name FROM pragma_table_info('t')" | while IFS= read -r col; do
    id=$(printf '%s' "$col" | sed 's/"/""/g')
    lit=$(printf '%s' "$col" | sed "s/'/''/g")
    sqlite3 -batch -cmd '.mode line' "$db" "
        SELECT '$lit' AS column_name,
               sum(trim(coalesce(\"$id\", '')) = '') AS empty,
               count(DISTINCT \"$id\") AS different,
               sum(\"$id\" <> trim(\"$id\")) AS untrimmed,
               min(length(\"$id\")) || ' to ' || max(length(\"$id\")) AS length,
               substr(min(nullif(\"$id\", '')), 1, 40) AS smallest,
               substr(max(\"$id\"), 1, 40) AS largest
        FROM t;"
    echo
done
