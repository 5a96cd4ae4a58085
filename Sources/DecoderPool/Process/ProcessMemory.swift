// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// The kernel's account of a process's memory: 10 µs of processor time for a job that is measured.
///
/// **Isolation:** confined to the supervisor's thread; the kernel's counts are the only state.
struct ProcessMemory {
    /// Bytes.
    struct Reading {
        var resident: Int
        /// Address space, resident or not.
        var mapped: Int
        /// Address space of its own that can be written to: what RLIMIT_DATA limits (getrlimit(2)).
        var data: Int
        /// The most that was resident since `restartPeak`.
        var peak: Int
    }

    private let status: ProcessStatus
    /// `/proc/<id>/clear_refs`, for writing; nil where /proc does not let us.
    private let marks: OwnedDescriptor?

    init(of process: pid_t, _ status: ProcessStatus) {
        self.status = status
        marks = OwnedDescriptor(opening: "/proc/\(process)/clear_refs", O_WRONLY)
    }

    /// Sets the peak to the bytes that are resident now. Returns false if the kernel refuses; then the peak is that of
    /// the process's whole life.
    func restartPeak() -> Bool {
        guard let marks else { return false }
        return pwrite(marks.raw, "5", 1, 0) == 1
    }

    /// Nil where /proc does not tell.
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
