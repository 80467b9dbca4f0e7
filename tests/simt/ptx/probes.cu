// Compiled to PTX by the build; read by ptx_test.
#include "tests/simt/ptx/probes.cuh"
