// Counting the keys whose bucket function gave an id past the last bucket.

layout(set = 0, binding = 3, std430) buffer Outside { uint count; } outside;

uint outside_here = 0;

uint counted_bucket(KEY key) {
    uint bucket = raw_bucket(key);
    if (bucket >= push.ids) ++outside_here;
    return part_of_id(min(bucket, push.ids - 1));
}

// Called once by every thread that counted.
void report_outside() {
    if (outside_here > 0) atomicAdd(outside.count, outside_here);
}
