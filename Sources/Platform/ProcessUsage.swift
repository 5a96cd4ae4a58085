// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// This process's use of resources, as the kernel counts it (proc(5), getrusage(2)).
package struct ProcessUsage: Sendable {
    /// Seconds of processor time in user and system mode, without ended child processes.
    package var processorSeconds: Double
    /// Bytes of virtual address space.
    package var virtualBytes: Int
    /// Bytes of resident memory.
    package var residentBytes: Int
    /// Descriptors that are open.
    package var openDescriptors: Int
    /// The most descriptors that may be open (RLIMIT_NOFILE).
    package var descriptorLimit: Int
    /// When the process started: seconds since 1970, with a fraction.
    package var startTime: Double

    /// The present usage; nil if /proc cannot be read.
    package static var now: ProcessUsage? {
        guard let memory, let descriptors, let started else { return nil }
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return ProcessUsage(
            processorSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            virtualBytes: memory.virtual, residentBytes: memory.resident, openDescriptors: descriptors,
            descriptorLimit: Int(clamping: limit.rlim_cur), startTime: started)
    }

    /// Bytes of virtual address space and of resident memory; nil if /proc cannot be read.
    package static var memory: (virtual: Int, resident: Int)? {
        guard let words = read("/proc/self/statm")?.split(separator: " "), words.count > 1,
            let virtual = Int(words[0]), let resident = Int(words[1])
        else { return nil }
        return (virtual * Int(getpagesize()), resident * Int(getpagesize()))
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }

    /// The number of open descriptors, without the one that this function opens.
    private static var descriptors: Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Minus ".", "..", and the descriptor of the folder itself.
        return count - 3
    }

    /// Field 22 of stat, is the start in ticks since the boot. The name in field 2 may hold spaces and parentheses.
    private static let started: Double? = {
        guard let text = read("/proc/self/stat"), let end = text.lastIndex(of: ")"),
            let ticks = text[end...].split(separator: " ").dropFirst(20).first.flatMap({ Double($0) })
        else { return nil }
        // /proc/uptime has the same number, but a sandboxed service may see only the processes in /proc (systemd's
        // `ProcSubset=pid`).
        var boot = timespec()
        clock_gettime(CLOCK_BOOTTIME, &boot)
        let now = Double(pictor_wall_milliseconds()) / 1000
        let uptime = Double(boot.tv_sec) + Double(boot.tv_nsec) / 1_000_000_000
        let seconds = now - uptime + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        return (seconds * 100).rounded() / 100
    }()

    private static func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            let count = Glibc.read(file, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }
}
