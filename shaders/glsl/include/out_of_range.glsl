// Finds the buckets of keys and counts the keys whose id is out of range.
//
// Needs: what bucket.glsl needs.
// Gives: counted_bucket(), report_out_of_range(), and the buffer `out_of_range` at binding 3.

#ifndef OUT_OF_RANGE_GLSL
#define OUT_OF_RANGE_GLSL

#include "multisplit.glsl"
#include "bucket.glsl"
#include "constant_ids.glsl"

// Whether ids out of range are counted: only if the caller requests the count, and only in the first pass, because all
// passes compute the same ids.
layout(constant_id = COUNT_OUT_OF_RANGE_ID) const uint COUNT_OUT_OF_RANGE = 1;

layout(set = 0, binding = 3, std430) buffer OutOfRange { uint count; } out_of_range;

uint out_of_range_here = 0;

// Returns the bucket of a key, and counts the key if its id is out of range.
uint counted_bucket(const KEY key) {
    uint bucket = raw_bucket(key);
    if (COUNT_OUT_OF_RANGE != 0 && bucket >= push.ids) ++out_of_range_here;
    return part_of_id(min(bucket, push.ids - 1));
}

// Adds this thread's count to the total. Called once by every thread that counted.
void report_out_of_range() {
    if (COUNT_OUT_OF_RANGE != 0 && out_of_range_here > 0) atomicAdd(out_of_range.count, out_of_range_here);
}

#endif
