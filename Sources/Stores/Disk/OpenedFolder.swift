// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// A folder with its index read: what a store begins with.
struct OpenedFolder: ~Copyable {
    let folder: CacheFolder
    let catalogue: Catalogue
    let losses: FileLosses
    let setAside: String?
    let isIndexNew: Bool
    let wasClean: Bool
    /// For whoever only reads the index.
    let readAccess: Database.Access
    /// Why it is only for reading.
    let obstacle: SystemError?
    /// Nil in a folder for reading.
    private var database: IndexDatabase?

    /// Makes what is missing.
    init(writing configuration: DiskConfiguration, settingAside: Bool) throws(DiskStoreError) {
        let folder = try CacheFolder(configuration, .readWrite)
        let losses = FileLosses()
        var catalogue = Self.catalogue(folder, configuration, losses)
        var found: IndexDatabase?
        if !settingAside {
            do throws(IndexDatabase.Unusable) {
                found = try Self.open(folder.indexPath, into: catalogue, configuration)
            } catch {
                if case .failing(let error) = error { throw .index(error) }
                catalogue = Self.catalogue(folder, configuration, losses)
            }
        }
        var setAside: String?
        if found == nil {
            setAside = Self.setAside(folder.indexPath)
            do throws(IndexDatabase.Unusable) {
                found = try Self.open(folder.indexPath, into: catalogue, configuration)
            } catch {
                throw .index(error.reason)
            }
        }
        self.folder = folder
        self.catalogue = catalogue
        self.losses = losses
        self.setAside = setAside
        isIndexNew = found?.isNew ?? true
        wasClean = found?.wasClean ?? true
        readAccess = .readOnly
        obstacle = nil
        database = found
    }

    /// Changes nothing.
    init(reading configuration: DiskConfiguration, because reason: DiskStoreError) throws(DiskStoreError) {
        let folder = try CacheFolder(configuration, .readOnly)
        let losses = FileLosses()
        let catalogue = Self.catalogue(folder, configuration, losses)
        let access: Database.Access
        do throws(IndexDatabase.Unusable) {
            access = try IndexDatabase.access(toRead: folder.indexPath)
            try Self.load(folder.indexPath, access, into: catalogue, configuration)
        } catch {
            throw reason
        }
        self.folder = folder
        self.catalogue = catalogue
        self.losses = losses
        setAside = nil
        isIndexNew = false
        wasClean = true
        readAccess = access
        obstacle = reason.obstacle
        database = nil
    }

    mutating func takeDatabase() -> IndexDatabase? { database.take() }

    private static func catalogue(
        _ folder: CacheFolder, _ configuration: DiskConfiguration, _ losses: FileLosses
    ) -> Catalogue {
        Catalogue(
            originals: CachePartition(
                .original, in: folder, budget: configuration.originalsBudget, losses: losses),
            renditions: CachePartition(
                .rendition, in: folder, budget: configuration.renditionsBudget, losses: losses))
    }

    /// Where it is then.
    private static func setAside(_ path: String) -> String {
        let aside = path + ".damaged"
        for suffix in ["", "-wal", "-shm"] { rename(path + suffix, aside + suffix) }
        return aside
    }

    private static func open(
        _ path: String, into catalogue: Catalogue, _ configuration: DiskConfiguration
    ) throws(IndexDatabase.Unusable) -> IndexDatabase {
        let database = try IndexDatabase(path: path)
        try load(path, .readOnly, into: catalogue, configuration)
        return database
    }

    private static func load(
        _ path: String, _ access: Database.Access, into catalogue: Catalogue,
        _ configuration: DiskConfiguration
    ) throws(IndexDatabase.Unusable) {
        do throws(SQLiteError) {
            try IndexLoader(path: path, access: access, catalogue: catalogue)
                .load(threads: configuration.loaders)
        } catch {
            throw IndexDatabase.Unusable(error)
        }
    }
}

extension DiskStoreError {
    /// What a store that is only for reading answers when it is asked to keep something.
    fileprivate var obstacle: SystemError {
        switch self {
        case .folder(_, let error), .threads(let error): error
        case .index(let reason): SystemError("the index cannot be written: \(reason)", code: EROFS)
        case .inUse: SystemError("the folder is in use", code: EWOULDBLOCK)
        }
    }
}
