// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The state of files that settings name, at one moment. The service manager's credentials are not among them, because they do not
/// change.
package struct SettingFiles: Sendable, Equatable {
    private struct File: Equatable {
        /// The setting that names the file.
        var key: String
        var path: String
        var inode: UInt64?
        var size: UInt64?
        var changed: Date?

        init(_ key: String, _ path: String) {
            (self.key, self.path) = (key, path)
            // The link is resolved, because container platforms exchange the file behind it.
            let target = URL(filePath: path).resolvingSymlinksInPath().path
            let facts = try? FileManager.default.attributesOfItem(atPath: target)
            inode = facts?[.systemFileNumber] as? UInt64
            size = facts?[.size] as? UInt64
            changed = facts?[.modificationDate] as? Date
        }
    }

    private let files: [File]

    private init(_ files: [(key: String, path: String)]) { self.files = files.map { File($0.key, $0.path) } }

    /// Reads the state of the files that contain secrets.
    package static func secrets(of settings: Settings) -> SettingFiles { SettingFiles(settings.secretFiles) }

    /// Reads the state of all files that a reload reads.
    package static func all(of settings: Settings) -> SettingFiles {
        SettingFiles(settings.secretFiles + settings.publicFiles)
    }

    /// The settings with a file that is new, or was written or replaced since.
    package func keys(changedSince former: SettingFiles) -> Set<String> {
        Set(files.filter { !former.files.contains($0) }.map(\.key))
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

    /// The files without secrets that the settings name and that a reload reads, each with its setting.
    fileprivate var publicFiles: [(key: String, path: String)] {
        let watermarks = ((try? watermarkPlaces) ?? [:]).values.map { (key: "options.watermarks", path: $0) }
        let pictures = watermarks + [(key: "fallback.picture", path: fallback.picture)]
        return pictures.filter { $0.path.hasPrefix("/") && !$0.path.hasPrefix("//") }
            + origin.certificateAuthorities.map { (key: "origin.certificate-authorities", path: $0) }
    }
}
