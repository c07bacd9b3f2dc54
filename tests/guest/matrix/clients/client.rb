# An OpenCL client in Ruby: the loader's functions by Fiddle, from two threads.
require "fiddle"

LIBRARY = Fiddle.dlopen("libOpenCL.so.1")
POINTER, INT, SIZE, LONG = Fiddle::TYPE_VOIDP, Fiddle::TYPE_INT, Fiddle::TYPE_SIZE_T, Fiddle::TYPE_LONG_LONG
COUNT, ROUNDS = 4096, 100

def function(name, arguments, result = INT)
  Fiddle::Function.new(LIBRARY[name], arguments, result)
end

def demand(result)
  abort "OpenCL: error #{result}" unless result.zero?
end

def place(value = 0)
  pointer = Fiddle::Pointer.malloc(8, Fiddle::RUBY_FREE)
  pointer[0, 8] = [value].pack("q")
  pointer
end

def in_place(pointer)
  pointer[0, 8].unpack1("q")
end

platform, device = place, place
demand function("clGetPlatformIDs", [INT, POINTER, POINTER]).call(1, platform, nil)
demand function("clGetDeviceIDs", [POINTER, LONG, INT, POINTER, POINTER])
  .call(in_place(platform), 0xFFFFFFFF, 1, device, nil)
context = function("clCreateContext", [POINTER, INT, POINTER, POINTER, POINTER, POINTER], POINTER)
  .call(nil, 1, device, nil, nil, nil)
source = "__kernel void add(__global int* data, int more) { data[get_global_id(0)] += more; }"
text = place(Fiddle::Pointer[source].to_i)
program = function("clCreateProgramWithSource", [POINTER, INT, POINTER, POINTER, POINTER], POINTER)
  .call(context, 1, text, nil, nil)
demand function("clBuildProgram", [POINTER, INT, POINTER, POINTER, POINTER, POINTER])
  .call(program, 1, device, "", nil, nil)

work = lambda do |step|
  queue = function("clCreateCommandQueue", [POINTER, POINTER, LONG, POINTER], POINTER)
    .call(context, in_place(device), 0, nil)
  kernel = function("clCreateKernel", [POINTER, POINTER, POINTER], POINTER).call(program, "add", nil)
  data = Fiddle::Pointer.malloc(COUNT * 4, Fiddle::RUBY_FREE)
  data[0, COUNT * 4] = (0...COUNT).to_a.pack("l*")
  buffer = function("clCreateBuffer", [POINTER, LONG, SIZE, POINTER, POINTER], POINTER)
    .call(context, 1 | 32, COUNT * 4, data, nil)
  set = function("clSetKernelArg", [POINTER, INT, SIZE, POINTER])
  launch = function("clEnqueueNDRangeKernel", [POINTER, POINTER, INT, POINTER, POINTER, POINTER, INT, POINTER, POINTER])
  demand set.call(kernel, 0, 8, place(buffer.to_i))
  demand set.call(kernel, 1, 4, place(step))
  ROUNDS.times { demand launch.call(queue, kernel, 1, nil, place(COUNT), nil, 0, nil, nil) }
  demand function("clEnqueueReadBuffer", [POINTER, POINTER, INT, SIZE, SIZE, POINTER, INT, POINTER, POINTER])
    .call(queue, buffer, 1, 0, COUNT * 4, data, 0, nil, nil)
  data[0, COUNT * 4].unpack("l*") == (0...COUNT).map { |i| i + step * ROUNDS } ? "right" : "wrong"
end
puts [1, 2].map { |step| Thread.new { work.call(step) } }.map(&:value)
