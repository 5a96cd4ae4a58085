// SPDX-License-Identifier: Apache-2.0

import Fleet
import Foundation
import HTTPSemantics
import Kernel
import Pipeline
import SourceURLs
import Synchronization
import TestSupport
import Testing

/// A node without a cache, which only notes what it is told to purge.
final class NewsNode: Sendable {
    static let now = Timestamp(milliseconds: 1_732_545_257_000)

    struct State {
        var orders: [PurgeOrder] = []
        var events: [NewsEvent] = []
        var isBroken = false
        /// True for a disk that does not store what is purged in memory.
        var isUnsettled = false
        /// True if the record's folder is not the cache's.
        var isElsewhere = false
        /// True while the disk of the record and the outbox hangs.
        var isHanging = false
        var isEmpty = true
        var now = NewsNode.now
        /// True to keep purges from ending before `gate` is closed.
        var isHeld = false
    }

    let state = Mutex(State())
    let gate = AsyncStream.makeStream(of: Void.self)
    /// Signalled for each purge that is held.
    let held = Latch()
    let folder: TemporaryFolder
    let links: [RedisLink]
    let news: FleetNews

    convenience init(
        _ redis: RedisServer, folder: TemporaryFolder = TemporaryFolder(), isEmpty: Bool = true,
        starts: Bool = true, _ change: (inout NewsConfiguration) -> Void = { _ in }
    ) throws {
        var own = RedisConfiguration([try #require(RedisAddress(redis.socket))])
        // A busy machine may delay any command.
        own.commandTimeout = .seconds(10)
        try self.init(own, folder: folder, isEmpty: isEmpty, starts: starts, change)
    }

    init(
        _ own: RedisConfiguration, folder: TemporaryFolder = TemporaryFolder(), isEmpty: Bool = true,
        starts: Bool = true, _ change: (inout NewsConfiguration) -> Void = { _ in }
    ) throws {
        self.folder = folder
        state.withLock { $0.isEmpty = isEmpty }
        links = try ["a", "b"].map { name in try RedisLink(own, name: name) { _ in } }
        for link in links { try link.start() }
        var configuration = NewsConfiguration(folder: folder.path)
        configuration.commandTimeout = own.commandTimeout
        configuration.block = .milliseconds(100)
        change(&configuration)
        let reference = WeakState()
        var environment = NewsEnvironment(
            now: { reference.node?.state.withLock { $0.now } ?? NewsNode.now }, ticks: { 0 },
            isEmpty: { reference.node?.state.withLock { $0.isEmpty } ?? true },
            apply: { order throws(IndexUnreadable) in
                if let node = reference.node, node.state.withLock({ $0.isHeld }) {
                    node.held.signal()
                    for await _ in node.gate.stream {}
                }
                let isBroken = reference.node?.state.withLock { inner in
                    if !inner.isBroken { inner.orders.append(order) }
                    return inner.isBroken
                }
                if isBroken ?? false { throw IndexUnreadable("There is no cache.") }
                if reference.node?.state.withLock({ $0.isUnsettled }) ?? false {
                    throw IndexUnreadable("A restart may bring it back.", isCarriedOut: true)
                }
            }, settles: { !(reference.node?.state.withLock { $0.isUnsettled } ?? false) },
            report: { event in reference.node?.state.withLock { $0.events.append(event) } })
        environment.diskHangs = { reference.node?.state.withLock { $0.isHanging } ?? false }
        environment.isInPlace = { !(reference.node?.state.withLock { $0.isElsewhere } ?? false) }
        news = try FleetNews(configuration, environment, link: links[0], reader: links[1])
        reference.set(self)
        if starts { news.start() }
    }

    /// A weak reference to the node, for the closures that its parts need while the node is being made.
    private final class WeakState: Sendable {
        private struct Reference: Sendable { weak var node: NewsNode? }
        private let reference = Mutex(Reference())
        var node: NewsNode? { reference.withLock { $0.node } }
        func set(_ node: NewsNode) { reference.withLock { $0.node = node } }
    }

    deinit { close() }

    func close() {
        news.close()
        for link in links { link.close() }
    }

    /// Closes the node on a thread that may block.
    func end() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.close()
                continuation.resume()
            }
        }
    }

    var orders: [PurgeOrder] { state.withLock { $0.orders } }
    var selections: [PurgeSelection] { orders.map(\.selection) }
    var events: [NewsEvent] { state.withLock { $0.events } }
    /// How often the node reported that a purge or the position is not on disk.
    var unwritten: Int { events.filter { if case .unwritten = $0 { true } else { false } }.count }
    var isStuck: Bool { events.contains { if case .reading = $0 { true } else { false } } }
    var gaps: [GapReason] {
        events.compactMap { if case .gap(let reason) = $0 { reason } else { nil } }
    }

    /// Waits until the node has carried out the stream so far and can send its own purges; false if that does not happen.
    func isReady() async -> Bool {
        await news.catchUp(within: .seconds(60)) && Patience.until { links.allSatisfy(\.isUp) }
    }

    func purge(_ path: String, isSoft: Bool = false) async throws -> FleetNews.PurgeState {
        try await news.publish(
            PurgeOrder(Self.selection(path), isSoft: isSoft),
            at: Timestamp(milliseconds: 1_732_545_256_000))
    }

    static func selection(_ path: String) -> PurgeSelection {
        .url(OriginalKey(url: "http://a.example/\(path)"))
    }
}
