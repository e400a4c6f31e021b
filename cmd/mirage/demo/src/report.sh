#!/bin/bash
# Prints the turnover of each country, highest first.
set -euo pipefail

file=${1:-/data/orders.csv}

awk -F, 'NR > 1 { sum[$4] += $6 * $7 } END { for (c in sum) printf "%s %.2f\n", c, sum[c] }' "$file" |
  sort -k2,2 -rn |
  while read -r country total; do
    printf '%-3s %8s\n' "$country" "$total"
  done
