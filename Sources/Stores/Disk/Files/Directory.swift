// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// Opens and lists directories.
enum Directory {
    /// Nil if it cannot be read, or is a symbolic link.
    static func open(_ parent: Int32, _ name: String) -> OwnedDescriptor? {
        let raw = openRaw(parent, name)
        return raw >= 0 ? OwnedDescriptor(adopting: raw) : nil
    }

    /// Negative if it cannot be read, or is a symbolic link.
    private static func openRaw(_ parent: Int32, _ name: String) -> Int32 {
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    /// The names in a folder, without `.` and `..`; empty if it cannot be read. Empty for a symbolic link as well, because callers
    /// delete what they find.
    static func names(in parent: Int32, _ name: String) -> [String] {
        let descriptor = openRaw(parent, name)
        guard descriptor >= 0 else { return [] }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
