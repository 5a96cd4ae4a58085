// SPDX-License-Identifier: Apache-2.0
//
// Tells the thread sanitizer what Swift's Mutex orders; scripts/sanitize loads it before the tests.
//
// A lock that is free is taken, and one that nobody waits for is let go, by an atomic operation that the compiler puts
// into our own code, where the sanitizer sees it. The others are taken and let go in the kernel (FUTEX_LOCK_PI), from two
// functions of libswiftSynchronization, which is not instrumented; so whatever two threads do under one lock, one after
// the other, is reported as a race as soon as one has waited. No report is suppressed here: the two functions do what they
// always did, and the order that they make is told besides.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

// In a process without the sanitizer these are null.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

SWIFT void lock(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void unlock(SELF void *handle) __asm__(UNLOCK);
SWIFT _Bool try_lock(SELF void *handle) __asm__(TRY_LOCK);

SWIFT void lock(uint32_t thread, SELF void *handle) {
    SWIFT void (*next)(uint32_t, SELF void *) = (SWIFT void (*)(uint32_t, SELF void *))dlsym(RTLD_NEXT, LOCK);
    next(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock(SELF void *handle) {
    SWIFT void (*next)(SELF void *) = (SWIFT void (*)(SELF void *))dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(handle);
    next(handle);
}

SWIFT _Bool try_lock(SELF void *handle) {
    SWIFT _Bool (*next)(SELF void *) = (SWIFT _Bool (*)(SELF void *))dlsym(RTLD_NEXT, TRY_LOCK);
    _Bool taken = next(handle);
    if (taken && __tsan_acquire) __tsan_acquire(handle);
    return taken;
}
