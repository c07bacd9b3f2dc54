#version 450
// v = v * multiply + add, `rounds` times, for each number of the buffer. The order of two such commands shows.
// affine.inc is this, compiled: glslangValidator -V affine.comp --vn kAffine -o affine.inc
layout(local_size_x = 64) in;
layout(binding = 0) buffer Numbers { uint numbers[]; };
layout(push_constant) uniform Step { uint multiply; uint add; uint rounds; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint v = numbers[i];
    for (uint round = 0; round < rounds; ++round) v = v * multiply + add;
    numbers[i] = v;
}
