// Keeps wheels usable where glibc is older than 2.35, which has a second version of hypot: without
// this file, a build beside a later glibc would need it.
#include <cmath>  // defines __GLIBC__

#if defined(__linux__) && defined(__x86_64__) && defined(__GLIBC__)

extern "C" {

double hypot_of_any_glibc(double x, double y);
__asm__(".symver hypot_of_any_glibc, hypot@GLIBC_2.2.5");

// The linker puts this in the place of hypot: see python/CMakeLists.txt.
double __wrap_hypot(double x, double y);
double __wrap_hypot(double x, double y) {
  return hypot_of_any_glibc(x, y);
}

}  // extern "C"

#else

extern "C" {
double __real_hypot(double x, double y);
double __wrap_hypot(double x, double y);
double __wrap_hypot(double x, double y) {
  return __real_hypot(x, y);
}
}  // extern "C"

#endif
