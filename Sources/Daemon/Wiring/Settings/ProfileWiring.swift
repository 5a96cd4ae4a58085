// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import HTTPSemantics
internal import Kernel
internal import Origin
internal import Settings

extension Settings {
    /// - Throws: each mistake, without values that may be secrets.
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
        let name = "origin.profiles: \(given.name)"
        var mistakes: [String] = []
        var places: [Place] = []
        for text in given.match {
            if let place = Place(text) {
                places.append(place)
            } else {
                mistakes.append(
                    "\(name): \"\(text)\" is no host such as images.example or *.images.example, and no URL such as https://images.example/public/ or s3://bucket/"
                )
            }
        }
        if places.contains(where: \.isOfStore), !given.isOfLifetimesAlone {
            mistakes.append(
                "\(name): a profile for s3:// or azure:// has cache-control or default-cache-control and nothing else, for the store's own keys ask there"
            )
        }
        self.init(given.name, at: places)
        fields = given.headers
        if !given.basic.isEmpty {
            fields.append(
                Fields.Field("Authorization", "Basic \(Data(given.basic.utf8).base64EncodedString())"))
        }
        if !given.bearer.isEmpty { fields.append(Fields.Field("Authorization", "Bearer \(given.bearer)")) }
        passed = given.passed.map { $0.lowercased() }
        unkeyed = ParameterNames(given.unkeyed)
        isPrivate = given.isKnown && !given.isPublic
        rule = given.rule
        keepsCookies = given.keepsCookies
        for path in [given.certificate, given.key] where !path.isEmpty {
            if Glibc.access(path, R_OK) != 0 {
                let code = errno
                mistakes.append("\(name): \(path) cannot be read: \(String(cString: strerror(code)))")
            }
        }
        certificate = given.certificate.isEmpty ? nil : given.certificate
        key = given.key.isEmpty ? nil : given.key
        do throws(UnusableSetting) {
            if !given.authorities.isEmpty {
                authorities = try CertificateAuthorities(given.authorities, key: name).bundle
            }
        } catch {
            mistakes += error.mistakes
        }
        switch given.proxy {
        case "": break
        case "none": route = .direct
        case let text:
            if var proxy = OutboundProxy(text) {
                let credentials = ProxyCredentials(settingText: given.proxyCredentials) ?? .none
                (proxy.user, proxy.password) = (credentials.user, credentials.password)
                route = .proxy(proxy)
            } else {
                mistakes.append("\(name): proxy is no http://host:port or socks5://host:port, and not none")
            }
        }
        guard mistakes.isEmpty else { throw UnusableSetting(mistakes) }
    }
}
