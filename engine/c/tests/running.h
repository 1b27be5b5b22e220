/* How the tests in C run an operation once. */
#ifndef RUNNING_H
#define RUNNING_H

#include "suite.h"

#include <stddef.h>

/* A buffer of an operation, and what is in it at first; NULL for nothing. */
typedef struct Filled {
    MultisplitRole role;
    const void *data;
    size_t bytes;
    HostBuffer buffer;
} Filled;

/* Warms an operation up and runs it once; `record` says what is not buffers. */
void run(const Host *host, MultisplitOperation *operation, Filled *filled, uint32_t count,
         MultisplitRecordInfo record);
/* Frees the buffers, and destroys the operation. */
void release(const Host *host, MultisplitOperation *operation, Filled *filled, uint32_t count);
/* A number that looks like any other. */
uint32_t noise(uint32_t i);

#endif
