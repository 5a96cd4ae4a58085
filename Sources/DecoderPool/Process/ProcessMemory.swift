// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// What the kernel says of a process's memory: 10 µs of processor time for a job that is measured.
///
/// Asked from outside, so that a decoder need not be believed and has no descriptor more. The files are opened before the
/// process is told to go on and stay open: it stops being dumpable then, and they are root's from then on (proc(5)).
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

    /// `/proc/<id>/status` and, for writing, `/proc/<id>/clear_refs`; nil where /proc does not let us.
    private let status: OwnedDescriptor?
    private let marks: OwnedDescriptor?

    init(of process: pid_t) {
        status = Self.open("/proc/\(process)/status", O_RDONLY)
        marks = Self.open("/proc/\(process)/clear_refs", O_WRONLY)
    }

    private static func open(_ path: String, _ mode: Int32) -> OwnedDescriptor? {
        let file = Glibc.open(path, mode | O_CLOEXEC)
        return file >= 0 ? OwnedDescriptor(adopting: file) : nil
    }

    /// Sets the peak to the bytes that are resident now. Returns false if the kernel refuses; then the peak is that of
    /// the process's whole life.
    func restartPeak() -> Bool {
        guard let marks else { return false }
        return pwrite(marks.raw, "5", 1, 0) == 1
    }

    /// Nil where /proc does not tell.
    var reading: Reading? {
        guard let status else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            let count = pread(status.raw, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            let text = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            guard let mapped = Self.bytes(of: "VmSize:", in: text),
                let resident = Self.bytes(of: "VmRSS:", in: text),
                let data = Self.bytes(of: "VmData:", in: text),
                let peak = Self.bytes(of: "VmHWM:", in: text)
            else { return nil }
            return Reading(resident: resident, mapped: mapped, data: data, peak: peak)
        }
    }

    /// Of a line such as `VmHWM:\t   45120 kB`.
    static func bytes(of name: StaticString, in text: UnsafeRawBufferPointer) -> Int? {
        let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        var lines = text[...]
        while !lines.isEmpty {
            let line = lines.prefix { $0 != UInt8(ascii: "\n") }
            lines = lines[line.endIndex...].dropFirst()
            guard line.starts(with: name) else { continue }
            let digits = line.dropFirst(name.count)
                .drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                .prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return Int(String(decoding: digits, as: UTF8.self)).map { $0 << 10 }
        }
        return nil
    }
}
