// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// Tries whether a store could be opened on the cache's folder, for a check of the settings.
package enum FolderTrial {
    /// The names of what a store makes in the folder. The index's log goes with its last connection.
    package static let parts = ["index.sqlite", "lock"] + CacheFolder.folders

    /// Makes missing parts, as a store does: the caller removes them. The folder's other contents stay as they are, also where a
    /// store would evict, migrate the index or set it aside.
    /// - Returns: why a store could not be opened for writing; nil if it could.
    package static func obstacle(_ configuration: DiskConfiguration) -> DiskStoreError? {
        do throws(DiskStoreError) {
            let folder = try CacheFolder(configuration, .readWrite)
            defer { folder.unlock() }
            try tryIndex(of: folder, configuration)
            return nil
        } catch {
            return error
        }
    }

    /// Removes parts that a trial has made. No link is followed, and no file in a folder removed: the folder's user may have been taken
    /// over, or a daemon have started meanwhile.
    /// - Parameter parts: names in the folder.
    package static func takeAway(_ parts: [String], of folder: String) {
        let raw = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else { return }
        let root = OwnedDescriptor(adopting: raw)
        for part in parts {
            guard let inner = Directory.open(root.raw, part) else {
                unlinkat(root.raw, part, 0)
                continue
            }
            for name in FilePath.folders { unlinkat(inner.raw, name, AT_REMOVEDIR) }
            unlinkat(root.raw, part, AT_REMOVEDIR)
        }
    }

    private static func tryIndex(
        of folder: CacheFolder, _ configuration: DiskConfiguration
    ) throws(DiskStoreError) {
        let path = folder.indexPath
        do throws(IndexDatabase.Unusable) {
            if access(path, F_OK) == 0 {
                try IndexDatabase.tryToWrite(path)
            } else {
                _ = try IndexDatabase(path: path, lockTimeout: configuration.lockTimeout)
            }
        } catch {
            // Others are set aside by a start, and hold up none.
            if case .failing(let reason) = error { throw .index(reason) }
        }
    }
}
