// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTPSemantics

extension Settings {
    /// Secrets that each user of this machine may read where they stand, a sentence each.
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

    /// What a container's platform mounts is no slip of the hand: its mode is the platform's, and the container has one user.
    private static let platformFolder = "/run/secrets/"

    /// True if a user who is neither a file's owner nor of its group may read it, by its mode and those of the folders on the way.
    private static func isOpen(_ path: String) -> Bool {
        guard let real = realpath(path, nil) else { return false }
        defer { free(real) }
        var place = String(cString: real)
        guard !place.hasPrefix(platformFolder), permits(0o004, place) else { return false }
        while let slash = place.lastIndex(of: "/"), slash > place.startIndex {
            place = String(place[..<slash])
            guard permits(0o001, place) else { return false }
        }
        return true
    }

    private static func permits(_ bit: mode_t, _ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & bit != 0
    }
}

extension OriginProfiles.Profile {
    /// True if who reads it may ask as Pictor does.
    fileprivate var holdsSecrets: Bool {
        !(basic.isEmpty && bearer.isEmpty && proxyCredentials.isEmpty)
            || headers.contains { FieldNames.areCredentials($0.name) }
    }
}
