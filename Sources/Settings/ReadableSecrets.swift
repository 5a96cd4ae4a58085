// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTPSemantics

extension Settings {
    /// A sentence for each secret that every user of this machine can read in its file.
    package var readableSecrets: [String] {
        let profiles = (try? originProfiles.list) ?? []
        var files = secretFiles
        if !profiles.contains(where: \.holdsSecrets) { files.removeAll { $0.key == "origin.profiles" } }
        for profile in profiles where !profile.certificate.isEmpty {
            let path = profile.key.isEmpty ? profile.certificate : profile.key
            files.append((key: "origin.profiles: \(profile.name)", path: path))
        }
        var list = files.filter { Self.isOpen($0.path) }.map { key, path in
            "\(key): each user of this machine may read \(path); mode 0600 would close it"
        }
        if let file = places.file, Self.isOpen(file) {
            for setting in Setting.table where setting.isSecret && places.isOfFile(setting.key) {
                guard setting.isSet(self) else { continue }
                list.append(
                    "\(setting.key): each user of this machine may read this file; mode 0600 would close it")
            }
        }
        return list.map(places.placed)
    }

    /// Files that a container platform mounts are ignored, because the platform sets their mode, and the container has only one
    /// user.
    private static let platformFolders = ["/run/secrets/", "/var/run/secrets/"]

    /// True if a user who is neither the file's owner nor in its group can read it, by the modes of the file and of the folders
    /// above it.
    private static func isOpen(_ path: String) -> Bool {
        guard let file = real(path), permits(0o004, file) else { return false }
        guard !platformFolders.contains(where: file.hasPrefix) else { return false }
        var place = file
        while let slash = place.lastIndex(of: "/"), slash > place.startIndex {
            place = String(place[..<slash])
            guard permits(0o001, place), !isVolume(place, of: file) else { return false }
        }
        return true
    }

    /// True for a volume of Kubernetes, which a manifest may mount anywhere: its link `..data` leads to the folder with the files.
    private static func isVolume(_ folder: String, of file: String) -> Bool {
        guard let data = real("\(folder)/..data") else { return false }
        return file.hasPrefix("\(data)/")
    }

    /// The path with links resolved; nil if nothing exists there.
    private static func real(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private static func permits(_ bit: mode_t, _ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & bit != 0
    }
}

extension OriginProfiles.Profile {
    /// True if whoever reads the profile can authenticate as Pictor does.
    fileprivate var holdsSecrets: Bool {
        !(basic.isEmpty && bearer.isEmpty && proxyCredentials.isEmpty)
            || headers.contains { FieldNames.areCredentials($0.name) }
    }
}
