// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
package import Kernel
internal import Synchronization

/// The folder to which pictures are written. Links below it are not followed, so nothing is written elsewhere. A file gets its
/// name only once it is complete.
///
/// **Isolation:** a `Mutex` guards the names that are taken.
package final class OutputFolder: Sendable {
    /// Why a picture was not written.
    package enum Failure: Error, CustomStringConvertible {
        case exists
        /// Another picture of the same run has this name.
        case taken
        case unwritable(SystemError)

        /// The code of the failure for programs; it is stable.
        package var code: String {
            switch self {
            case .exists: "output_exists"
            case .taken: "output_taken"
            case .unwritable: "output_unwritable"
            }
        }

        package var description: String {
            switch self {
            case .exists: "The file is there already; --force overwrites it."
            case .taken: "Another file of this run has the same name in the output folder."
            case .unwritable(let error): "The file cannot be written: \(error)."
            }
        }
    }

    private struct Names {
        var given: Set<String> = []
        var temporary = 0
    }

    private let root: OwnedDescriptor
    private let overwrites: Bool
    private let names = Mutex(Names())

    /// Makes the folder if it is missing.
    /// - Throws: if it cannot be made or opened.
    package init(_ path: String, overwrites: Bool) throws(SystemError) {
        // If this fails, opening the folder reports the reason.
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let raw = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else { throw .last("open \(path)") }
        root = OwnedDescriptor(adopting: raw)
        self.overwrites = overwrites
    }

    /// Writes the picture as `name` in the folders below the output folder.
    package func write(_ body: Body, to folders: [String], _ name: String) throws(Failure) {
        let path = (folders + [name]).joined(separator: "/")
        let number: Int? = names.withLock { names in
            names.temporary += 1
            return names.given.insert(path).inserted ? names.temporary : nil
        }
        guard let number else { throw .taken }
        var result: Result<Void, Failure> = .success(())
        do throws(SystemError) {
            let folder = try folder(folders)
            let temporary = ".pictor-\(getpid())-\(number)"
            defer { unlinkat(folder.raw, temporary, 0) }
            try Self.write(body, as: temporary, in: folder)
            if overwrites {
                try Self.mustNotBeDevice(name, in: folder)
                guard renameat(folder.raw, temporary, folder.raw, name) == 0 else { throw .last("rename") }
            } else if linkat(folder.raw, temporary, folder.raw, name, 0) != 0 {
                guard errno == EEXIST else { throw .last("link") }
                result = .failure(.exists)
            }
        } catch {
            result = .failure(.unwritable(error))
        }
        try result.get()
    }

    private func folder(_ names: [String]) throws(SystemError) -> OwnedDescriptor {
        var folder = root
        for name in names {
            guard mkdirat(folder.raw, name, 0o777) == 0 || errno == EEXIST else { throw .last("mkdir") }
            let raw = openat(folder.raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard raw >= 0 else { throw .last("open \(name)") }
            folder = OwnedDescriptor(adopting: raw)
        }
        return folder
    }

    /// A device, a pipe or a socket is no file of an earlier run, and root would take it from all programs: `-o /dev/null --force`.
    /// A link into /proc, as /dev/stdout is one, stands for what is open, which may be such a thing.
    /// - Throws: if the name leads to one.
    private static func mustNotBeDevice(_ name: String, in folder: OwnedDescriptor) throws(SystemError) {
        var status = stat()
        let isThere = fstatat(folder.raw, name, &status, 0) == 0
        let isSpecial = isThere && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
        let proc = "/proc/".utf8.map { CChar(bitPattern: $0) }
        // Cannot trap: the count is a constant.
        var start = [CChar](repeating: 0, count: proc.count)
        let length = readlinkat(folder.raw, name, &start, start.count)
        let isInProc = length == proc.count && start == proc
        if isSpecial || isInProc {
            throw SystemError("open: it is a device, a pipe or a socket", code: EINVAL)
        }
    }

    private static func write(
        _ body: Body, as name: String, in folder: OwnedDescriptor
    ) throws(SystemError) {
        let raw = openat(folder.raw, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard raw >= 0 else { throw .last("open") }
        let file = OwnedDescriptor(adopting: raw)
        switch body {
        case .bytes(let bytes): try file.write(bytes.buffer, at: 0)
        case .file(let source, let length): try source.copy(length, to: file)
        }
    }
}
