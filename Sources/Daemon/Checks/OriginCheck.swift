// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
internal import Kernel
internal import Logging
internal import Origin
internal import Platform
package import Settings
internal import SourceURLs

/// Connects to the proxy and to the origins that the settings name exactly, in parallel, with the rules and proxies of a fetch.
/// Stores are asked for the lists of their buckets and containers. No picture is requested.
package struct OriginCheck: Sendable {
    /// The longest time for one connection. A client would not wait for a longer handshake.
    private static let each = Duration.seconds(5)
    /// The time for all checks: enough for four rounds in which nothing answers.
    private static let total = Duration.seconds(20)
    /// The number of parallel checks.
    private static let width = 32

    private enum Trial {
        case proxy(OutboundProxy)
        case source(NamedSource)
        /// A bucket, given by its URL.
        case bucket(SourceURL)
        case container(String)
    }

    private let downloader: Downloader
    private let configuration: OriginConfiguration

    private init(_ downloader: Downloader, _ configuration: OriginConfiguration) {
        self.downloader = downloader
        self.configuration = configuration
    }

    /// A line for each origin, proxy or store, in the order of the settings; empty if they name none.
    /// - Throws: if a setting cannot be used.
    package static func findings(_ settings: Settings) async throws -> [CheckFinding] {
        var configuration = try settings.originConfiguration
        let trials =
            (configuration.proxy.map { [Trial.proxy($0)] } ?? [])
            + NamedSource.distinct(try settings.namedSources).map { .source($0) }
            + (configuration.store?.buckets.sorted() ?? []).map { bucket in
                .bucket(SourceURL(scheme: .s3, host: bucket, port: 0, target: "/"))
            }
            + (configuration.blobs?.containers.sorted() ?? []).map { .container($0) }
        guard !trials.isEmpty else { return [] }
        // Kept in memory, because libcurl only has the path of the certificates.
        configuration.authorities = try settings.certificateAuthorities?.bundle
        let keys = StoreKeys(logger: Logger(label: "pictor"))
        try await keys.serve(settings, configuration.authorities)
        defer { keys.close() }
        try keys.sign(&configuration, by: settings)
        configuration.connectTimeout = min(configuration.connectTimeout, each)
        configuration.transferLimit = max(configuration.transferLimit, 2 * width)
        let downloader = Downloader(
            configuration, makeFile: { () throws(SystemError) in try MemoryFile.empty() }
        ) {
            SystemEnvironment.now()
        }
        for text in settings.server.listen + settings.admin.listen {
            if case .tcp(let host, let port) = ListenAddress(text: text), port > 0 {
                downloader.ownListeners.add(host: host, port: port)
            }
        }
        try downloader.start()
        defer { downloader.shutdown() }
        return await OriginCheck(downloader, configuration).findings(trials)
    }

    private func findings(_ trials: [Trial]) async -> [CheckFinding] {
        await withTaskGroup(of: (index: Int, finding: CheckFinding)?.self) { group in
            group.addTask {
                try? await Task.sleep(for: Self.total)
                return nil
            }
            var (next, findings) = (0, [Int: CheckFinding]())
            func begin() {
                guard next < trials.count else { return }
                let index = next
                next += 1
                group.addTask { (index, await finding(trials[index])) }
            }
            for _ in 0..<Self.width { begin() }
            while findings.count < trials.count, let result = await group.next() {
                guard let result else {
                    // The time is over: the remaining checks end at once, as cancelled.
                    group.cancelAll()
                    continue
                }
                findings[result.index] = result.finding
                begin()
            }
            group.cancelAll()
            return trials.indices.compactMap { findings[$0] }
        }
    }

    private func finding(_ trial: Trial) async -> CheckFinding {
        switch trial {
        case .proxy(let proxy): await finding(proxy)
        case .source(let source): await finding(source)
        case .bucket(let bucket): await finding(bucket)
        case .container(let name): await finding(container: name)
        }
    }

    /// Requests the list of a bucket, because every store supports that request and reports a key that it does not know.
    private func finding(_ bucket: SourceURL) async -> CheckFinding {
        let store = configuration.store?.endpoint.origin.description ?? ""
        return await finding("The bucket \(bucket.host) of \(store)", listedBy: bucket) { reply in
            // A key that may read objects may not be allowed to list them, so a refusal of the list alone is a good answer.
            reply.words.hasPrefix("AccessDenied") && !reply.isKeyRefused
        }
    }

    private func finding(container: String) async -> CheckFinding {
        let store = configuration.blobs?.endpoint.origin.description ?? ""
        return await finding(
            "The container \(container) of \(store)", listedBy: BlobStore.list(of: container), isAnswer)
    }

    /// - Parameter isAnswer: true for a refusal that concerns only the list.
    private func finding(
        _ name: String, listedBy url: SourceURL, _ isAnswer: (DownloadReply) -> Bool
    ) async -> CheckFinding {
        do throws(FailedDownload) {
            let reply = try await downloader.fetch(Download(url: url))
            if reply.status < 300 { return .good("\(name) answers.") }
            return isAnswer(reply)
                ? .good("\(name) answers, and does not show its list (\(reply.words)).")
                : .obstacle("\(name) answers \(reply.status) (\(reply.words)).")
        } catch {
            return .obstacle("\(name): \(words(error)).")
        }
    }

    /// True for a refusal that concerns only the list: a token that may read blobs may not be allowed to list them. If anybody
    /// may read blobs but not list them, a request without a key is told to authenticate or, before version 2019-12-12 of the
    /// protocol, that the container does not exist.
    private func isAnswer(_ reply: DownloadReply) -> Bool {
        let ofStrangers = ["NoAuthenticationInformation", "ResourceNotFound"]
        let isPublic = configuration.blobs?.access == .anybody
        let codes =
            ["AuthorizationPermissionMismatch", "AuthorizationResourceTypeMismatch"]
            + (isPublic ? ofStrangers : [])
        return codes.contains { reply.words.hasPrefix($0) }
    }

    private func finding(_ proxy: OutboundProxy) async -> CheckFinding {
        do throws(FailedDownload) {
            try await downloader.connect(to: proxy)
            return .good("The proxy \(proxy.name) takes connections.")
        } catch {
            return .obstacle("The proxy \(proxy.name): \(words(error)).")
        }
    }

    private func finding(_ source: NamedSource) async -> CheckFinding {
        let way = configuration.proxy(for: source.host)
        // An HTTP proxy gets the whole URL with a request, so it cannot be asked merely to connect to the origin.
        let urls = source.urls.filter { way?.scheme != .http || $0.scheme == .https }
        guard !urls.isEmpty else {
            return .good("The origin \(source.name) is asked through the proxy alone.")
        }
        var failures: [(url: SourceURL, failure: FailedDownload)] = []
        var connected: [String] = []
        for url in urls {
            do throws(FailedDownload) {
                try await downloader.connect(to: url)
                connected.append(url.scheme.rawValue)
            } catch {
                if source.urls.count > 1, case .refused(by: .port) = error.reason { continue }
                failures.append((url, error))
            }
        }
        // If http and https have different ports, a server whose certificate is not trusted makes every https URL fail, even if
        // http works.
        let isOnePort = Set(urls.map(\.port)).count == 1
        let untrusted = isOnePort ? nil : failures.first { $0.failure.reason == .tls }
        if let failed = untrusted ?? (connected.isEmpty ? failures.first : nil) {
            return .obstacle("The origin \(failed.url.origin): \(words(failed.failure)).")
        }
        guard !connected.isEmpty else {
            return .good("The origin \(source.name) was not tried: origin.ports opens no usual port.")
        }
        return .good(
            "The origin \(source.name) takes connections"
                + (source.urls.count > 1 ? " (\(connected.joined(separator: ", ")))." : "."))
    }

    private func words(_ failed: FailedDownload) -> String {
        let reason =
            switch failed.reason {
            case .refused(let refusal), .redirectRefused(let refusal): refusal.words
            case .nameNotResolved: "its name has no address"
            case .cannotConnect: "it cannot be connected to"
            case .tls: "no trusted TLS connection to it is possible"
            case .timedOut: "it does not answer within \(configuration.connectTimeout.settingText)"
            case .cancelled: "it was not reached before the \(Self.total.settingText) for all were over"
            default: "\(failed.reason)"
            }
        guard !failed.words.isEmpty, failed.reason != .cancelled else { return reason }
        return "\(reason) (\(failed.words))"
    }
}

extension SourceRefusal {
    /// The reason of the refusal, as a part of a sentence.
    fileprivate var words: String {
        switch self {
        case .address(let purpose): "its address is not public (\(purpose)); see origin.allow-networks"
        case .network: "origin.deny-networks contains its address"
        case .ownListener: "its address is one of this daemon's own"
        case .port(let port): "origin.ports does not open port \(port)"
        case .host: "origin.deny-hosts names it"
        case .url: "origin.deny-urls names it"
        case .notListed: "neither origin.allow-hosts nor origin.allow-urls names it"
        case .insideName: "its name has no address, or is one of an inside network"
        case .scheme, .downgrade, .userInformation, .malformed: "its URL cannot be fetched"
        }
    }
}

extension Settings {
    /// The exactly named places from which these settings allow fetches.
    fileprivate var namedSources: [NamedSource] {
        get throws(UnusableSetting) {
            let configuration = try originConfiguration
            let places = configuration.profiles.flatMap { $0.places.compactMap(\.example) }
            var sources = configuration.policy.namedSources + places.map { NamedSource($0) }
            if !next.baseURL.isEmpty, let url = try? SourceURL.parse(next.baseURL) {
                sources.append(NamedSource(url))
            }
            let pictures = try configuredWatermarks.sorted { $0.key < $1.key }.map(\.value)
            for case .remote(let url) in try pictures + [configuredFallback].compactMap(\.self)
            where url.scheme.isWeb {
                sources.append(NamedSource(url))
            }
            return sources
        }
    }
}
