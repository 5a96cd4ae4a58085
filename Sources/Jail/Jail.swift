// SPDX-License-Identifier: Apache-2.0
//
// What a process can take from itself without any library's help, in an order that matters twice: the limits that
// raise a signal come after the signal is ignored, and /proc/self is written before the process stops being dumpable,
// because from then on its files belong to root (proc(5)).
//
// RLIMIT_NPROC is not in the list: the kernel counts threads against it, over all processes of the user, and the
// engine and its codecs start threads for every picture.

internal import CLinux
internal import Glibc

/// The walls around a process that reads hostile bytes.
package enum Jail {
    /// Puts up every wall it can, once, while the process has one thread: niceness and the parent-death signal are
    /// a thread's own and are inherited by those that it starts.
    package static func apply(_ policy: JailPolicy) -> JailReport {
        var report = JailReport()
        for (name, isUp) in walls(policy) {
            if isUp() { report.holds.append(name) } else { report.missing.append(name) }
        }
        return report
    }

    private static func walls(_ policy: JailPolicy) -> [(name: String, put: () -> Bool)] {
        [
            // The daemon is gone: nobody wants the picture any more.
            ("parent-death", { pictor_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL)) == 0 }),
            ("descriptors", { pictor_close_from(policy.firstClosedDescriptor) == 0 }),
            (
                "umask",
                {
                    umask(0o077)
                    return true
                }
            ),
            ("nice", { pictor_add_niceness(Int32(policy.niceness)) == 0 }),
            ("oom-score", { write("\(policy.oomScore)", to: "/proc/self/oom_score_adj") }),
            ("no-core", { pictor_limit(Int32(PICTOR_LIMIT_CORE), 0) == 0 }),
            (
                "open-files",
                { pictor_limit(Int32(PICTOR_LIMIT_OPEN_FILES), UInt64(policy.openFiles)) == 0 }
            ),
            ("file-size", { limitFileSize(policy.fileSize) }),
            ("address-space", { limitAddressSpace(policy.addressSpace) }),
            ("no-new-privileges", { pictor_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0 }),
            // No core, no ptrace, no reading of its memory by others of the same user.
            ("not-dumpable", { pictor_prctl(PR_SET_DUMPABLE, 0) == 0 }),
        ]
    }

    /// With SIGXFSZ ignored, a write beyond the limit fails with EFBIG (setrlimit(2)), which an encoder can report.
    private static func limitFileSize(_ bytes: Int) -> Bool {
        signal(SIGXFSZ, SIG_IGN)
        return pictor_limit(Int32(PICTOR_LIMIT_FILE_SIZE), UInt64(bytes)) == 0
    }

    private static func limitAddressSpace(_ bytes: Int) -> Bool {
        bytes > 0 && pictor_limit(Int32(PICTOR_LIMIT_ADDRESS_SPACE), UInt64(bytes)) == 0
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return Glibc.write(file, text, text.utf8.count) == text.utf8.count
    }
}
