#pragma once

/// The version of the library; CMake reads it from here. docs/stability.md says what a version may
/// change.
#define WARPATH_VERSION_MAJOR 1
#define WARPATH_VERSION_MINOR 0
#define WARPATH_VERSION_PATCH 0

#define WARPATH_VERSION_STRING_OF(number) #number
#define WARPATH_VERSION_JOIN(major, minor, patch) \
  WARPATH_VERSION_STRING_OF(major)                \
  "." WARPATH_VERSION_STRING_OF(minor) "." WARPATH_VERSION_STRING_OF(patch)

/// The version as a string literal: "1.2.3".
#define WARPATH_VERSION \
  WARPATH_VERSION_JOIN(WARPATH_VERSION_MAJOR, WARPATH_VERSION_MINOR, WARPATH_VERSION_PATCH)
