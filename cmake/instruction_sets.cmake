# Compiles the kernels of the CPU back end and the self-test's lanes once for each instruction set;
# the program chooses one at start. `portable` builds for every processor, avx512 and avx2 for
# x86-64 only. A build with few of them takes less time, but runs only where it can.
set(WARPATH_ISA all CACHE STRING "Instruction sets: all, or some of avx512, avx2 and portable")

set(flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma)
set(flags_avx2 -mavx2 -mfma)
set(flags_portable "")

set(instruction_sets portable)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND instruction_sets avx2 avx512)
endif()
if(NOT WARPATH_ISA STREQUAL all)
  set(offered ${instruction_sets})
  set(instruction_sets)
  foreach(set ${WARPATH_ISA})
    if(NOT DEFINED flags_${set})
      message(FATAL_ERROR "WARPATH_ISA=${WARPATH_ISA}: ${set} is none of all, portable, avx2, avx512")
    elseif(set IN_LIST offered)
      list(APPEND instruction_sets ${set})
    endif()
  endforeach()
  if(NOT instruction_sets)
    message(FATAL_ERROR "WARPATH_ISA=${WARPATH_ISA}: ${CMAKE_SYSTEM_PROCESSOR} has none of these")
  endif()
endif()

# -Wpsabi warns of vectors that functions pass to each other, but all of these are inlined. GCC's
# own AVX-512 headers warn of uninitialized values.
set(flags_all -fno-math-errno -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND flags_all -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
if(WARPATH_QUICK OR CMAKE_BUILD_TYPE STREQUAL Release)
  list(APPEND flags_all -O3)  # whatever the other sources have
endif()
if(WARPATH_SANITIZE)
  # With instrumentation the unrolled kernels take minutes to compile. The fibers run the same
  # templates under the sanitizers.
  list(APPEND flags_all -fno-sanitize=all -O2)
endif()

# Compiles STEM_SET.cpp.in for each instruction set among a target's sources. The target's code
# reads WARPATH_HAS_AVX512, WARPATH_HAS_AVX2 and WARPATH_HAS_PORTABLE.
function(add_instruction_sets target stem)
  foreach(set ${instruction_sets})
    set(unit)
    write_units(unit ${stem}_SET.cpp.in ${set})
    set_source_files_properties(${unit} PROPERTIES COMPILE_OPTIONS "${flags_${set}};${flags_all}"
      SKIP_PRECOMPILE_HEADERS ON)
    string(TOUPPER ${set} name)
    target_sources(${target} PRIVATE ${unit})
    target_compile_definitions(${target} PRIVATE WARPATH_HAS_${name})
  endforeach()
endfunction()
