// A library that has nothing to do with CANN, with a function of the same name as one of the runtime library's.
extern "C" int rtSetDevice(int device) { return device + 2; }
