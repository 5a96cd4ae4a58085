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
        files = settings.secretFiles.map { _, path in
            // Behind a link, as container platforms exchange them.
            let target = URL(filePath: path).resolvingSymlinksInPath().path
            let facts = try? FileManager.default.attributesOfItem(atPath: target)
            return File(
                path: path, inode: facts?[.systemFileNumber] as? UInt64, size: facts?[.size] as? UInt64,
                changed: facts?[.modificationDate] as? Date)
        }
    }
}

extension Settings {
    /// The files that hold secrets, each with its setting; none of the service manager's.
    var secretFiles: [(key: String, path: String)] {
        let files = [
            (key: "admin.token-file", path: admin.tokenFile),
            (key: "signatures.keys-file", path: signatures.keysFile),
            (key: "imgproxy.keys-file", path: imgproxy.keysFile),
            (key: "imgproxy.encryption-key-file", path: imgproxy.encryptionKeyFile),
            (key: "thumbor.keys-file", path: thumbor.keysFile),
            (key: "imagor.keys-file", path: imagor.keysFile),
            (key: "origin.profiles", path: origin.profiles),
        ]
        return files.filter { !$0.path.isEmpty }
    }
}
