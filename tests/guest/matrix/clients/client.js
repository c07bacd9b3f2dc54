// An OpenCL client in Node: the loader's functions by koffi, in the main thread and in a worker.
const { Worker, isMainThread, parentPort } = require("worker_threads");
const koffi = require("koffi");

const COUNT = 4096, ROUNDS = 100;
const library = koffi.load("libOpenCL.so.1");
const functions = new Map();
const call = (name, result, types, ...values) => {
  if (!functions.has(name)) functions.set(name, library.func(name, result, types));
  return functions.get(name)(...values);
};
const demand = (result) => {
  if (result !== 0) throw new Error(`OpenCL: error ${result}`);
};
const out = koffi.out(koffi.pointer("void *"));
const handles = koffi.pointer("void *");

function work(step) {
  const platform = [null], device = [null];
  demand(call("clGetPlatformIDs", "int", ["uint", out, "void *"], 1, platform, null));
  demand(call("clGetDeviceIDs", "int", ["void *", "uint64", "uint", out, "void *"], platform[0], 0xffffffff, 1, device,
    null));
  const context = call("clCreateContext", "void *", ["void *", "uint", handles, "void *", "void *", "void *"], null, 1,
    device, null, null, null);
  const queue = call("clCreateCommandQueue", "void *", ["void *", "void *", "uint64", "void *"], context, device[0], 0,
    null);
  const source = "__kernel void add(__global int* data, int more) { data[get_global_id(0)] += more; }";
  const program = call("clCreateProgramWithSource", "void *",
    ["void *", "uint", koffi.pointer("str"), "void *", "void *"], context, 1, [source], null, null);
  demand(call("clBuildProgram", "int", ["void *", "uint", handles, "str", "void *", "void *"], program, 1, device, "",
    null, null));
  const kernel = call("clCreateKernel", "void *", ["void *", "str", "void *"], program, "add", null);
  const data = Int32Array.from({ length: COUNT }, (_, i) => i);
  const buffer = call("clCreateBuffer", "void *", ["void *", "uint64", "size_t", "void *", "void *"], context, 1 | 32,
    4 * COUNT, data, null);
  demand(call("clSetKernelArg", "int", ["void *", "uint", "size_t", handles], kernel, 0, 8, [buffer]));
  const set = library.func("clSetKernelArg", "int", ["void *", "uint", "size_t", koffi.pointer("int")]);
  demand(set(kernel, 1, 4, [step]));
  for (let i = 0; i < ROUNDS; ++i)
    demand(call("clEnqueueNDRangeKernel", "int", ["void *", "void *", "uint", "void *", koffi.pointer("size_t"),
      "void *", "uint", "void *", "void *"], queue, kernel, 1, null, [COUNT], null, 0, null, null));
  demand(call("clEnqueueReadBuffer", "int", ["void *", "void *", "uint", "size_t", "size_t", "void *", "uint",
    "void *", "void *"], queue, buffer, 1, 0, 4 * COUNT, data, 0, null, null));
  return data.every((value, i) => value === i + step * ROUNDS) ? "right" : "wrong";
}

if (isMainThread) {
  console.log(work(1));
  new Worker(__filename).on("message", (said) => console.log(said));
} else {
  parentPort.postMessage(work(2));
}
