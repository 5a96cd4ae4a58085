// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// Reading a directory.
enum Directory {
    /// Nil if it cannot be read, or is a symbolic link.
    static func open(_ parent: Int32, _ name: String) -> OwnedDescriptor? {
        let raw = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        return raw >= 0 ? OwnedDescriptor(adopting: raw) : nil
    }

    /// The names in a folder, without `.` and `..`; empty if it cannot be read, or is a symbolic link: who asks removes what he finds.
    static func names(in parent: Int32, _ name: String) -> [String] {
        let descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
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
