// SPDX-License-Identifier: Apache-2.0
//
//   fetch ──command──▶ Inbox ──wake──▶ NetworkLoop ──▶ Multi (libcurl) ──callbacks──▶ Exchange
//     ▲                                                                                │
//     └────────────────────── DownloadTicket ◀──────────── answer ◀────────────────────┘
//
// One thread does all network input and output. A small picture takes about 100 µs of its time, hash and file included, so the
// thread carries thousands of fetches a second, far more than the other cores can decode.

internal import Glibc
package import HTTPSemantics
package import Kernel
package import SourceURLs
internal import Synchronization

/// The shared downloader: it makes GET requests with libcurl's multi interface, follows redirects hop by hop, and writes bodies
/// to files.
///
/// **Isolation:** each part states its own; a `Mutex` guards the thread.
package final class Downloader: Sendable {
    /// The configuration that the network thread has, or is about to get.
    private let configuration: Mutex<OriginConfiguration>
    private let makeFile: @Sendable () throws(SystemError) -> OwnedDescriptor
    private let now: @Sendable () -> Timestamp
    private let inbox: Inbox
    /// Addresses on which this process listens, so nothing is fetched from them. They must be added before the first fetch.
    package let ownListeners = OwnListeners()
    private let counts = AtomicDownloadCounters()
    private let pressure = FetchPressure()
    /// Answers that may belong to other requests, for the caches to forget. It has one reader, for whom any number of reports
    /// wait, and ends with `shutdown`.
    package let desyncs: AsyncStream<Desync>
    /// Answers that are not proved yet, and those in `desyncs` until they are forgotten.
    package let unproven: UnprovenAnswers
    private let desync: AsyncStream<Desync>.Continuation
    private let heartbeat = Heartbeat()
    private let watch: Mutex<StallWatch>
    /// The tickets of the fetches under way; if the thread stalls, all of them fail.
    private let waiting = Mutex<[ObjectIdentifier: DownloadTicket]>([:])
    private let thread = Mutex<WorkerThread?>(nil)

    /// - Parameters:
    ///   - makeFile: makes an empty writable file, such as an O_TMPFILE in the store's file system; called on the network thread.
    ///   - now: the wall clock; called on the network thread.
    package init(
        _ configuration: OriginConfiguration, unproven: UnprovenAnswers = UnprovenAnswers(),
        makeFile: @escaping @Sendable () throws(SystemError) -> OwnedDescriptor,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.configuration = Mutex(configuration)
        self.makeFile = makeFile
        self.now = now
        self.unproven = unproven
        (desyncs, desync) = AsyncStream.makeStream()
        let connections = Connections(configuration, counts, unproven) {
            [desync, tells = configuration.tellsDesyncs] in
            guard tells else { return }
            unproven.insert(Array($0.forgotten))
            desync.yield($0)
        }
        inbox = Inbox(Multi(configuration, connections))
        watch = Mutex(
            StallWatch(
                notice: configuration.stallNotice.ticks, limit: configuration.stallLimit.ticks,
                at: ExchangeContext.ticks))
    }

    /// Starts the network thread; fetches begun before wait for it. Must be called once.
    /// - Throws: if the thread cannot be created.
    package func start() throws(SystemError) {
        let started = try WorkerThread("origin") {
            [
                configuration = configuration.withLock(\.self), makeFile, now, inbox, ownListeners, counts,
                heartbeat, pressure,
            ] in
            guard let multi = inbox.multi else { return }
            NetworkLoop(
                multi, inbox,
                ExchangeContext(
                    configuration, makeFile: makeFile, now: now, ownListeners: ownListeners, counts: counts,
                    connections: multi.connections),
                heartbeat, pressure
            ).run()
        }
        thread.withLock { $0 = started }
    }

    /// Fetches one URL, following its redirects. Cancelling the task ends the wait and the transfer at once: the stream is reset
    /// (HTTP/2), or the connection is closed (HTTP/1). But a connection that has served earlier requests stays open if the answer
    /// ends within the limits of `AbandonedTransfer`.
    /// - Throws: the reason, and the URL of the hop that failed.
    package func fetch(_ request: Download) async throws(FailedDownload) -> DownloadReply {
        // The settings name the proxy, so the policy does not apply to it.
        if request.purpose != .proxyConnection, let refusal = refusal(of: request.url) {
            throw FailedDownload(.refused(by: refusal))
        }
        guard counts.enter(limit: configuration.withLock(\.transferLimit)) else {
            throw FailedDownload(.overloaded)
        }
        defer { counts.leave() }

        let ticket = DownloadTicket()
        waiting.withLock { $0[ObjectIdentifier(ticket)] = ticket }
        defer { waiting.withLock { $0[ObjectIdentifier(ticket)] = nil } }
        // The stall is checked after the ticket is entered, so that a stall that begins now finds the ticket.
        if isStalled { throw FailedDownload(.stalled) }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard ticket.wait(with: continuation) else { return }
                if !inbox.post(.start(request, ticket)) {
                    ticket.settle(.failure(FailedDownload(.cancelled)))
                }
            }
        } onCancel: {
            if ticket.settle(.failure(FailedDownload(.cancelled))) { _ = inbox.post(.abandon(ticket)) }
        }
        return try answer.get()
    }

    /// Resolves the URL's host and connects to it with the rules and proxies of a fetch, including TLS, but sends no request and
    /// hangs up.
    package func connect(to url: SourceURL) async throws(FailedDownload) {
        var request = Download(url: url)
        request.purpose = .connection
        _ = try await fetch(request)
    }

    /// Connects to a proxy, sends nothing, and hangs up.
    package func connect(to proxy: OutboundProxy) async throws(FailedDownload) {
        var request = Download(url: proxy.place)
        request.purpose = .proxyConnection
        _ = try await fetch(request)
    }

    /// Reports how many fetches wait for permits. While the number is above 0, slow transfers end as
    /// `.overloaded`, the slowest first. Does not block.
    package func giveWay(to waiting: Int) {
        if pressure.set(waiting) { inbox.wake() }
    }

    /// The present limit of an original, in bytes.
    package var bodyLimit: Int { configuration.withLock(\.bodyLimit) }

    /// The profile for requests to this URL; nil for none. Targets of redirects have profiles of their own.
    package func profile(for url: SourceURL) -> OriginProfile? {
        configuration.withLock { $0.profile(for: url) }
    }

    /// The URL as keys and logs have it. Its origin also gets the parameters that grant access.
    package func keyed(_ url: SourceURL) -> SourceURL { configuration.withLock { $0.keyed(url) } }

    /// The fields that origins get if every request has these fields.
    package func sentFields(_ fields: Fields) -> SentFields {
        configuration.withLock { $0.sentFields(fields) }
    }

    /// Why this URL must not be fetched; nil if it may be tried. The addresses of its host are checked when they are dialled.
    package func refusal(of url: SourceURL) -> SourceRefusal? {
        configuration.withLock { configuration in
            guard url.scheme.isStore else { return configuration.policy.refusal(of: url) }
            guard configuration.namedStore(for: url)?.holds(url) == true else { return .notListed }
            return configuration.policy.denial(of: url)
        }
    }

    /// Applies another configuration, as far as it can change while fetches are under way (`takeLive`): to fetches that begin
    /// from now on, and to later redirects of those under way, which keep their time limits. A kept connection is checked again
    /// before it is used.
    package func replaceConfiguration(with new: OriginConfiguration) {
        configuration.withLock { configuration in
            configuration.takeLive(from: new)
            watch.withLock { [limit = configuration.stallLimit.ticks] in $0.limit = limit }
            // Posted under the lock, so that replacements arrive in their order.
            _ = inbox.post(.configuration(configuration))
        }
    }

    /// Notes that the daemon stops. From now on `look` calls no stall hopeless, because the stop ends the process by itself. Fetches
    /// go on until `shutdown`.
    package func prepareToStop() { watch.withLock { $0.isStopping = true } }

    /// Cancels every fetch, closes every connection, and returns when the thread has ended: after one turn of its loop, or after at
    /// most a second if answers wait for their proof. Then `desyncs` ends. Later fetches are cancelled at once.
    package func shutdown() {
        for case .start(_, let ticket) in inbox.close() {
            ticket.settle(.failure(FailedDownload(.cancelled)))
        }
        thread.withLock { $0.take() }?.join()
        desync.finish()
    }

    /// Totals since the start, and the fetches under way.
    package var counters: DownloadCounters { counts.snapshot }
}

// MARK: The thread's heartbeat

extension Downloader {
    /// True while the network thread is stalled; every fetch then fails at once.
    package var isStalled: Bool { watch.withLock(\.isStalled) }

    /// Checks the thread's heartbeat; nil if its state has not changed. Must be called every
    /// `StallWatch.interval`, on any thread but the network's. When a stall begins, every waiting fetch
    /// fails; its transfer is given up when the thread turns again.
    package func look() -> StallWatch.Event? {
        let now = ExchangeContext.ticks
        let event = watch.withLock { $0.look(lateness: heartbeat.lateness(at: now), at: now) }
        if case .began = event {
            counts.stalls.add(1, ordering: .relaxed)
            for ticket in waiting.withLock({ Array($0.values) })
            where ticket.settle(.failure(FailedDownload(.stalled))) {
                _ = inbox.post(.abandon(ticket))
            }
        }
        return event
    }
}
