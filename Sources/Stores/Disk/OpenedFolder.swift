// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel
internal import SourceURLs

/// An opened folder with its loaded index, from which a store is made.
struct OpenedFolder: ~Copyable {
    let folder: CacheFolder
    let catalogue: Catalogue
    let losses: FileLosses
    let setAside: String?
    let adopts: Bool
    let wasClean: Bool
    let unproven: [OriginalKey]
    /// How other connections must open the index for reading.
    let readAccess: Database.Access
    /// Why the folder is read-only; nil if it is writable.
    let obstacle: SystemError?
    /// Nil in a read-only folder.
    private var database: IndexDatabase?

    /// Opens a folder for writing, and makes missing parts.
    /// - Throws: if the folder or its index cannot be used.
    init(writing configuration: DiskConfiguration, settingAside: Bool) throws(DiskStoreError) {
        try self.init(
            in: CacheFolder(configuration, .readWrite), configuration, settingAside: settingAside)
    }

    /// Opens the index of a folder that was just opened for writing.
    /// - Throws: if the index cannot be used, or may be another folder's: SQLite opens it by its path, where a mount may have
    ///   come meanwhile. A sweep would then remove the rows of the one folder and the files of the other, and a sound index
    ///   would be set aside for the damage of another.
    init(
        in folder: CacheFolder, _ configuration: DiskConfiguration, settingAside: Bool
    ) throws(DiskStoreError) {
        let losses = FileLosses()
        var catalogue = Self.catalogue(folder, configuration, losses)
        var found: IndexDatabase?
        if !settingAside {
            do throws(IndexDatabase.Unusable) {
                found = try Self.open(folder, into: catalogue, configuration)
            } catch {
                if case .failing(let error) = error { throw .index(error) }
                catalogue = Self.catalogue(folder, configuration, losses)
            }
        }
        var setAside: String?
        if found == nil {
            try folder.mustBeInPlace()
            let unproven = UnprovenRows.keys(inUnusable: folder.indexPath)
            setAside = Self.setAside(folder.indexPath)
            do throws(IndexDatabase.Unusable) {
                found = try Self.open(folder, into: catalogue, configuration, unproven: unproven)
            } catch {
                throw .index(error.reason)
            }
        }
        try folder.mustBeInPlace()
        self.folder = folder
        self.catalogue = catalogue
        self.losses = losses
        self.setAside = setAside
        adopts = found?.adopts ?? true
        wasClean = found?.wasClean ?? true
        unproven = found?.unproven ?? []
        readAccess = .readOnly
        obstacle = nil
        database = found
    }

    /// Opens a folder without changing anything.
    /// - Throws: `reason`, if the folder cannot be read either.
    init(reading configuration: DiskConfiguration, because reason: DiskStoreError) throws(DiskStoreError) {
        let folder = try CacheFolder(configuration, .readOnly)
        let losses = FileLosses()
        let catalogue = Self.catalogue(folder, configuration, losses)
        let access: Database.Access
        do {
            access = try IndexDatabase.access(toRead: folder.indexPath)
            try Self.load(folder.indexPath, access, into: catalogue, configuration)
            guard folder.isInPlace else { throw reason }
            unproven = try UnprovenRows.keys(Database(path: folder.indexPath, access))
        } catch {
            throw reason
        }
        self.folder = folder
        self.catalogue = catalogue
        self.losses = losses
        setAside = nil
        adopts = false
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

    /// Moves the index away, and returns its new path.
    private static func setAside(_ path: String) -> String {
        let aside = path + ".damaged"
        for suffix in CacheFolder.indexSuffixes { rename(path + suffix, aside + suffix) }
        return aside
    }

    private static func open(
        _ folder: CacheFolder, into catalogue: Catalogue, _ configuration: DiskConfiguration,
        unproven: [OriginalKey] = []
    ) throws(IndexDatabase.Unusable) -> IndexDatabase {
        // SQLite's temporary files go to the cache's folder, because another place may lack room or be read-only in a container.
        Database.lend(configuration.folder)
        let database = try openDatabase(folder, configuration, unproven)
        try load(folder.indexPath, .readOnly, into: catalogue, configuration)
        return database
    }

    /// Opens or makes the index. If the disk is too full for that, a few files leave the cache first: only an open store evicts, so
    /// otherwise a full disk would keep the cache away, or read-only, until others give room back.
    private static func openDatabase(
        _ folder: CacheFolder, _ configuration: DiskConfiguration, _ unproven: [OriginalKey]
    ) throws(IndexDatabase.Unusable) -> IndexDatabase {
        do throws(IndexDatabase.Unusable) {
            let database = try IndexDatabase(
                path: folder.indexPath, lockTimeout: configuration.lockTimeout, unproven: unproven)
            configuration.openingAttempts.noteSuccess()
            return database
        } catch {
            let room = OpeningRoom(folder, configuration.openingAttempts)
            guard room.isLacking(after: error.reason), room.make() else { throw error }
        }
        let database = try IndexDatabase(
            path: folder.indexPath, lockTimeout: configuration.lockTimeout, unproven: unproven)
        configuration.openingAttempts.noteSuccess()
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
    /// The error when a read-only store is asked to keep a file.
    fileprivate var obstacle: SystemError {
        switch self {
        case .folder(_, let error), .threads(let error): error
        case .index(let reason): SystemError("the index cannot be written: \(reason)", code: EROFS)
        case .inUse: SystemError("the folder is in use", code: EWOULDBLOCK)
        case .replaced: SystemError("the folder was replaced", code: ESTALE)
        }
    }
}
