// OpenCL C as different programs write it, for the tests that put guards into it.
#pragma once

#include <string>
#include <vector>

namespace xsched::test {

struct Sample {
    const char* name;
    const char* source;
    std::vector<std::string> kernels;  // what a driver finds in it
    std::vector<std::string> guarded;  // of these
    const char* options = "";
};

inline const std::vector<Sample>& samples() {
    static const std::vector<Sample> all = {
        {"Plain", "__kernel void add(__global float* x, float y) { x[get_global_id(0)] += y; }", {"add"}, {"add"}},
        {"NoParameters",
         "kernel void a() {}\n__kernel void b(void) { return; }\nkernel void c(/* none */) {}",
         {"a", "b", "c"},
         {"a", "b", "c"}},
        {"Comments",
         "// __kernel void add(int) {\n/* add(x) */ __kernel /* of */ void // one )\n"
         "add /* ( */ (__global int* x // )\n"
         "/* , */) /* { */\n// {\n{ x[0] = 1; /* add */ }\n",
         {"add"},
         {"add"}},
        {"Prototype",
         "__kernel void add(__global int* x);\n__kernel void add(__global int* x) { x[0] = 1; }\n",
         {"add"},
         {"add"}},
        {"Attributes",
         "__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void one(__global int* x) { x[0] = 1; }\n"
         "__kernel __attribute__((vec_type_hint(float4))) void two(__global int* x) { x[0] = 1; }\n"
         "__kernel void __attribute__((work_group_size_hint(4, 2, 1))) three(__global int* x) { x[0] = 1; }\n",
         {"one", "two", "three"},
         {"one", "two", "three"}},
        {"ConditionsInTheList",
         "__kernel void add(\n#ifdef WIDE\n    __global int4* x,\n#else\n    __global int* x,\n#endif\n    int y)\n"
         "{ x[0] += y; }\n",
         {"add"},
         {"add"},
         "-DWIDE"},
        {"TwoDefinitions",
         "#if defined(WIDE)\n__kernel void add(__global int4* x) { x[0] += 1; }\n#else\n"
         "__kernel void add(__global int* x, int y) { x[0] += y; }\n#endif\n",
         {"add"},
         {"add"}},
        {"SplitByAConditionLeftAlone",
         "#if defined(WIDE)\n__kernel void add(__global int4* x)\n#else\n__kernel void add(__global int* x)\n#endif\n"
         "{ x[0] += 1; }\n__kernel void set(__global int* x) { x[0] = 2; }\n",
         {"add", "set"},
         {"set"}},
        {"CalledLeftAlone",
         "__kernel void inner(__global int* x) { x[0] += 1; }\n"
         "__kernel void outer(__global int* x) { if (x[0] == 0) inner(x); }\n",
         {"inner", "outer"},
         {"outer"}},
        {"MadeByAMacroLeftAlone",
         "#define MAKE(n) __kernel void n##_all(__global int* x) { x[0] = 1; }\nMAKE(add)\nMAKE(sub)\n"
         "__kernel void plain(__global int* x) { x[0] = 2; }\n",
         {"add_all", "sub_all", "plain"},
         {"plain"}},
        {"NamedInAMacroLeftAlone",
         "#define ENTRY add\n__kernel void ENTRY(__global int* x) { x[0] = 1; }\n",
         {"add"},
         {}},
        {"Strings",
         "__kernel void say(__global int* x) { if (x[0] == 77) printf(\"say(1) { \\\" add( \\n\"); char c = '\\''; "
         "char d = '\"'; x[0] = c + d; }\n",
         {"say"},
         {"say"}},
        {"JoinedLines",
         "#define TWICE(x) ((x) + \\\n    (x))\n__kernel void \\\nadd(__global int* x) \\\n{ x[0] = TWICE(3); }\n",
         {"add"},
         {"add"}},
        {"WindowsLines", "__kernel void add(\r\n  __global int* x)\r\n{\r\n  x[0] = 1;\r\n}\r\n", {"add"}, {"add"}},
        {"AnApostropheInADirective",
         "#ifdef NEVER\n#error don't\n#endif\n__kernel void add(__global int* x) { x[0] = 1; }\n",
         {"add"},
         {"add"}},
        {"StructsAndHelpers",
         "typedef struct { float4 a; int b; } Body;\nfloat sum(float4 v) { return v.x + v.y + v.z + v.w; }\n"
         "__kernel void move(__global Body* bodies, const Body wind, __constant float* k, __local float* room) {\n"
         "    room[get_local_id(0)] = sum(wind.a);\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
         "    bodies[get_global_id(0)].a *= k[0] + room[0];\n}\n",
         {"move"},
         {"move"}},
        {"Images",
         "__kernel void blur(__read_only image2d_t in, __write_only image2d_t out) {\n"
         "    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
         "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
         "    write_imagef(out, at, read_imagef(in, s, at));\n}\n",
         {"blur"},
         {"blur"}},
        // Written like the kernels of a benchmark: arithmetic by macros, several vector widths, and a separate source
        // text for each kernel.
        {"Benchmark",
         "#undef MAD_4\n#define MAD_4(x, y) x = mad(y, x, y); y = mad(x, y, x); x = mad(y, x, y); y = mad(x, y, x);\n"
         "#define MAD_16(x, y) MAD_4(x, y); MAD_4(x, y); MAD_4(x, y); MAD_4(x, y);\n\n"
         "__kernel void compute_v1(__global float *ptr, float _A)\n{\n    float x = _A;\n"
         "    float y = (float)get_local_id(0);\n    for (int i = 0; i < 8; i++) { MAD_16(x, y); }\n"
         "    ptr[get_global_id(0)] = y;\n}\n\n"
         "__kernel void compute_v4(__global float *ptr, float _A)\n{\n    float4 x = (float4)(_A);\n"
         "    float4 y = (float4)get_local_id(0);\n    MAD_16(x, y);\n"
         "    ptr[get_global_id(0)] = y.s0 + y.s1 + y.s2 + y.s3;\n}\n",
         {"compute_v1", "compute_v4"},
         {"compute_v1", "compute_v4"}},
        // Written like a password cracker's kernels: the keyword __kernel, the qualifiers and the parameters stand
        // behind macros.
        {"KeywordsBehindMacros",
         "#define KERNEL_MARK __kernel\n#define KERNEL_ATTRIBUTES __attribute__((reqd_work_group_size(8, 1, 1)))\n"
         "#define SHARED __local\n#define ARGUMENTS(t) __global t* words, __global const t* salts, const uint count\n\n"
         "KERNEL_MARK KERNEL_ATTRIBUTES void m00000_m04 (ARGUMENTS (uint))\n{\n  const uint lid = get_local_id (0);\n"
         "  SHARED uint table[8];\n  table[lid] = salts[lid];\n  barrier (CLK_LOCAL_MEM_FENCE);\n"
         "  if (get_global_id (0) >= count) return;\n  words[get_global_id (0)] = table[7 - lid];\n}\n\n"
         "KERNEL_MARK void m00000_m08 (ARGUMENTS (uint))\n{\n}\n",
         {"m00000_m04", "m00000_m08"},
         {"m00000_m04", "m00000_m08"}},
        // As a numerical library generates them.
        {"Generated",
         "//CL//\n#define PREAMBLE_CONTINUE continue\n\n\n\n__kernel void axpbyz(float a, __global float *x__base, "
         "long x__offset, __global float *z__base, long z__offset, long n)\n{\n  int lid = get_local_id(0);\n"
         "  int gsize = get_global_size(0);\n  int work_group_start = get_local_size(0)*get_group_id(0);\n  long i;\n"
         "  __global float *x = (__global float *) ((__global char *) x__base + x__offset);\n"
         "  __global float *z = (__global float *) ((__global char *) z__base + z__offset);;\n  //CL//\n"
         "  for (i = work_group_start + lid; i < n; i += gsize)\n  {\n    z[i] = a*x[i];\n  }\n  ;\n}\n",
         {"axpbyz"},
         {"axpbyz"}},
        {"GeneratedReduction",
         "#define GROUP_SIZE 8\n#define REDUCE(a, b) (a+b)\ntypedef float out_type;\n__kernel __attribute__((\n"
         "    reqd_work_group_size(GROUP_SIZE, 1, 1)\n  ))\nvoid sum_stage1(\n  __global out_type *out__base, "
         "long out__offset,\n  __global float *x, long start, long n\n)\n{\n"
         "    __global out_type *out = (__global out_type *) ((__global char *) out__base + out__offset);\n"
         "    __local out_type ldata[GROUP_SIZE];\n    unsigned int lid = get_local_id(0);\n"
         "    ldata[lid] = x[get_global_id(0)];\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
         "    for (int s = GROUP_SIZE / 2; s > 0; s /= 2) {\n      if (lid < s) ldata[lid] = REDUCE(ldata[lid], "
         "ldata[lid + s]);\n      barrier(CLK_LOCAL_MEM_FENCE);\n    }\n"
         "    if (lid == 0) out[get_group_id(0)] = ldata[0];\n}\n",
         {"sum_stage1"},
         {"sum_stage1"}},
    };
    return all;
}

}  // namespace xsched::test
