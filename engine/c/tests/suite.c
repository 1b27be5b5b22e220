/* How the tests in C count: see suite.h. */
#include "suite.h"

#include <stdio.h>

static unsigned checks, failures;

void suite_check(int good, const char *what, const char *file, int line) {
    ++checks;
    if (!good) {
        ++failures;
        fprintf(stderr, "%s:%d: %s\n", file, line, what);
    }
}

void suite_expect(MultisplitResult wanted, MultisplitResult got, const char *what, const char *file,
                  int line) {
    ++checks;
    if (got != wanted) {
        ++failures;
        fprintf(stderr, "%s:%d: %s: %s instead of %s (%s)\n", file, line, what,
                multisplit_result_name(got), multisplit_result_name(wanted), multisplit_last_error());
    } else if (got != MULTISPLIT_SUCCESS && multisplit_last_error()[0] == '\0') {
        ++failures;
        fprintf(stderr, "%s:%d: %s: an error without words\n", file, line, what);
    }
}

int suite_end(int host_status) {
    printf("%u checks, %u failed\n", checks, failures);
    return failures > 0 ? 2 : host_status;
}
