// SPDX-License-Identifier: Apache-2.0

@testable import Origin
import SourceURLs
import TestSupport
import Testing

/// Clients choose the URL and so the profile. Where profiles have ways of their own to parts of an origin, a failed connection
/// must not be taken for a failure of the whole origin.
@Suite struct `The ways to an origin` {
    private static let origin = SourceOrigin(scheme: .https, host: "shop.example", port: 443)

    /// Profiles for these places, one each.
    private func profiles(
        _ places: [String], _ change: (inout OriginProfile) -> Void
    ) throws -> [OriginProfile] {
        try places.map { text in
            var profile = OriginProfile("shop", at: [try #require(OriginProfile.Place(text))])
            change(&profile)
            return profile
        }
    }

    @Test(
        arguments: [
            ([], false), (["https://shop.example/private/"], true), (["https://shop.example/"], false),
            (["shop.example"], false), (["https://shop.example/private/", "shop.example"], false),
            (["https://shop.example:8443/private/"], false), (["http://shop.example/private/"], false),
            (["*.shop.example"], false),
        ] as [([String], Bool)])
    func `are several if a profile has a certificate for a part of it`(
        places: [String], areSeveral: Bool
    ) throws {
        var configuration = OriginConfiguration()
        configuration.profiles = try profiles(places) { $0.certificate = "/shop.pem" }
        #expect(configuration.hasOtherWays(to: Self.origin, after: .tls) == areSeveral)
        // Below TLS, there is one way.
        #expect(!configuration.hasOtherWays(to: Self.origin, after: .cannotConnect))
    }

    @Test(arguments: [DownloadFailure.tls, .cannotConnect, .nameNotResolved, .timedOut(.connect)])
    func `are several if a profile has a proxy for a part of it`(failure: DownloadFailure) throws {
        let proxy = try #require(OutboundProxy("http://proxy.example:3128"))
        var configuration = OriginConfiguration()
        configuration.profiles = try profiles(["https://shop.example/private/"]) { $0.route = .proxy(proxy) }
        #expect(configuration.hasOtherWays(to: Self.origin, after: failure))
        #expect(!configuration.hasOtherWays(to: Self.origin, after: .timedOut(.firstByte)))
        configuration.proxy = proxy
        #expect(!configuration.hasOtherWays(to: Self.origin, after: failure))
    }

    @Test(arguments: [("/private/", true), ("/", false)])
    func `are told of with a failed connection`(place: String, dependsOnURL: Bool) async throws {
        let port = try ReservedPort()
        let url = SourceURL(scheme: .http, host: "127.0.0.1", port: port.number, target: "/a")
        let proxy = try #require(OutboundProxy("http://127.0.0.1:\(port.number)"))
        let profiles = try profiles(["http://127.0.0.1:\(port.number)\(place)"]) { $0.route = .proxy(proxy) }
        let failure = try await withDownloader {
            $0.profiles = profiles
        } _: {
            await $0.failedDownload(url)
        }
        #expect(failure?.reason == .cannotConnect && failure?.dependsOnURL == dependsOnURL)
        withExtendedLifetime(port) {}
    }
}
