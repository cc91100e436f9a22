#!/usr/bin/env bash
# Compares the captures in BASELINE and EXPERIMENT, and writes the exit code and the Markdown to the outputs of the step.
# The step itself does not fail, so that the result can be commented before the gate is applied.
set -euo pipefail

rooflight=${ROOFLIGHT:-}
if [ -z "$rooflight" ]; then
  rooflight="$(cd "$(dirname "$0")/../../.." && pwd)/target/release/rooflight"
fi
markdown="${RUNNER_TEMP:-/tmp}/rooflight-compare.md"
# Paths are separated by spaces.
read -r -a baseline <<< "$BASELINE"
read -r -a experiment <<< "$EXPERIMENT"
gate=()
if [ -n "${FAIL_OVER:-}" ]; then
  gate=(--fail-over "$FAIL_OVER" --on "${FIGURE:-period}" --inconclusive "${INCONCLUSIVE:-fail}")
fi
band=()
if [ -n "${HISTORY:-}" ]; then
  read -r -a history <<< "$HISTORY"
  band=(--history "${history[@]}")
fi

code=0
"$rooflight" compare "${baseline[@]}" "${gate[@]}" "${band[@]}" --markdown --out "$markdown" -- "${experiment[@]}" || code=$?
echo "code=$code" >> "$GITHUB_OUTPUT"
if [ -s "$markdown" ] && [ "$code" != 2 ]; then
  echo "markdown=$markdown" >> "$GITHUB_OUTPUT"
  cat "$markdown" >> "$GITHUB_STEP_SUMMARY"
fi
