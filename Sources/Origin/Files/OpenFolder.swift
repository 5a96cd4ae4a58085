// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// A folder that the settings name. Finds files below it.
///
/// The kernel walks the path (openat2(2)): it stays beneath the folder, follows no symbolic link and none of /proc's links, and
/// no rename can lead it outside. The file is first held without being opened (O_PATH), so that a device is not touched, and is
/// opened only if it is a regular file.
struct OpenFolder {
    /// Why no file can be read.
    enum Obstacle: Error {
        /// There is no file of this name.
        case missing
        /// There is something of this name that must not be read; the words are for operators.
        case refused(String)
        /// The file system or this process failed.
        case failed(SystemError)
        /// The fetch has failed.
        case gone(FailedDownload)
    }

    /// A file that was found but is not open yet.
    struct Found {
        fileprivate let held: OwnedDescriptor
        let state: FileState

        /// - Throws: `refused` if there is no permission to read the file.
        func open() throws(Obstacle) -> OwnedDescriptor {
            let raw = pictor_open_held(held.raw)
            guard raw >= 0 else { throw Obstacle(.last("open")) }
            return try OpenFolder.forRequest(raw)
        }
    }

    private let descriptor: OwnedDescriptor

    /// Opens the folder for each request, so that a folder that is mounted later, or a link that changes, takes effect at once.
    /// - Throws: if the folder does not exist or cannot be entered.
    init(_ path: String) throws(SystemError) {
        let raw = open(path, O_DIRECTORY | O_CLOEXEC | Self.pathOnly)
        guard raw >= 0 else { throw .last("open") }
        descriptor = try OwnedDescriptor(adopting: raw).forRequest()
        guard faccessat(raw, ".", X_OK, 0) == 0 else { throw .last("access") }
    }

    /// O_PATH, which Glibc's module leaves out. Paths can be walked from such a descriptor without permission to list the folder.
    private static let pathOnly: Int32 = 0o10_000_000

    /// - Parameter path: a relative path without a NUL byte.
    func find(_ path: [UInt8]) throws(Obstacle) -> Found {
        let raw = (path + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                // Cannot trap: the array has at least the NUL byte.
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
