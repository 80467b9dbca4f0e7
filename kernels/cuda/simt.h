#pragma once
// The device language: all that a kernel (*.cuh) may use of the machine, and the only header it
// includes for that. Each primitive is a wrapper with two bodies side by side: nvcc takes the
// instruction, g++ takes the emulator (kernels/simt). Names and meanings: language/*.h.

#include "kernels/cuda/language/async_copy.h"
#include "kernels/cuda/language/atomics.h"
#include "kernels/cuda/language/block.h"
#include "kernels/cuda/language/floats.h"
#include "kernels/cuda/language/keywords.h"
#include "kernels/cuda/language/maths.h"
#include "kernels/cuda/language/memory.h"
#include "kernels/cuda/language/tensor.h"
#include "kernels/cuda/language/warp.h"
