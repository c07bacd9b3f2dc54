// An OpenCL client in Go: eight goroutines, each with a queue of its own, beside the collector.
package main

/*
#cgo LDFLAGS: -lOpenCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
static const char* const kSource =
    "__kernel void add(__global int* data, int more) { data[get_global_id(0)] += more; }";
static cl_program made(cl_context context) {
    const char* source = kSource;
    return clCreateProgramWithSource(context, 1, &source, NULL, NULL);
}
static cl_int set_buffer(cl_kernel kernel, cl_mem buffer) { return clSetKernelArg(kernel, 0, sizeof buffer, &buffer); }
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"
)

const count, rounds, workers = 4096, 50, 8

func demand(result C.cl_int) {
	if result != 0 {
		fmt.Println("OpenCL: error", result)
		os.Exit(1)
	}
}

func work(context C.cl_context, device C.cl_device_id, program C.cl_program, step int) bool {
	queue := C.clCreateCommandQueue(context, device, 0, nil)
	name := C.CString("add")
	defer C.free(unsafe.Pointer(name))
	kernel := C.clCreateKernel(program, name, nil)
	data := make([]int32, count)
	for i := range data {
		data[i] = int32(i)
	}
	buffer := C.clCreateBuffer(context, C.CL_MEM_READ_WRITE|C.CL_MEM_COPY_HOST_PTR, 4*count, unsafe.Pointer(&data[0]), nil)
	demand(C.set_buffer(kernel, buffer))
	more, size := C.int(step), C.size_t(count)
	demand(C.clSetKernelArg(kernel, 1, 4, unsafe.Pointer(&more)))
	for i := 0; i < rounds; i++ {
		demand(C.clEnqueueNDRangeKernel(queue, kernel, 1, nil, &size, nil, 0, nil, nil))
		_ = make([]byte, 1<<16)
	}
	runtime.GC()
	demand(C.clEnqueueReadBuffer(queue, buffer, 1, 0, 4*count, unsafe.Pointer(&data[0]), 0, nil, nil))
	demand(C.clReleaseCommandQueue(queue))
	for i, value := range data {
		if value != int32(i+step*rounds) {
			return false
		}
	}
	return true
}

func main() {
	var platform C.cl_platform_id
	var device C.cl_device_id
	demand(C.clGetPlatformIDs(1, &platform, nil))
	demand(C.clGetDeviceIDs(platform, 0xFFFFFFFF, 1, &device, nil))
	context := C.clCreateContext(nil, 1, &device, nil, nil, nil)
	program := C.made(context)
	demand(C.clBuildProgram(program, 1, &device, nil, nil, nil))
	var all sync.WaitGroup
	right := make([]bool, workers)
	for step := range right {
		all.Add(1)
		go func(step int) {
			defer all.Done()
			right[step] = work(context, device, program, step)
		}(step)
	}
	all.Wait()
	fmt.Println(right)
}
