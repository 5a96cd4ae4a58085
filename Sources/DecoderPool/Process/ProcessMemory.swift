// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// The kernel's figures for a process's memory. Reading them takes 10 µs of processor time for each measured
/// job.
///
/// **Isolation:** confined to the supervisor's thread; the kernel's figures are the only state.
struct ProcessMemory {
    /// All numbers are in bytes.
    struct Reading {
        var resident: Int
        /// Address space, resident or not.
        var mapped: Int
        /// Private writable address space: what RLIMIT_DATA limits (getrlimit(2)).
        var data: Int
        /// The most resident bytes since `restartPeak`.
        var peak: Int
    }

    private let status: ProcessStatus
    /// `/proc/<id>/clear_refs`, open for writing; nil if /proc forbids it.
    private let marks: OwnedDescriptor?

    init(of process: pid_t, _ status: ProcessStatus) {
        self.status = status
        marks = OwnedDescriptor(opening: "/proc/\(process)/clear_refs", O_WRONLY)
    }

    /// Resets the peak to the bytes that are resident now. False if the kernel refuses; the peak is then that of the
    /// process's whole life.
    func restartPeak() -> Bool {
        guard let marks else { return false }
        return pwrite(marks.raw, "5", 1, 0) == 1
    }

    /// Nil if /proc cannot be read.
    var reading: Reading? {
        status.read { text in
            guard let mapped = Self.bytes(of: "VmSize:", in: text),
                let resident = Self.bytes(of: "VmRSS:", in: text),
                let data = Self.bytes(of: "VmData:", in: text),
                let peak = Self.bytes(of: "VmHWM:", in: text)
            else { return nil }
            return Reading(resident: resident, mapped: mapped, data: data, peak: peak)
        }
    }

    static func bytes(of name: StaticString, in text: UnsafeRawBufferPointer) -> Int? {
        guard let value = ProcessStatus.value(of: name, in: text) else { return nil }
        let digits = value.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self)).map { $0 << 10 }
    }
}
