//! An OpenCL client in Rust: two threads with a queue each, and a third that panics past its queue.
use std::ffi::c_void;
use std::ptr::{null, null_mut};

type Handle = *mut c_void;

#[link(name = "OpenCL")]
extern "C" {
    fn clGetPlatformIDs(count: u32, platforms: *mut Handle, found: *mut u32) -> i32;
    fn clGetDeviceIDs(platform: Handle, kind: u64, count: u32, devices: *mut Handle, found: *mut u32) -> i32;
    fn clCreateContext(properties: Handle, count: u32, devices: *const Handle, notify: Handle, data: Handle,
                       result: *mut i32) -> Handle;
    fn clCreateCommandQueue(context: Handle, device: Handle, properties: u64, result: *mut i32) -> Handle;
    fn clCreateProgramWithSource(context: Handle, count: u32, texts: *const *const u8, lengths: *const usize,
                                 result: *mut i32) -> Handle;
    fn clBuildProgram(program: Handle, count: u32, devices: *const Handle, options: *const u8, notify: Handle,
                      data: Handle) -> i32;
    fn clCreateKernel(program: Handle, name: *const u8, result: *mut i32) -> Handle;
    fn clCreateBuffer(context: Handle, flags: u64, size: usize, data: Handle, result: *mut i32) -> Handle;
    fn clSetKernelArg(kernel: Handle, index: u32, size: usize, value: *const c_void) -> i32;
    fn clEnqueueNDRangeKernel(queue: Handle, kernel: Handle, dimensions: u32, offset: *const usize,
                              global: *const usize, local: *const usize, waits: u32, events: *const Handle,
                              event: *mut Handle) -> i32;
    fn clEnqueueReadBuffer(queue: Handle, buffer: Handle, blocking: u32, offset: usize, size: usize, data: *mut i32,
                           waits: u32, events: *const Handle, event: *mut Handle) -> i32;
    fn clReleaseCommandQueue(queue: Handle) -> i32;
}

const COUNT: usize = 4096;
const ROUNDS: i32 = 100;

#[derive(Clone, Copy)]
struct Device { context: Handle, device: Handle, program: Handle }
unsafe impl Send for Device {}

struct Queue(Handle);
impl Drop for Queue {
    fn drop(&mut self) { unsafe { clReleaseCommandQueue(self.0); } }
}

fn demand(result: i32) { assert_eq!(result, 0, "OpenCL"); }

fn work(on: Device, step: i32) -> bool {
    unsafe {
        let queue = Queue(clCreateCommandQueue(on.context, on.device, 0, null_mut()));
        let kernel = clCreateKernel(on.program, b"add\0".as_ptr(), null_mut());
        let mut data: Vec<i32> = (0..COUNT as i32).collect();
        let buffer = clCreateBuffer(on.context, 1 | 32, 4 * COUNT, data.as_mut_ptr().cast(), null_mut());
        demand(clSetKernelArg(kernel, 0, 8, (&buffer as *const Handle).cast()));
        demand(clSetKernelArg(kernel, 1, 4, (&step as *const i32).cast()));
        for _ in 0..ROUNDS {
            demand(clEnqueueNDRangeKernel(queue.0, kernel, 1, null(), &COUNT, null(), 0, null(), null_mut()));
        }
        if step == 0 { std::panic::resume_unwind(Box::new(())); }
        demand(clEnqueueReadBuffer(queue.0, buffer, 1, 0, 4 * COUNT, data.as_mut_ptr(), 0, null(), null_mut()));
        data.iter().enumerate().all(|(i, value)| *value == i as i32 + step * ROUNDS)
    }
}

fn main() {
    let (mut platform, mut device) = (null_mut(), null_mut());
    let source = b"__kernel void add(__global int* data, int more) { data[get_global_id(0)] += more; }\0".as_ptr();
    unsafe {
        demand(clGetPlatformIDs(1, &mut platform, null_mut()));
        demand(clGetDeviceIDs(platform, 0xFFFF_FFFF, 1, &mut device, null_mut()));
        let context = clCreateContext(null_mut(), 1, &device, null_mut(), null_mut(), null_mut());
        let program = clCreateProgramWithSource(context, 1, &source, null(), null_mut());
        demand(clBuildProgram(program, 1, &device, b"\0".as_ptr(), null_mut(), null_mut()));
        let on = Device { context, device, program };
        let workers: Vec<_> = (0..3).map(|step| std::thread::spawn(move || { let on = on; work(on, step) })).collect();
        for worker in workers { println!("{:?}", worker.join().ok()); }
    }
}
