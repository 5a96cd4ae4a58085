// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// Checks whether a store could be opened on the cache's folder, for a check of the settings.
package enum FolderTrial {
    /// The names of everything that a store makes in the folder. The index's log disappears with its last connection.
    package static let parts = ["index.sqlite", "lock"] + CacheFolder.folders

    /// Makes missing parts as a store does; the caller removes them. The folder's other contents stay unchanged, even if a store
    /// would evict entries, migrate the index or set it aside.
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

    /// Removes parts that the check has made. No link is followed and no file within a folder is removed, because an attacker may have
    /// the rights of the folder's user, or a daemon may have started meanwhile.
    /// - Parameter parts: the names of the parts in the folder.
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
            // Other unusable indexes are no obstacle, because a start sets them aside.
            if case .failing(let reason) = error { throw .index(reason) }
        }
    }
}
