# Settings every target shares: language level, warnings, sanitizers, ccache, and the helper that makes
# one static library a folder.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# Line tables and function names are enough for stack traces; full debug information costs a third of
# the build. Configure with -DLANESCOPE_FULL_DEBUG=ON to step through code.
if(NOT LANESCOPE_FULL_DEBUG)
    string(REGEX REPLACE "-g( |$)" "-g1 " CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(PkgConfig REQUIRED)

add_library(lanescope_options INTERFACE)
target_include_directories(lanescope_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(lanescope_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                       -Woverloaded-virtual)
if(LANESCOPE_WERROR)
    target_compile_options(lanescope_options INTERFACE -Werror)
endif()
if(LANESCOPE_SANITIZE)
    target_compile_options(lanescope_options INTERFACE -fsanitize=${LANESCOPE_SANITIZE}
                           -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
    target_link_options(lanescope_options INTERFACE -fsanitize=${LANESCOPE_SANITIZE})
endif()
target_compile_definitions(lanescope_options INTERFACE LANESCOPE_VERSION="${PROJECT_VERSION}")

# lanescope_library(NAME SOURCES ... DEPENDS ...): a static library with the shared options.
function(lanescope_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC lanescope_options ${ARG_DEPENDS})
endfunction()
