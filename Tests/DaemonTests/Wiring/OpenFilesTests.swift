// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
import Origin
@testable import Settings
import Testing

@Suite("The limit of open files is shared out") struct OpenFilesTests {
    private func settings(decoders: Int = 2, shares: Bool = false, fleet: Bool = false) -> Settings {
        var settings = Settings()
        settings.decoder.processes = decoders
        if shares { settings.sharedStore.bucket = "pictures" }
        if fleet { settings.fleet.redis = ["redis.example:6379"] }
        return settings
    }

    private static let limits = [64, 100, 128, 256, 1_024, 4_096, 20_000, 65_536, 1 << 20, Int(Int32.max)]

    @Test(arguments: limits, [(false, false), (true, false), (true, true)])
    func `each part has some, and none has another's, or nothing starts`(
        limit: Int, with: (store: Bool, fleet: Bool)
    ) {
        for decoders in [1, 2, 64] {
            for threads in [1, 2, 64] {
                var settings = settings(decoders: decoders, shares: with.store, fleet: with.fleet)
                settings.server.threads = threads
                let files = OpenFiles(settings, limit: limit)
                guard (try? files.check()) != nil else {
                    #expect(limit < files.own + 32)
                    continue
                }
                #expect(files.connections(settings) >= 4)
                #expect(files.own + 4 <= files.clients)
                #expect(files.clients < files.requests && files.requests < limit)
                #expect(files.fetches > 0 && files.sharedReads > 0 && files.fetchesPerHost > 0)
                #expect(files.fetches <= files.lookups && files.sharedReads <= files.lookups)
                #expect(files.fetchesPerHost < files.fetches || files.fetches < 4)
                let lookups = files.lookups * (with.store ? 2 : 1)
                let reserve = limit - files.requests - 4 * lookups
                #expect(reserve >= min((limit - files.own) / 4, 32 + 8 * decoders))
                // Some descriptors are for requests and out of reach of both listeners' clients.
                #expect(files.requests - files.clients > files.adminClients)
            }
        }
    }

    @Test func `with the service's limit no setting is bounded`() {
        for decoders in [2, 64] {
            let settings = settings(decoders: decoders, shares: true, fleet: true)
            let files = OpenFiles(settings, limit: 65_536)
            #expect(files.wanted <= 65_536 && files.bounds.isEmpty)
            #expect(files.fetches == settings.origin.maximumFetches)
            #expect(files.sharedReads == Settings.sharedReads)
            #expect(files.renditions == settings.cache.openFiles)
            #expect(files.connections(settings) == settings.server.maximumConnections)
        }
    }

    @Test(arguments: [1_000, 10_000, 60_000], [1, 128, 4_000, 10_000])
    func `what the settings want is enough for them`(connections: Int, fetches: Int) {
        for shares in [false, true] {
            var settings = settings(shares: shares, fleet: shares)
            settings.server.maximumConnections = connections
            settings.origin.maximumFetches = fetches
            let files = OpenFiles(settings, limit: OpenFiles(settings, limit: 1_024).wanted)
            #expect(files.limit == files.wanted)
            #expect(files.bounds.map(\.key) == [])
            #expect(files.connections(settings) == connections)
            #expect(files.fetches == fetches)
        }
    }

    @Test func `each setting that the limit bounds is named`() {
        var settings = settings()
        settings.origin.maximumFetches = 4_000
        let files = OpenFiles(settings, limit: 65_536)
        #expect(files.bounds.map(\.key) == ["origin.maximum-fetches", "origin.maximum-fetches-per-host"])
        #expect(files.bounds.first.map { $0.asked == 4_000 && $0.most == files.fetches } == true)
        let small = OpenFiles(self.settings(shares: true), limit: 1_024)
        #expect(
            small.bounds.map(\.key) == [
                "server.maximum-connections", "origin.maximum-fetches", "origin.maximum-fetches-per-host",
                "cache.open-files", "shared-store.queue",
            ])
    }

    @Test func `few fetches keep as many connections to origins as many do`() throws {
        var settings = settings()
        settings.origin.maximumFetches = 8
        let own = try settings.originConfiguration
        #expect(own.idleConnections == min(128, OpenFiles(settings).lookups))
    }

    @Test func `without a known limit nothing is bounded`() throws {
        let settings = settings()
        let files = OpenFiles(settings, limit: -1)
        #expect(files.clients == 0 && files.bounds.isEmpty)
        #expect(files.connections(settings) == settings.server.maximumConnections)
        #expect(files.fetches == settings.origin.maximumFetches)
        try files.check()
    }
}
