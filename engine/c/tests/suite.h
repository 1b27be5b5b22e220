/* Check macros of the C tests. A failed check does not stop the program; the failures are counted. */
#ifndef SUITE_H
#define SUITE_H

#include "host.h"

void suite_check(int good, const char *what, const char *file, int line);
void suite_expect(MultisplitResult wanted, MultisplitResult got, const char *what, const char *file,
                  int line);
/* Prints the number of checks and failures, and returns the exit status. */
int suite_end(int host_status);

/* Tests incorrect calls. */
void misuse(const Host *host, MultisplitContext *context);
/* Tests incorrect searches, merges and segments. */
void misuse_family(MultisplitContext *context);
/* Tests recordings with overlapping buffers and with counts that are too large. */
void ranges(const Host *host, MultisplitContext *context);
/* Tests the results of correct calls. */
void results(const Host *host, MultisplitContext *context);
/* Tests the results of searches, merges and segmented operations. */
void results_family(const Host *host, MultisplitContext *context);
void results_segments(const Host *host, MultisplitContext *context);
/* Tests edges that change with each recording. */
void changing_edges(const Host *host, MultisplitContext *context);
/* Tests concurrent use by several threads. */
void threads(const Host *host, MultisplitContext *context);

/* Return valid structures, which tests then modify. */
MultisplitRequirementsInfo requirements_info(const Host *host);
MultisplitScanInfo scan_info(void);
MultisplitReduceInfo reduce_info(void);
MultisplitReduceByKeyInfo reduce_by_key_info(void);
MultisplitScanByKeyInfo scan_by_key_info(void);
MultisplitScanSegmentsInfo scan_segments_info(void);
MultisplitReduceSegmentsInfo reduce_segments_info(void);
MultisplitSelectInfo select_info(void);
MultisplitSearchInfo search_info(void);
MultisplitMergeInfo merge_info(void);
MultisplitSortInfo sort_info(void);
MultisplitTopKInfo topk_info(void);
MultisplitSplitInfo split_info(void);
MultisplitHistogramInfo histogram_info(void);
MultisplitSsspInfo sssp_info(void);

/* Checks that the last error message contains a text. */
#define SAYS(text) CHECK(strstr(multisplit_last_error(), text) != NULL)
#define CHECK(condition) suite_check((condition) != 0, #condition, __FILE__, __LINE__)
#define RETURNS(result, call) suite_expect(result, (call), #call, __FILE__, __LINE__)
#define EXPECT(code, call) RETURNS(MULTISPLIT_ERROR_##code, call)
#define OK(call) RETURNS(MULTISPLIT_SUCCESS, call)

#endif
