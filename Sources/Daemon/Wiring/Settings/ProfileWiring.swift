// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import HTTPSemantics
internal import Origin
internal import Settings

extension Settings {
    /// - Throws: all mistakes, without values that may be secrets.
    var usableProfiles: [OriginProfile] {
        get throws(UnusableSetting) {
            var (profiles, mistakes): ([OriginProfile], [String]) = ([], [])
            for given in try originProfiles.list {
                do throws(UnusableSetting) { profiles.append(try OriginProfile(given)) } catch {
                    mistakes += error.mistakes
                }
            }
            guard mistakes.isEmpty else { throw UnusableSetting(mistakes) }
            return profiles
        }
    }
}

extension OriginProfile {
    fileprivate init(_ given: OriginProfiles.Profile) throws(UnusableSetting) {
        var mistakes: [String] = []
        self.init(given.name, at: given.usablePlaces(&mistakes))
        fields = given.headers + given.authorization
        passed = given.passed.map { $0.lowercased() }
        unkeyed = ParameterNames(given.unkeyed)
        isPrivate = given.isKnown && !given.isPublic
        rule = given.rule
        keepsCookies = given.keepsCookies
        certificate = given.certificate.isEmpty ? nil : given.certificate
        key = given.key.isEmpty ? nil : given.key
        for path in [given.certificate, given.key] where !path.isEmpty {
            if let obstacle = Self.obstacle(to: path) {
                mistakes.append("\(given.beginning): \(path) cannot be read: \(obstacle)")
            }
        }
        do throws(UnusableSetting) {
            if !given.authorities.isEmpty {
                authorities = try CertificateAuthorities(given.authorities, key: given.beginning).bundle
            }
        } catch {
            mistakes += error.mistakes
        }
        if let way = given.usableRoute(&mistakes) { route = way }
        guard mistakes.isEmpty else { throw UnusableSetting(mistakes) }
    }

    /// Why libcurl cannot read this file; nil if it can. A named pipe would stop the thread of all fetches.
    private static func obstacle(to path: String) -> String? {
        var status = stat()
        guard Glibc.access(path, R_OK) == 0, stat(path, &status) == 0 else {
            return String(cString: strerror(errno))
        }
        return status.st_mode & S_IFMT == S_IFREG ? nil : "it is not a regular file"
    }
}

extension OriginProfiles.Profile {
    /// The beginning of each sentence about this profile.
    fileprivate var beginning: String { "origin.profiles: \(name)" }

    fileprivate func usablePlaces(_ mistakes: inout [String]) -> [OriginProfile.Place] {
        var places: [OriginProfile.Place] = []
        for text in match {
            if let place = OriginProfile.Place(text) {
                places.append(place)
            } else {
                mistakes.append(
                    "\(beginning): \"\(text)\" is no host such as images.example or *.images.example, and no URL such as https://images.example/public/ or s3://bucket/"
                )
            }
        }
        if places.contains(where: \.isOfStore), !isOfLifetimesAlone {
            mistakes.append(
                "\(beginning): a profile for s3:// or azure:// may have cache-control or default-cache-control and nothing else, because requests to a store have the store's own keys"
            )
        }
        return places
    }

    fileprivate var authorization: [Fields.Field] {
        var values: [String] = []
        if !basic.isEmpty { values.append("Basic \(Data(basic.utf8).base64EncodedString())") }
        if !bearer.isEmpty { values.append("Bearer \(bearer)") }
        return values.map { Fields.Field("Authorization", $0) }
    }

    /// Nil if the profile names no proxy, or one that cannot be used.
    fileprivate func usableRoute(_ mistakes: inout [String]) -> OriginProfile.Route? {
        switch proxy {
        case "": return nil
        case "none": return .direct
        case let text:
            guard var proxy = OutboundProxy(text) else {
                mistakes.append(
                    "\(beginning): proxy is no http://host:port or socks5://host:port, and not none")
                return nil
            }
            let credentials = ProxyCredentials(settingText: proxyCredentials) ?? .none
            (proxy.user, proxy.password) = (credentials.user, credentials.password)
            return .proxy(proxy)
        }
    }
}
