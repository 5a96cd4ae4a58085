// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
internal import Monitoring
internal import Origin
internal import Platform
package import Settings
internal import Stores

/// Tries what only trying tells: addresses and the cache's folder. Nothing is left behind but an empty folder.
package enum OnlineCheck {
    /// A sentence for each obstacle. A running daemon is one: it holds the addresses and the folder.
    package static func obstacles(_ settings: Settings) -> [String] {
        listeners(settings) + folder(settings) + originals(settings)
    }

    private static func originals(_ settings: Settings) -> [String] {
        settings.origin.files.list.compactMap { name, path in
            FileSource.obstacle(to: path).map {
                "origin.files: the folder \(name) cannot be entered: \(path): \($0)"
            }
        }
    }

    private static func listeners(_ settings: Settings) -> [String] {
        // Those that the service manager holds are open already.
        let isInherited = !InheritedSockets.descriptors.isEmpty
        let addresses = (isInherited ? [] : settings.server.listen) + settings.adminListeners
        return HTTPServer.obstacles(to: addresses.compactMap(ListenAddress.init(text:))).map(\.description)
    }

    private static func folder(_ settings: Settings) -> [String] {
        do throws(DiskStoreError) {
            let disk = try DiskCache(settings.diskConfiguration) {
                SystemEnvironment.now()
            } report: { _ in
            }
            defer { disk.close() }
            if case .good = disk.health { return [] }
            return [disk.health.words ?? "The cache's folder cannot be used."]
        } catch {
            return [error.description]
        }
    }
}
