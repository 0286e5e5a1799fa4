#pragma once

/// Marks what a shared library shows to the programs that link it; everything else stays inside.
#define WARPATH_EXPORT __attribute__((visibility("default")))
