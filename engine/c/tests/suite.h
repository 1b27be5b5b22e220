/* How the tests in C count: every check goes on, and the end says how many failed. */
#ifndef SUITE_H
#define SUITE_H

#include "host.h"

void suite_check(int good, const char *what, const char *file, int line);
void suite_expect(MultisplitResult wanted, MultisplitResult got, const char *what, const char *file,
                  int line);
/* Prints how many checks there were, and gives the exit status. */
int suite_end(int host_status);

/* What operations that are asked for the right things do. */
void results(const Host *host, MultisplitContext *context);

#define CHECK(condition) suite_check((condition) != 0, #condition, __FILE__, __LINE__)
#define RETURNS(result, call) suite_expect(result, (call), #call, __FILE__, __LINE__)
#define EXPECT(code, call) RETURNS(MULTISPLIT_ERROR_##code, call)
#define OK(call) RETURNS(MULTISPLIT_SUCCESS, call)

#endif
