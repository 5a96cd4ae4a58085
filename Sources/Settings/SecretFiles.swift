// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The files that hold secrets, as they are at one moment.
package struct SecretFiles: Sendable, Equatable {
    private struct File: Equatable {
        var path: String
        var inode: UInt64?
        var size: UInt64?
        var changed: Date?
    }

    private let files: [File]

    /// Looks at the files that the settings name. Those of the service manager do not change.
    package init(_ settings: Settings) {
        files = [
            settings.admin.tokenFile, settings.signatures.keysFile, settings.imgproxy.keysFile,
            settings.imgproxy.encryptionKeyFile, settings.thumbor.keysFile, settings.imagor.keysFile,
            settings.origin.profiles,
        ].filter { !$0.isEmpty }.map { path in
            // Behind a link, as container platforms exchange them.
            let target = URL(filePath: path).resolvingSymlinksInPath().path
            let facts = try? FileManager.default.attributesOfItem(atPath: target)
            return File(
                path: path, inode: facts?[.systemFileNumber] as? UInt64, size: facts?[.size] as? UInt64,
                changed: facts?[.modificationDate] as? Date)
        }
    }
}
