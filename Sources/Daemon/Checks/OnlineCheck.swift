// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTPServer
internal import Origin
internal import Platform
package import Settings
internal import Stores

/// Tries what only trying tells: addresses and the cache's folder. Nothing is left behind.
package enum OnlineCheck {
    /// A sentence for each obstacle. A running daemon is one: it holds the addresses and the folder.
    package static func obstacles(_ settings: Settings) -> [String] {
        // As the daemon does. The names that listeners have are the first to be looked up here; those of origins, of the store and of
        // Redis follow.
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
        // Sockets that the service manager holds are open already.
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

/// The missing folders of a cache, and on the way to it, which a trial makes and removes again: root's would keep the
/// daemon's user out.
private struct MissingParts {
    private let folder: String
    private let parts: [String]
    /// The innermost first.
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
