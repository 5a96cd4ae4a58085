// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTPServer
internal import Origin
internal import Platform
package import Settings
internal import Stores

/// Checks what only an attempt can tell: whether addresses and the cache's folder can be used. Leaves nothing behind.
package enum OnlineCheck {
    /// A sentence for each obstacle. A running daemon is an obstacle, because it uses the addresses and the folder.
    package static func obstacles(_ settings: Settings) -> [String] {
        // This is done as in the daemon, before the first name is looked up. The listeners' names come first; those of origins, of
        // the store and of Redis follow.
        NameSearch.turnOff(by: settings)
        return listeners(settings) + folder(settings) + originals(settings)
    }

    private static func originals(_ settings: Settings) -> [String] {
        settings.origin.files.list.compactMap { name, path in
            FileSource.obstacle(to: path).map {
                "origin.files: the folder \(name) cannot be entered: \(path): \($0)"
            }
        }
    }

    private static func listeners(_ settings: Settings) -> [String] {
        // Sockets from the service manager are open already.
        let isInherited = !InheritedSockets.descriptors.isEmpty
        let addresses = (isInherited ? [] : settings.server.listen) + settings.adminListeners
        return HTTPServer.obstacles(to: addresses.compactMap(ListenAddress.init(text:))).map(\.description)
    }

    private static func folder(_ settings: Settings) -> [String] {
        let (missing, owner) = (MissingParts(of: settings.cacheFolder), FolderOwner(settings.cacheFolder))
        defer {
            missing.takeAway()
            owner?.giveBack()
        }
        return FolderTrial.obstacle(settings.diskConfiguration).map { [$0.description] } ?? []
    }
}

/// The missing folders of a cache and on the path to it, which the check makes and removes again. If folders that root made
/// stayed, the daemon's user could not use them.
private struct MissingParts {
    private let folder: String
    private let parts: [String]
    /// The folders to remove, the innermost first.
    private let folders: [String]

    init(of folder: String) {
        func isMissing(_ path: String) -> Bool { access(path, F_OK) != 0 && errno == ENOENT }
        parts = FolderTrial.parts.filter { isMissing("\(folder)/\($0)") }
        self.folder = folder
        var (folders, path) = ([String](), folder[...])
        while !path.isEmpty, isMissing(String(path)) {
            folders.append(String(path))
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        self.folders = folders
    }

    func takeAway() {
        FolderTrial.takeAway(parts, of: folder)
        for path in folders { rmdir(path) }
    }
}
