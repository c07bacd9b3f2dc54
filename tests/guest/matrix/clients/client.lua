-- An OpenCL client in LuaJIT: the loader's functions by its ffi.
local ffi = require("ffi")
ffi.cdef [[
int clGetPlatformIDs(unsigned, void**, unsigned*);
int clGetDeviceIDs(void*, unsigned long, unsigned, void**, unsigned*);
void* clCreateContext(const void*, unsigned, void**, void*, void*, int*);
void* clCreateCommandQueue(void*, void*, unsigned long, int*);
void* clCreateProgramWithSource(void*, unsigned, const char**, const size_t*, int*);
int clBuildProgram(void*, unsigned, void**, const char*, void*, void*);
void* clCreateKernel(void*, const char*, int*);
void* clCreateBuffer(void*, unsigned long, size_t, void*, int*);
int clSetKernelArg(void*, unsigned, size_t, const void*);
int clEnqueueNDRangeKernel(void*, void*, unsigned, const size_t*, const size_t*, const size_t*, unsigned, void*, void*);
int clEnqueueReadBuffer(void*, void*, unsigned, size_t, size_t, void*, unsigned, void*, void*);
]]
local cl = ffi.load("libOpenCL.so.1")
local COUNT, ROUNDS = 4096, 200

local function demand(result)
  if result ~= 0 then error("OpenCL: error " .. result) end
end

local platform, device = ffi.new("void*[1]"), ffi.new("void*[1]")
demand(cl.clGetPlatformIDs(1, platform, nil))
demand(cl.clGetDeviceIDs(platform[0], 0xFFFFFFFF, 1, device, nil))
local context = cl.clCreateContext(nil, 1, device, nil, nil, nil)
local queue = cl.clCreateCommandQueue(context, device[0], 0, nil)
local source = "__kernel void add(__global int* data, int more) { data[get_global_id(0)] += more; }"
local program = cl.clCreateProgramWithSource(context, 1, ffi.new("const char*[1]", {source}), nil, nil)
demand(cl.clBuildProgram(program, 1, device, "", nil, nil))
local kernel = cl.clCreateKernel(program, "add", nil)
local data = ffi.new("int[?]", COUNT)
for i = 0, COUNT - 1 do data[i] = i end
local buffer = ffi.new("void*[1]", {cl.clCreateBuffer(context, 1 + 32, COUNT * 4, data, nil)})
demand(cl.clSetKernelArg(kernel, 0, 8, buffer))
for round = 1, ROUNDS do
  demand(cl.clSetKernelArg(kernel, 1, 4, ffi.new("int[1]", {round})))
  demand(cl.clEnqueueNDRangeKernel(queue, kernel, 1, nil, ffi.new("size_t[1]", {COUNT}), nil, 0, nil, nil))
end
demand(cl.clEnqueueReadBuffer(queue, buffer[0], 1, 0, COUNT * 4, data, 0, nil, nil))
local right = true
for i = 0, COUNT - 1 do right = right and data[i] == i + ROUNDS * (ROUNDS + 1) / 2 end
print(right and "right" or "wrong")
