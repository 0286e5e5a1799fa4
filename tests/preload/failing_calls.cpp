// A library to preload, by which calls of the system's library fail. WARPATH_FAIL_MALLOC=n lets the
// n-th allocation fail and all later ones, n,1 that one alone. WARPATH_FAIL_TMPFILE makes a file
// system without files that have no name, WARPATH_FAIL_RENAMEAT2 one without that call.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

#if defined(WARPATH_HAS_CUDA)
// Before main, CUDA's runtime registers kernels, and does not look whether it has memory.
std::atomic<bool> has_begun = false;
#else
std::atomic<bool> has_begun = true;
#endif
std::atomic<long> count = 0;
long first_failure = -1;
bool is_only_one = false;

__attribute__((constructor)) void begin() {
  const char* text = std::getenv("WARPATH_FAIL_MALLOC");
  if (text == nullptr) return;
  is_only_one = std::strchr(text, ',') != nullptr;
  first_failure = std::atol(text);
}

bool fails() {
  if (first_failure < 0 || !has_begun) return false;
  const long k = count++;
  const bool does = is_only_one ? k == first_failure : k >= first_failure;
  if (does) errno = ENOMEM;
  return does;
}

int (*program)(int, char**, char**);

int begin_program(int argc, char** argv, char** environment) {
  has_begun = true;
  return program(argc, argv, environment);
}

bool is_set(const char* variable) {
  return ::getenv(variable) != nullptr;
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                      void (*fini)(), void (*loader_fini)(), void* stack_end) {
  program = main;
  const auto real =
      reinterpret_cast<decltype(&__libc_start_main)>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return real(begin_program, argc, argv, init, fini, loader_fini, stack_end);
}

void* malloc(size_t size) {
  return fails() ? nullptr : __libc_malloc(size);
}
void* calloc(size_t size, size_t number) {
  return fails() ? nullptr : __libc_calloc(size, number);
}
void* realloc(void* old, size_t size) {
  return fails() ? nullptr : __libc_realloc(old, size);
}
void* memalign(size_t alignment, size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  if (fails()) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out != nullptr ? 0 : ENOMEM;
}

int open(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & O_TMPFILE) == O_TMPFILE && is_set("WARPATH_FAIL_TMPFILE")) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return ::openat(AT_FDCWD, path, flags, mode);
}

int renameat2(int from, const char* old_path, int to, const char* new_path, unsigned flags) {
  if (is_set("WARPATH_FAIL_RENAMEAT2")) {
    errno = EINVAL;
    return -1;
  }
  using Call = int (*)(int, const char*, int, const char*, unsigned);
  static const auto real = reinterpret_cast<Call>(::dlsym(RTLD_NEXT, "renameat2"));
  return real(from, old_path, to, new_path, flags);
}

}  // extern "C"
