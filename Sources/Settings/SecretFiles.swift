// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The state of the files that contain secrets, at one moment.
package struct SecretFiles: Sendable, Equatable {
    private struct File: Equatable {
        var path: String
        var inode: UInt64?
        var size: UInt64?
        var changed: Date?
    }

    private let files: [File]

    /// Reads the state of the files that the settings name. The service manager's credentials do not change.
    package init(_ settings: Settings) {
        files = settings.secretFiles.map { _, path in
            // The link is resolved, because container platforms exchange the file behind it.
            let target = URL(filePath: path).resolvingSymlinksInPath().path
            let facts = try? FileManager.default.attributesOfItem(atPath: target)
            return File(
                path: path, inode: facts?[.systemFileNumber] as? UInt64, size: facts?[.size] as? UInt64,
                changed: facts?[.modificationDate] as? Date)
        }
    }
}

extension Settings {
    /// The files with secrets that the settings name, each with its setting; without the service manager's credentials.
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
