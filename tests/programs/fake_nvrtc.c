/* Stands where a CUDA toolkit is installed: programs that find it look for a driver next. Knows its version alone. */
#define FAILS(name) \
    int name(void) { return 1; }

int nvrtcVersion(int* major, int* minor) {
    *major = 12;
    *minor = 0;
    return 0;
}
const char* nvrtcGetErrorString(int result) { return result == 0 ? "NVRTC_SUCCESS" : "NVRTC_ERROR_OUT_OF_MEMORY"; }
FAILS(nvrtcAddNameExpression)
FAILS(nvrtcCompileProgram)
FAILS(nvrtcCreateProgram)
FAILS(nvrtcDestroyProgram)
FAILS(nvrtcGetLoweredName)
FAILS(nvrtcGetPTX)
FAILS(nvrtcGetPTXSize)
FAILS(nvrtcGetProgramLog)
FAILS(nvrtcGetProgramLogSize)
