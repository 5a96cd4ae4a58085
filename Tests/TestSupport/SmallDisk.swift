// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A file system of a few megabytes, in a temporary folder. Needs the right to mount, which root has at a desk and not in
/// every container.
package final class SmallDisk: Sendable {
    package let folder: TemporaryFolder

    /// Nil where mounting is not allowed.
    ///
    /// - Parameter inodes: files and folders that it may hold; nil: as many as there is room for.
    package init?(bytes: Int, inodes: Int? = nil) {
        folder = TemporaryFolder()
        let options = "size=\(bytes),mode=0700" + (inodes.map { ",nr_inodes=\($0)" } ?? "")
        guard Self.run("/bin/mount", "-t", "tmpfs", "-o", options, "pictor-test", folder.path) else {
            return nil
        }
    }

    deinit { Self.run("/bin/umount", "--lazy", folder.path) }

    /// Bytes that are free.
    package var free: Int {
        var status = statvfs()
        guard statvfs(folder.path, &status) == 0 else { return 0 }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    /// Files and folders that it can still take.
    package var freeInodes: Int {
        var status = statvfs()
        return statvfs(folder.path, &status) == 0 ? Int(status.f_favail) : 0
    }

    /// Takes up everything but so many bytes, with a file that is nobody's.
    package func fill(leaving rest: Int = 0) {
        let file = open(ballast, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(file) }
        let block = [UInt8](repeating: 1, count: 4_096)
        while free > rest, write(file, block, block.count) > 0 {}
    }

    /// Gives that back.
    package func empty() { unlink(ballast) }

    package func setReadOnly(_ isReadOnly: Bool) -> Bool {
        Self.run("/bin/mount", "-o", isReadOnly ? "remount,ro" : "remount,rw", folder.path)
    }

    private var ballast: String { folder.path + "/ballast" }

    @discardableResult
    private static func run(_ command: String, _ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
