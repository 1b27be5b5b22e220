// Provides the source (binding 0) and the destination (binding 1) of scans, reductions, selections, copies and key
// conversions, each as single words and as groups of four. NO_SRC or NO_DST omits one of them.

#ifndef SRC_DST_GLSL
#define SRC_DST_GLSL

#ifndef NO_SRC
layout(set = 0, binding = 0, std430) readonly buffer Src { uint at[]; } src;
layout(set = 0, binding = 0, std430) readonly buffer SrcVec4 { uvec4 at[]; } src_vec4;

uvec4 load_vec4(uint v) { return src_vec4.at[v]; }
uint load_one(uint i) { return src.at[i]; }
#endif

#ifndef NO_DST
layout(set = 0, binding = 1, std430) writeonly buffer Dst { uint at[]; } dst;
layout(set = 0, binding = 1, std430) writeonly buffer DstVec4 { uvec4 at[]; } dst_vec4;

void store_vec4(uint v, uvec4 x) { dst_vec4.at[v] = x; }
void store_one(uint i, uint x) { dst.at[i] = x; }
#endif

#endif
