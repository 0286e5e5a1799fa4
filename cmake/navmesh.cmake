# Finds Detour, which searches navigation meshes: WARPATH_HAS_NAVMESH, ON or OFF. It comes without
# CMake files, and its headers are seen by host/files/navmesh/ alone.

set(WARPATH_NAVMESH AUTO CACHE STRING "Distances over navigation meshes, by Detour: AUTO (where it is found), ON or OFF")
set_property(CACHE WARPATH_NAVMESH PROPERTY STRINGS AUTO ON OFF)
set(WARPATH_HAS_NAVMESH OFF)

if(WARPATH_NAVMESH)
  find_path(DETOUR_INCLUDE_DIR recastnavigation/DetourNavMeshQuery.h)
  find_library(DETOUR_LIBRARY Detour)
  mark_as_advanced(DETOUR_INCLUDE_DIR DETOUR_LIBRARY)
  if(DETOUR_INCLUDE_DIR AND DETOUR_LIBRARY)
    set(WARPATH_HAS_NAVMESH ON)
    target_compile_definitions(warpath_flags INTERFACE WARPATH_HAS_NAVMESH)
  elseif(NOT WARPATH_NAVMESH STREQUAL AUTO)
    message(FATAL_ERROR "WARPATH_NAVMESH=${WARPATH_NAVMESH}, but no Detour: its package is librecast-dev or "
      "recastnavigation")
  endif()
endif()
