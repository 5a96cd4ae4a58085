// SPDX-License-Identifier: Apache-2.0
//
// The sandbox of a process that reads hostile bytes. It is entered in two parts, because a decoder has a task in
// between that needs no privilege, but that the second part forbids:
//
//     (the engine starts: libraries, modules, but no thread; then the process forks, or becomes the worker itself)
//     enter    while there is one thread: limits, namespaces, no privileges, nothing writable, no network
//     (the engine maps memory for compiled loops)
//     shut     nothing readable, no system call but those for making a picture
//
// If a library has started a thread nevertheless, measures that bind only the calling thread count as missing.
//
// Within a part the order matters too; a comment says where.

internal import CLinux
internal import Glibc

/// Confines the calling process for good; there is no way back.
package enum Jail {
    /// The first part. Must run once, while the process has one thread, because niceness, namespaces, the
    /// parent-death signal and Landlock rules belong to a thread, and its later children inherit them.
    package static func enter(_ policy: JailPolicy) -> JailReport {
        JailReport(manners(policy) + limits(policy) + confinement(policy), mode: policy.mode)
    }

    /// The second part, before the first hostile byte.
    package static func shut(_ policy: JailPolicy) -> JailReport {
        JailReport(
            [
                SandboxMeasure("no-environment", .required) {
                    pictor_clear_environment()
                    return true
                },
                SandboxMeasure("nothing-readable", .required) {
                    FileRules.allowReading(only: policy.readable)
                },
                // The last measure, because it forbids calls that the others need.
                SandboxMeasure("system-calls", .required) {
                    SystemCallFilter.load(policy)
                },
            ], mode: policy.mode)
    }

    /// True if the process has one thread: /proc/self/task then has three entries: the thread, the folder and
    /// its parent.
    package static var hasOneThread: Bool {
        guard let tasks = opendir("/proc/self/task") else { return false }
        defer { closedir(tasks) }
        var count = 0
        while readdir(tasks) != nil { count += 1 }
        return count == 3
    }

    /// Advice for the operator if the measure of this name fails.
    package static func remedy(_ measure: String) -> String {
        switch measure {
        case "nothing-writable", "nothing-readable":
            "Landlock needs Linux 5.13 or later, booted with landlock in its list of security modules (lsm=), and a "
                + "container runtime or service manager that lets its system calls pass"
        case "system-calls":
            "seccomp needs a kernel with CONFIG_SECCOMP_FILTER, and a container runtime or service manager that lets "
                + "its system call pass"
        case "no-new-privileges", "no-capabilities", "not-dumpable":
            "prctl and capset must not be forbidden by the container runtime or the service manager"
        default: "the log and `pictor check` tell what else holds"
        }
    }

    private static func manners(_ policy: JailPolicy) -> [SandboxMeasure] {
        [
            SandboxMeasure("descriptors", .manners) {
                pictor_close_from(UInt32(policy.lastDescriptor) + 1) == 0
            },
            SandboxMeasure("nice", .manners) { pictor_add_niceness(policy.niceness) == 0 },
            // Before the process stops being dumpable and leaves its user namespace, because its files in /proc
            // belong to root from then on (proc(5)).
            SandboxMeasure("oom-score", .manners) {
                write("\(policy.oomScore)", to: "/proc/self/oom_score_adj")
            },
        ]
    }

    private static func limits(_ policy: JailPolicy) -> [SandboxMeasure] {
        [
            SandboxMeasure("no-core", .manners) { pictor_limit(Int32(PICTOR_LIMIT_CORE), 0) == 0 },
            SandboxMeasure("open-files", .manners) {
                pictor_limit(Int32(PICTOR_LIMIT_OPEN_FILES), UInt64(policy.openFiles)) == 0
            },
            SandboxMeasure("file-size", .manners) { limitFileSize(policy.fileSize) },
            SandboxMeasure("address-space", .manners) { limitAddressSpace(policy) },
        ]
    }

    private static func confinement(_ policy: JailPolicy) -> [SandboxMeasure] {
        // If the number of threads cannot be determined, there may be others.
        let isAlone = hasOneThread
        return [
            SandboxMeasure("namespaces", .optional) {
                pictor_leave_namespaces() == 0
                    && pictor_limit(Int32(PICTOR_LIMIT_PROCESSES), UInt64(policy.threads)) == 0
            },
            // After the namespaces, because a change of credentials clears the setting (prctl(2)). The worker
            // ends with the daemon, because nobody else wants its result.
            SandboxMeasure("parent-death", .manners) { pictor_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL)) == 0 },
            SandboxMeasure("no-new-privileges", .required) {
                pictor_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0 && isAlone
            },
            SandboxMeasure("no-capabilities", .required) { pictor_drop_capabilities() == 0 && isAlone },
            // No core dump, no ptrace, and no access to its memory by other processes of the same user.
            SandboxMeasure("not-dumpable", .required) { pictor_prctl(PR_SET_DUMPABLE, 0) == 0 },
            SandboxMeasure("nothing-writable", .required) { FileRules.allowNoWriting() && isAlone },
        ]
    }

    /// With SIGXFSZ ignored, a write beyond the limit fails with EFBIG (setrlimit(2)), which an encoder can report.
    private static func limitFileSize(_ bytes: Int) -> Bool {
        signal(SIGXFSZ, SIG_IGN)
        return pictor_limit(Int32(PICTOR_LIMIT_FILE_SIZE), UInt64(bytes)) == 0
    }

    private static func limitAddressSpace(_ policy: JailPolicy) -> Bool {
        let mapped = policy.work == .inspecting ? mappedNow : 0
        guard policy.addressSpace > 0, let mapped else { return false }
        return pictor_limit(Int32(PICTOR_LIMIT_ADDRESS_SPACE), UInt64(mapped + policy.addressSpace)) == 0
    }

    /// Bytes of address space in use (proc(5), statm: in pages, the first number); nil if /proc is
    /// unreadable.
    private static var mappedNow: Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(file, &text, text.count)
        let digits = text.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: " ") }
        return Int(String(decoding: digits, as: UTF8.self)).map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return Glibc.write(file, text, text.utf8.count) == text.utf8.count
    }
}
