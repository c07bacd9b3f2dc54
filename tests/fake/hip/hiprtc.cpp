// libhiprtc's stand-in: the functions that ROCm 7's libamdhip64 no longer has, in a library of their own. It compiles
// nothing.
extern "C" {

int hiprtcVersion(int* major, int* minor) {
    *major = 7;
    *minor = 2;
    return 0;
}

const char* hiprtcGetErrorString(int) { return "of libhiprtc's stand-in"; }
}
