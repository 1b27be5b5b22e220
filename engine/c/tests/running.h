/* Helpers that run an operation once. */
#ifndef RUNNING_H
#define RUNNING_H

#include "suite.h"

#include <stddef.h>

/* A buffer of an operation. If `data` is NULL, the buffer is uninitialised. */
typedef struct Filled {
    MultisplitRole role;
    const void *data;
    size_t bytes;
    HostBuffer buffer;
} Filled;

/* Warms up an operation and runs it once; `record` contains everything except the bindings and the workspace. */
void run(const Host *host, MultisplitOperation *operation, Filled *filled, uint32_t count,
         MultisplitRecordInfo record);
/* Frees the buffers, and destroys the operation. */
void release(const Host *host, MultisplitOperation *operation, Filled *filled, uint32_t count);
/* A pseudo-random number that depends only on `i`. */
uint32_t noise(uint32_t i);

#endif
