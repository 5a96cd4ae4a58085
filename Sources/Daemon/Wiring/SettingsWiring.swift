// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import Foundation
internal import HTTP1
internal import HTTPCaching
internal import HTTPServer
internal import ImageModel
internal import Jail
internal import Origin
internal import Pipeline
internal import Stores

/// A setting that is well-formed by itself and yet cannot be used.
package struct UnusableSetting: Error, CustomStringConvertible {
    package let description: String
}

extension Settings {
    private static var cores: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

    /// Finds now what `serve` would stumble over after it has begun to open things.
    package func mustBeUsable() throws(UnusableSetting) {
        _ = try publicServerConfiguration
        _ = try adminServerConfiguration
        _ = try originConfiguration
        guard cache.clientMinimumLifetime <= cache.clientMaximumLifetime else {
            throw UnusableSetting(
                description: "cache.client-minimum-lifetime is above cache.client-maximum-lifetime")
        }
        _ = try doorRules
    }

    // MARK: Who may give orders

    /// From the setting, its file, or the service manager's credentials; nil: nobody has one.
    package var adminSecret: Secret {
        get throws(UnusableSetting) {
            guard !admin.token.isSet || admin.tokenFile.isEmpty else {
                throw UnusableSetting(description: "admin.token and admin.token-file are both set")
            }
            if admin.token.isSet { return admin.token }
            if !admin.tokenFile.isEmpty { return try Self.secret(in: admin.tokenFile) }
            let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"] ?? ""
            let credential = folder + "/admin-token"
            let isThere = !folder.isEmpty && FileManager.default.fileExists(atPath: credential)
            return isThere ? try Self.secret(in: credential) : .none
        }
    }

    private static func secret(in path: String) throws(UnusableSetting) -> Secret {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw UnusableSetting(
                description: "the admin token's file: \(path): \(error.localizedDescription)")
        }
        guard let secret = Secret(settingText: text), secret.isSet else {
            throw UnusableSetting(description: "\(path): the token must be \(Secret.settingForm)")
        }
        return secret
    }

    // MARK: Listeners

    var publicServerConfiguration: HTTPServerConfiguration {
        get throws(UnusableSetting) {
            let inherited = InheritedSockets.descriptors.map { ListenAddress.inherited(descriptor: $0) }
            let listeners = inherited.isEmpty ? try Self.addresses(server.listen, "server.listen") : inherited
            guard !listeners.isEmpty else { throw UnusableSetting(description: "server.listen is empty") }
            var configuration = serverConfiguration(listeners)
            configuration.loops = server.threads > 0 ? server.threads : Self.cores
            return configuration
        }
    }

    /// Nil: there is no admin listener.
    var adminServerConfiguration: HTTPServerConfiguration? {
        get throws(UnusableSetting) {
            let listeners = try Self.addresses(admin.listen, "admin.listen")
            guard !listeners.isEmpty else { return nil }
            var configuration = serverConfiguration(listeners)
            configuration.keepsBodies = true
            configuration.limits.bodyBytes = Self.longestOrder
            return configuration
        }
    }

    /// Bytes of an order's body at the admin listener.
    private static let longestOrder = 16 << 10

    private func serverConfiguration(_ listeners: [ListenAddress]) -> HTTPServerConfiguration {
        var configuration = HTTPServerConfiguration(listeners: listeners)
        configuration.limits.headBytes = server.maximumHead.bytes
        configuration.limits.targetBytes = server.maximumTarget.bytes
        configuration.limits.fields = server.maximumFields
        configuration.maximumConnections = server.maximumConnections
        configuration.idleTimeout = server.idleTimeout.wholeMilliseconds
        configuration.headTimeout = server.headTimeout.wholeMilliseconds
        configuration.progressTimeout = server.sendTimeout.wholeMilliseconds
        return configuration
    }

    private static func addresses(_ texts: [String], _ key: String) throws(UnusableSetting) -> [ListenAddress]
    {
        var addresses: [ListenAddress] = []
        for text in texts {
            guard let address = ListenAddress(text: text) else {
                throw UnusableSetting(
                    description: "\(key): \"\(text)\" is no host:port, [v6]:port or unix:/path")
            }
            addresses.append(address)
        }
        return addresses
    }

    // MARK: The rooms behind

    var originConfiguration: OriginConfiguration {
        get throws(UnusableSetting) {
            var configuration = OriginConfiguration()
            configuration.policy = try sourcePolicy
            configuration.connectTimeout = origin.connectTimeout
            configuration.firstByteTimeout = origin.firstByteTimeout
            configuration.idleTimeout = origin.idleTimeout
            configuration.totalTimeout = origin.timeout
            configuration.bodyLimit = origin.maximumBody.bytes
            configuration.redirectLimit = origin.maximumRedirects
            configuration.transferLimit = origin.maximumFetches
            configuration.connectionsPerHost = origin.maximumFetchesPerHost
            configuration.userAgent = origin.userAgent
            return configuration
        }
    }

    private var sourcePolicy: SourcePolicy {
        get throws(UnusableSetting) {
            func list<Item>(
                _ texts: [String], _ key: String, _ what: String, _ read: (String) -> Item?
            ) throws(UnusableSetting) -> [Item] {
                var items: [Item] = []
                for text in texts {
                    guard let item = read(text) else {
                        throw UnusableSetting(description: "\(key): \"\(text)\" is no \(what)")
                    }
                    items.append(item)
                }
                return items
            }
            guard let ports = PortList(origin.ports) else {
                throw UnusableSetting(description: "origin.ports: not ports such as 80 or 1024-65535")
            }
            let network = "network such as 10.1.0.0/16"
            let host = "host such as images.example or *.example"
            let url = "URL such as https://images.example/public/ or //images.example/"
            var policy = SourcePolicy(
                addresses: AddressPolicy(
                    allowsPrivate: origin.allowPrivate,
                    allowed: try list(
                        origin.allowNetworks, "origin.allow-networks", network, AddressBlock.init),
                    denied: try list(
                        origin.denyNetworks, "origin.deny-networks", network, AddressBlock.init),
                    ports: ports))
            policy.allowedHosts = try list(origin.allowHosts, "origin.allow-hosts", host, HostPattern.init)
            policy.deniedHosts = try list(origin.denyHosts, "origin.deny-hosts", host, HostPattern.init)
            policy.allowedURLs = try list(origin.allowUrls, "origin.allow-urls", url, URLPrefix.init)
            policy.deniedURLs = try list(origin.denyUrls, "origin.deny-urls", url, URLPrefix.init)
            return policy
        }
    }

    var diskConfiguration: DiskConfiguration {
        let originals = Int(Double(cache.disk.bytes) * cache.originalsShare)
        var configuration = DiskConfiguration(
            folder: cacheFolder, originalsBudget: originals, renditionsBudget: cache.disk.bytes - originals)
        configuration.minimumFree = cache.minimumFree
        return configuration
    }

    var cacheFolder: String {
        let environment = ProcessInfo.processInfo.environment
        if !cache.directory.isEmpty { return cache.directory }
        if let folder = environment["CACHE_DIRECTORY"], !folder.isEmpty { return folder }
        if let folder = environment["XDG_CACHE_HOME"], !folder.isEmpty { return folder + "/pictor" }
        return NSHomeDirectory() + "/.cache/pictor"
    }

    /// Formats whose text is drawn with the fonts of this machine, and where those are, with fontconfig's notes on them.
    private static let lettered: Set<ImageFormat> = [.svg, .pdf]
    private static let fonts = [
        "/etc/fonts", "/usr/share/fontconfig", "/usr/share/fonts", "/usr/local/share/fonts",
        "/usr/share/poppler", "/var/cache/fontconfig",
    ]

    var formats: Set<ImageFormat> { Set(decoder.formats.compactMap(ImageFormat.init)) }

    /// Bytes, code and stacks included. Pictures of 12 megapixels were seen to need 0.3 GB; a whole-image decode of 100
    /// megapixels, the most that is let in, takes about 1 GB.
    private static var decoderAddressSpace: Int { 2 << 30 }

    var decoders: Int { decoder.processes > 0 ? decoder.processes : Self.cores }

    var poolSettings: DecoderPoolSettings {
        var settings = DecoderPoolSettings()
        settings.processes = decoders
        settings.encoders = encoder
        settings.damaged = decoder.damaged
        settings.formats = formats
        settings.fileSize = decoder.maximumOutput.bytes
        settings.arguments +=
            JailPolicy(
                mode: decoder.jail, addressSpace: Self.decoderAddressSpace, fileSize: settings.fileSize,
                lastDescriptor: Wire.descriptor,
                readable: formats.isDisjoint(with: Self.lettered) ? [] : Self.fonts
            ).arguments
        settings.recycleAfter = decoder.recycleAfter
        settings.recycleAbove = decoder.recycleAbove.bytes
        return settings
    }

    /// - Parameter engine: what the decoders say they are.
    func pipelineConfiguration(engine: String) throws(UnusableSetting) -> PipelineConfiguration {
        PipelineConfiguration(
            // Renditions made by other defaults are other renditions.
            engine: "2 \(engine) \(encoder) \(decoder.damaged)",
            pictures: pictureLimits,
            fetches: AdmissionLimits(
                slots: origin.maximumFetches, slotsPerGroup: origin.maximumFetchesPerHost,
                queueLength: origin.queueLength, queueAge: origin.queueTimeout.microseconds),
            decodes: AdmissionLimits(
                slots: decoders,
                slotsPerGroup: decoder.avifJobs > 0 ? decoder.avifJobs : max(1, decoders / 2),
                budget: decoderMemory, queueLength: decoder.queueLength,
                queueAge: decoder.queueTimeout.microseconds),
            caching: cachePolicy, requestFields: try originConfiguration.requestFields,
            backgroundRefreshes: cache.maximumRefreshes, negative: negativePolicy)
    }

    private var negativePolicy: NegativePolicy {
        var policy = NegativePolicy()
        policy.notFound = negative.notFound.wholeSeconds
        policy.clientError = negative.clientError.wholeSeconds
        policy.serverError = negative.serverError.wholeSeconds
        policy.nameNotResolved = negative.unresolved.wholeSeconds
        policy.unreachable = negative.unreachable.wholeSeconds
        policy.notAnImage = negative.noPicture.wholeSeconds
        policy.maximum = negative.maximum.wholeSeconds
        return policy
    }

    var clientLifetimes: ClientLifetimes {
        let usual = ClientPolicy(
            minimumLifetime: cache.clientMinimumLifetime.seconds32,
            maximumLifetime: cache.clientMaximumLifetime.seconds32)
        return ClientLifetimes(usual: usual, rules: cache.clientLifetimes.list.map { $0.rule(usual: usual) })
    }

    private var pictureLimits: PictureLimits {
        var limits = PictureLimits(
            formats: formats, pixels: decoder.maximumPixels, frames: decoder.maximumFrames,
            memory: decoderMemory)
        limits.avifPixels = output.avifMaximumPixels
        limits.memory = decoderMemory
        // Its code is loaded only where it is read.
        if formats.contains(.jxl) { limits.outputs.insert(.jxl) }
        return limits
    }

    private var cachePolicy: CachePolicy {
        var policy = CachePolicy()
        policy.minimumLifetime = cache.minimumLifetime.seconds32
        policy.maximumLifetime = cache.maximumLifetime.seconds32
        policy.defaultLifetime = cache.defaultLifetime.seconds32
        policy.heuristicPercent = Int32(cache.heuristicFraction * 100)
        policy.maximumHeuristicLifetime = cache.heuristicMaximum.seconds32
        policy.defaultStaleWhileRevalidate = cache.staleWhileRevalidate.seconds32
        policy.defaultStaleIfError = cache.staleIfError.seconds32
        return policy
    }
}

extension Duration {
    fileprivate var microseconds: Int64 { Int64(wholeMilliseconds) * 1000 }
    fileprivate var seconds32: Int32 { Int32(clamping: wholeSeconds) }
}

extension ListenAddress {
    /// host:port, [v6]:port, :port, or unix:/path.
    init?(text: String) {
        if text.hasPrefix("unix:") {
            guard text.count > 5 else { return nil }
            self = .unix(path: String(text.dropFirst(5)))
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        self = .tcp(host: host.isEmpty ? "::" : host, port: port)
    }

    var text: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        case .inherited(let descriptor): "descriptor \(descriptor)"
        }
    }
}
