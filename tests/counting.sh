# counting.sh - run tests of different kinds and count them together
#
# To be sourced by bash.  Says of each how long it took.  closing_line prints
# what was counted, and is the exit status of the whole.

passed=0
failed=0
skipped=0

# count_suite NAME CMD... runs a command that closes with a line of its own: N
# passed, N failed, N skipped.  One that ends without it, or whose exit status
# says otherwise, has failed.
count_suite() {
    local name=$1 log status=0 closing start=$SECONDS
    shift
    echo "== $name"
    log=$(mktemp)
    "$@" 2>&1 | tee "$log" || status=${PIPESTATUS[0]}
    closing=$(tail -n 1 "$log")
    rm -f "$log"
    if [[ $closing =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        skipped=$((skipped + BASH_REMATCH[3]))
        ((status == 0 || BASH_REMATCH[2] > 0)) || failed=$((failed + 1))
    else
        echo "$name: ended without a closing line"
        failed=$((failed + 1))
    fi
    echo "-- $name: $((SECONDS - start)) s"
}

# count_step NAME CMD... runs a command that passes or fails as a whole, in a
# shell of its own that it may end.
count_step() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name"
    if ("$@"); then
        passed=$((passed + 1))
    else
        echo "$name: failed"
        failed=$((failed + 1))
    fi
    echo "-- $name: $((SECONDS - start)) s"
}

closing_line() {
    echo "$passed passed, $failed failed, $skipped skipped"
    ((failed == 0))
}
