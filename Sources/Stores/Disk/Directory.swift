// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reading a directory.
enum Directory {
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
