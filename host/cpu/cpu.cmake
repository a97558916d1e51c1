# The fast CPU path.  Its loops are compiled once for each instruction set;
# everything else, for any machine.
target_sources(tessera_host PRIVATE
    host/cpu/cpu.c
    host/cpu/edits.c
    host/cpu/filters.c
    host/cpu/guess.c
    host/cpu/row_answer.c
    host/cpu/row_view.c
    host/cpu/scratch.c
    host/cpu/select.c
    host/cpu/top_k.c
    host/cpu/variants.c)

function(add_loops table name)
    set(target tessera_cpu_loops_${table})
    add_library(${target} OBJECT host/cpu/loops.c)
    target_include_directories(${target} PRIVATE include)
    target_link_libraries(${target} PRIVATE tessera_warnings)
    # Loops are what the compiler must be good at, whatever is being built.
    target_compile_options(${target} PRIVATE -Wconversion -O3 ${ARGN})
    target_compile_definitions(${target} PRIVATE
        TESSERA_CPU_TABLE=tessera_cpu_loops_${table}
        TESSERA_CPU_NAME="${name}")
    # Whoever links the host's objects needs these.
    target_sources(tessera_host INTERFACE $<TARGET_OBJECTS:${target}>)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(v3 -mavx2 -mfma -mbmi -mbmi2)
    add_loops(v4 x86-64-v4 ${v3} -mavx512f -mavx512bw -mavx512cd -mavx512dq
        -mavx512vl -mprefer-vector-width=512)
    add_loops(v3 x86-64-v3 ${v3})
    add_loops(plain x86-64)
else()
    add_loops(plain ${CMAKE_SYSTEM_PROCESSOR})
endif()

if(NOT TESSERA_OPENMP STREQUAL OFF)
    find_package(OpenMP COMPONENTS C)
    if(OpenMP_C_FOUND)
        target_link_libraries(tessera_host PUBLIC OpenMP::OpenMP_C)
    elseif(TESSERA_OPENMP STREQUAL AUTO)
        message(STATUS "no OpenMP: the CPU backend works on one thread")
    else()
        message(FATAL_ERROR "TESSERA_OPENMP is ON, and there is no OpenMP")
    endif()
endif()
