# Whether the CUDA toolkit is at hand. Everything builds without it; LANESCOPE_CUDA=ON insists on it.
# Sets LANESCOPE_CUDA_FOUND for the folders that have device code.
set(LANESCOPE_CUDA_FOUND OFF)
if(NOT LANESCOPE_CUDA STREQUAL "OFF")
    find_package(CUDAToolkit 12.0 QUIET)
    if(CUDAToolkit_FOUND)
        set(LANESCOPE_CUDA_FOUND ON)
        message(STATUS "CUDA toolkit ${CUDAToolkit_VERSION} found")
    elseif(LANESCOPE_CUDA STREQUAL "ON")
        message(FATAL_ERROR "LANESCOPE_CUDA=ON, but no CUDA toolkit of version 12.0 or newer was found; "
                            "set CUDAToolkit_ROOT, or LANESCOPE_CUDA=AUTO to build for the CPU only")
    else()
        message(STATUS "No CUDA toolkit: the CPU only")
    endif()
endif()
