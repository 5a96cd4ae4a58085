// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// A folder of the settings, and how a path leads to a file below it.
///
/// The kernel walks the path (openat2(2)): it stays beneath the folder, follows no symbolic link and none of /proc's,
/// and no rename meanwhile leads it out. The file that it finds is held without being opened, so that no device notices, and
/// is opened only if it is a regular one.
struct OpenFolder {
    /// Why there is no file to read.
    enum Obstacle: Error {
        /// Nothing has this name.
        case missing
        /// Something has it that is not given away; the words are for operators.
        case refused(String)
        /// The file system or this process failed.
        case failed(SystemError)
        /// The fetch has failed.
        case gone(FailedDownload)
    }

    /// A file that was found, not yet opened.
    struct Found {
        fileprivate let held: OwnedDescriptor
        let state: FileState

        /// - Throws: `refused` without the permission to read it.
        func open() throws(Obstacle) -> OwnedDescriptor {
            let raw = pictor_open_held(held.raw)
            guard raw >= 0 else { throw Obstacle(.last("open")) }
            return try OpenFolder.forRequest(raw)
        }
    }

    private let descriptor: OwnedDescriptor

    /// Opens the folder anew each time, so that one that is mounted later, or a link that leads elsewhere now, is seen at once.
    /// - Throws: if there is no folder that can be entered.
    init(_ path: String) throws(SystemError) {
        let raw = open(path, O_DIRECTORY | O_CLOEXEC | Self.pathOnly)
        guard raw >= 0 else { throw .last("open") }
        descriptor = try OwnedDescriptor(adopting: raw).forRequest()
        guard faccessat(raw, ".", X_OK, 0) == 0 else { throw .last("access") }
    }

    /// O_PATH, which Glibc's module leaves out: enough to walk from, without the permission to list.
    private static let pathOnly: Int32 = 0o10_000_000

    /// - Parameter path: relative, without a NUL.
    func find(_ path: [UInt8]) throws(Obstacle) -> Found {
        let raw = (path + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                // Cannot trap: it holds the NUL at least.
                text.baseAddress.map { pictor_hold_beneath(descriptor.raw, $0) } ?? -1
            }
        }
        guard raw >= 0 else { throw Obstacle(.last("openat2")) }
        let held = try Self.forRequest(raw)
        var status = stat()
        guard fstat(raw, &status) == 0 else { throw Obstacle(.last("fstat")) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .refused(status.st_mode & S_IFMT == S_IFLNK ? "a symbolic link" : "no regular file")
        }
        return Found(held: held, state: FileState(status))
    }

    private static func forRequest(_ raw: Int32) throws(Obstacle) -> OwnedDescriptor {
        do throws(SystemError) { return try OwnedDescriptor(adopting: raw).forRequest() } catch {
            throw Obstacle(error)
        }
    }
}

extension OpenFolder.Obstacle {
    fileprivate init(_ error: SystemError) {
        switch error.code {
        case ENOENT, ENOTDIR, ENAMETOOLONG: self = .missing
        case ELOOP: self = .refused("a symbolic link")
        case EXDEV: self = .refused("a way out of the folder")
        case EACCES, EPERM: self = .refused("no permission")
        default: self = .failed(error)
        }
    }
}
