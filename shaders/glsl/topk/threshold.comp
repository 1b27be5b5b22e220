#version 460
// Second pass of top-k with candidates: estimates a threshold that slightly more elements than wanted are likely to
// reach. One workgroup handles one row: it selects the threshold from the maxima of the samples. A wrong estimate costs
// only time, because later passes count the elements at or above the threshold, and fall back to the exact method.
// docs/kernels.md, "Top-k", shows how the passes work together.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "key_width.glsl"
#include "constant_ids.glsl"

layout(local_size_x = 256, local_size_x_id = LOCAL_SIZE_X_ID) in;

#include "topk.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Maxima { KEY at[]; } maxima;
layout(set = 0, binding = 1, std430) writeonly buffer Thresholds { KEY at[]; } thresholds;

shared uint bins[256];
shared PickedBin picked;
shared uint bits_of_all[KEY_BITS / 32];
shared uint bits_of_any[KEY_BITS / 32];

#include "topk_select.glsl"

KEY item_image(const List list, uint i) { return maxima.at[list.first + i]; }

// Returns the rank of the threshold among the maxima: the expected number of samples among the wanted elements, plus
// six standard deviations, plus 16: twice the number of adjacent 32-bit keys that are sampled together (CLUSTER in
// sample.comp).
uint wanted_maxima(uint n) {
    float expected = float(wanted_count()) * (float(push.samples) / float(n));
    return uint(expected + 6.0 * sqrt(expected) + 16.0);
}

void main() {
    uint row = group_index();
    if (row >= push.rows) return;
    uint n = row_length();
    uint wanted = n > push.capacity ? wanted_maxima(n) : push.maxima;
    KEY threshold = KEY(0);
    if (wanted < push.maxima) {
        KEY numbers[HELD];
        threshold = select_threshold(List(row * push.maxima, push.maxima, 0), wanted, numbers).threshold;
    }
    if (gl_LocalInvocationIndex == 0) thresholds.at[row] = threshold;
}
