<?php
// An OpenCL client in PHP: the loader's functions by FFI.
const COUNT = 4096, ROUNDS = 200;
$cl = FFI::cdef('
int clGetPlatformIDs(unsigned, void**, unsigned*);
int clGetDeviceIDs(void*, unsigned long, unsigned, void**, unsigned*);
void* clCreateContext(const void*, unsigned, void**, void*, void*, int*);
void* clCreateCommandQueue(void*, void*, unsigned long, int*);
void* clCreateProgramWithSource(void*, unsigned, char**, const size_t*, int*);
int clBuildProgram(void*, unsigned, void**, const char*, void*, void*);
void* clCreateKernel(void*, const char*, int*);
void* clCreateBuffer(void*, unsigned long, size_t, void*, int*);
int clSetKernelArg(void*, unsigned, size_t, const void*);
int clEnqueueNDRangeKernel(void*, void*, unsigned, const size_t*, const size_t*, const size_t*, unsigned, void*, void*);
int clEnqueueReadBuffer(void*, void*, unsigned, size_t, size_t, void*, unsigned, void*, void*);
', 'libOpenCL.so.1');

function demand($result) {
    if ($result !== 0) exit("OpenCL: error $result\n");
}

$platform = $cl->new('void*[1]');
$device = $cl->new('void*[1]');
demand($cl->clGetPlatformIDs(1, $platform, null));
demand($cl->clGetDeviceIDs($platform[0], 0xFFFFFFFF, 1, $device, null));
$context = $cl->clCreateContext(null, 1, $device, null, null, null);
$queue = $cl->clCreateCommandQueue($context, $device[0], 0, null);
$source = "__kernel void add(__global int* data, int more) { data[get_global_id(0)] += more; }\0";
$text = $cl->new('char[' . strlen($source) . ']');
FFI::memcpy($text, $source, strlen($source));
$texts = $cl->new('char*[1]');
$texts[0] = $cl->cast('char*', FFI::addr($text));
$program = $cl->clCreateProgramWithSource($context, 1, $texts, null, null);
demand($cl->clBuildProgram($program, 1, $device, '', null, null));
$kernel = $cl->clCreateKernel($program, 'add', null);
$data = $cl->new('int[' . COUNT . ']');
for ($i = 0; $i < COUNT; ++$i) $data[$i] = $i;
$buffer = $cl->new('void*[1]');
$buffer[0] = $cl->clCreateBuffer($context, 1 | 32, COUNT * 4, $data, null);
demand($cl->clSetKernelArg($kernel, 0, 8, $buffer));
$more = $cl->new('int[1]');
$size = $cl->new('size_t[1]');
$size[0] = COUNT;
for ($more[0] = 1; $more[0] <= ROUNDS; $more[0] = $more[0] + 1) {
    demand($cl->clSetKernelArg($kernel, 1, 4, $more));
    demand($cl->clEnqueueNDRangeKernel($queue, $kernel, 1, null, $size, null, 0, null, null));
}
demand($cl->clEnqueueReadBuffer($queue, $buffer[0], 1, 0, COUNT * 4, $data, 0, null, null));
$right = true;
for ($i = 0; $i < COUNT; ++$i) $right = $right && $data[$i] === $i + ROUNDS * (ROUNDS + 1) / 2;
echo $right ? "right\n" : "wrong\n";
