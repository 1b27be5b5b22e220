/* How the tests in C count: every check goes on, and the end says how many failed. */
#ifndef SUITE_H
#define SUITE_H

#include "host.h"

void suite_check(int good, const char *what, const char *file, int line);
void suite_expect(MultisplitResult wanted, MultisplitResult got, const char *what, const char *file,
                  int line);
/* Prints how many checks there were, and gives the exit status. */
int suite_end(int host_status);

/* What callers that are wrong get. */
void misuse(const Host *host, MultisplitContext *context);
/* The same of searches, merges and segments. */
void misuse_family(MultisplitContext *context);
/* What recordings get that are given what does not fit. */
void ranges(const Host *host, MultisplitContext *context);
/* What callers that are right get. */
void results(const Host *host, MultisplitContext *context);
/* The same of searches, merges and segments. */
void results_family(const Host *host, MultisplitContext *context);
/* What several threads get. */
void threads(const Host *host, MultisplitContext *context);

/* Structures with nothing wrong in them, to put something wrong into. */
MultisplitRequirementsInfo requirements_info(const Host *host);
MultisplitScanInfo scan_info(void);
MultisplitReduceInfo reduce_info(void);
MultisplitReduceByKeyInfo reduce_by_key_info(void);
MultisplitScanByKeyInfo scan_by_key_info(void);
MultisplitReduceSegmentsInfo reduce_segments_info(void);
MultisplitSelectInfo select_info(void);
MultisplitSearchInfo search_info(void);
MultisplitMergeInfo merge_info(void);
MultisplitSortInfo sort_info(void);
MultisplitTopKInfo topk_info(void);
MultisplitSplitInfo split_info(void);
MultisplitHistogramInfo histogram_info(void);
MultisplitSsspInfo sssp_info(void);

/* What the last message contains. */
#define SAYS(text) CHECK(strstr(multisplit_last_error(), text) != NULL)
#define CHECK(condition) suite_check((condition) != 0, #condition, __FILE__, __LINE__)
#define RETURNS(result, call) suite_expect(result, (call), #call, __FILE__, __LINE__)
#define EXPECT(code, call) RETURNS(MULTISPLIT_ERROR_##code, call)
#define OK(call) RETURNS(MULTISPLIT_SUCCESS, call)

#endif
