// A library without any OpenCL function, for the name libOpenCL.so.1.
extern "C" int not_an_opencl_function() { return 0; }
