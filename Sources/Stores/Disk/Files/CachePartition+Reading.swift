// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import CLinux
internal import Glibc
internal import Hashing
internal import Kernel

extension CachePartition {
    /// The result of opening a file that is in the table.
    enum Opening {
        case open(OwnedDescriptor)
        /// The file does not exist.
        case absent
        case damaged
        /// The disk fails, or this user must not read the folder. That may pass, but until then nobody can read the file.
        case unreadable(SystemError)
        /// This process has no descriptors or memory left, or the file was evicted just now; neither is the file's fault.
        case failed
    }

    /// Opens a file for reading without checking it. Later read errors are reported to `FileLosses`.
    /// - Parameter known: the state with which the file will be compared; nil for its present state.
    func open(_ name: Digest, as known: FileState? = nil) throws(SystemError) -> OwnedDescriptor {
        let file = FilePath(name).withCString { path in
            openat(directory.raw, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        }
        guard file >= 0 else { throw .last("open") }
        return try adopt(file, name, as: known)
    }

    private func adopt(_ file: Int32, _ name: Digest, as known: FileState?) throws(SystemError)
        -> OwnedDescriptor
    {
        guard let state = FileState(file) else {
            let error = SystemError.last("fstat")
            close(file)
            throw error
        }
        let owner = folder.adopt(file, in: known ?? state) { [losses, kind] file, error in
            losses.report(FileLosses.Loss(kind: kind, name: name, stamp: file.stamp, error: error))
        }
        return try owner.forRequest()
    }

    /// Opens a file of the table and checks it: the length and the footer each time; the checksum the first time, after any
    /// change of the file, and if `anew` is true.
    func openChecked(_ entry: FileEntry, anew: Bool = false) -> Opening {
        let file: OwnedDescriptor
        do throws(SystemError) { file = try open(entry.key) } catch {
            switch error.code {
            // A file that was evicted just now does not count as missing.
            case ENOENT: return table[entry.key] == nil ? .failed : .absent
            case ELOOP: return .damaged
            default: return error.isShortage ? .failed : .unreadable(error)
            }
        }
        guard let footer = FileIO.footer(file.raw, length: entry.length), footer.kind == kind,
            footer.length == entry.length
        else { return .damaged }
        // The stamp is taken before the bytes are read, so that a change meanwhile is noticed.
        let stamp = file.stamp
        if anew || entry.verified != stamp {
            // Reading the whole cache for maintenance must not displace clients' files from the page cache.
            if anew { posix_fadvise(file.raw, 0, 0, POSIX_FADV_NOREUSE) }
            guard isWhole(file.raw, footer, entry.key) else { return .damaged }
            table.update(entry.key) { $0?.verified = stamp }
        }
        return .open(file)
    }

    /// Opens a file of the table and checks it as `openChecked` does, without waiting for the disk. Nil if the kernel does not
    /// have the whole file in memory, or if the file is long or wrong. The whole file is read even if it was verified before: a
    /// body of up to `copying` bytes is returned as that copy; the file of a longer one is read next, on this thread.
    func openCached(_ entry: FileEntry, copying: Int) -> Body? {
        guard entry.length <= Self.longestReadAtOnce else { return nil }
        let raw = FilePath(entry.key).withCString { pictor_open_cached(directory.raw, $0) }
        guard raw >= 0 else { return nil }
        if entry.length <= copying { return copyCached(raw, entry).map { .bytes($0) } }
        guard let file = try? adopt(raw, entry.key, as: nil), checkCached(raw, entry, file.stamp) != nil
        else { return nil }
        return .file(file, length: entry.length)
    }

    /// Returns the checked body of an open file, and closes the file. The descriptor goes nowhere else, so it needs no owner.
    private func copyCached(_ raw: Int32, _ entry: FileEntry) -> ImmutableBytes? {
        // Closing does not wait: the file is short, and a store is not asked while its disk hangs (`DiskCache.store`).
        defer { close(raw) }
        guard !ReservedDescriptors.contain(raw), let state = FileState(raw),
            let bytes = checkCached(raw, entry, state.stamp)
        else { return nil }
        // If the file was not verified before, these very bytes have just been.
        return entry.verified == state.stamp && state.isAltered(in: raw) ? nil : bytes
    }

    /// The body of an open file, if the kernel has it in memory and its checksum is right.
    /// - Parameter stamp: the file's stamp, taken before the bytes are read, so that a change meanwhile is noticed.
    private func checkCached(_ raw: Int32, _ entry: FileEntry, _ stamp: UInt32) -> ImmutableBytes? {
        let isVerified = entry.verified == stamp
        let bytes = FileIO.cachedBody(of: raw, length: entry.length) { (footer, head, body) in
            footer.kind == kind && footer.length == entry.length
                && (isVerified || checksum(head, body, entry.key) == footer.checksum)
        }
        if bytes != nil, !isVerified { table.update(entry.key) { $0?.verified = stamp } }
        return bytes
    }

    /// The most bytes that are read and hashed while others wait: 30 to 40 µs.
    static let longestReadAtOnce = 64 << 10

    /// - Parameter head: the footer's bytes before its checksum.
    private func checksum(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ name: Digest
    ) -> Digest {
        var hash = SHA256()
        if kind == .rendition {
            name.withBytes { hash.update($0) }
            hash.update(head)
        }
        hash.update(body)
        return hash.finish()
    }

    /// True if the file is in the state in which its checksum was verified or written.
    func isVerified(_ file: OwnedDescriptor, as name: Digest) -> Bool {
        table[name].map { $0.verified == file.stamp && $0.verified != 0 } ?? false
    }

    /// True if the checksum of the whole body is right.
    func isWhole(_ file: Int32, _ footer: Footer, _ name: Digest) -> Bool {
        switch kind {
        case .original: footer.checksum == name && FileIO.digest(file, length: footer.length) == name
        case .rendition:
            FileIO.digest(file, length: footer.length, prefix: name.bytes + footer.head) == footer.checksum
        }
    }
}

extension OwnedDescriptor {
    /// The stamp of a file that a partition has opened; 0 for any other.
    var stamp: UInt32 { state?.stamp ?? 0 }
}
