// SPDX-License-Identifier: Apache-2.0
//
//   fetch ──order──▶ Inbox ──wake──▶ NetworkLoop ──▶ Multi (libcurl) ──callbacks──▶ Exchange
//     ▲                                                                                │
//     └────────────────────── DownloadTicket ◀──────────── answer ◀────────────────────┘
//
// One thread does all network input and output. A small picture takes some 100 µs of it, hash and file
// included, so it carries thousands of fetches a second, far more than the other cores can decode.

internal import Glibc
package import HTTPSemantics
package import Kernel
package import SourceURLs
internal import Synchronization

/// The shared downloader: GETs over libcurl's multi interface, redirects followed hop by hop, bodies to
/// files.
///
/// **Isolation:** its parts have their own; the thread is guarded by a `Mutex`.
package final class Downloader: Sendable {
    private let configuration: OriginConfiguration
    private let makeFile: @Sendable () throws(SystemError) -> OwnedDescriptor
    private let now: @Sendable () -> Timestamp
    private let inbox: Inbox
    /// To be filled before anybody can ask for something to be fetched.
    package let ownListeners = OwnListeners()
    private let tally = Tally()
    private let pressure = Pressure()
    /// Whoever keeps what was fetched forgets it. One reader; it ends with `shutdown`.
    package let losses: AsyncStream<StepLoss>
    private let loss: AsyncStream<StepLoss>.Continuation
    private let pulse = Pulse()
    private let watch: Mutex<StallWatch>
    /// Of the fetches whose callers wait: all are told when the thread does not turn.
    private let waiting = Mutex<[ObjectIdentifier: DownloadTicket]>([:])
    private let thread = Mutex<WorkerThread?>(nil)

    /// `makeFile` gives an empty file that can be written, such as an O_TMPFILE in the store's own file
    /// system. It is called on the network thread, as is `now`.
    package init(
        _ configuration: OriginConfiguration,
        makeFile: @escaping @Sendable () throws(SystemError) -> OwnedDescriptor,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.configuration = configuration
        self.makeFile = makeFile
        self.now = now
        (losses, loss) = AsyncStream.makeStream()
        let connections = Connections(configuration, tally) { [loss] in loss.yield($0) }
        inbox = Inbox(Multi(configuration, connections))
        watch = Mutex(
            StallWatch(
                notice: configuration.stallNotice.ticks, limit: configuration.stallLimit.ticks,
                at: Surroundings.ticks))
    }

    /// Starts the network thread; fetches begun before wait for it. To be called once.
    package func start() throws(SystemError) {
        let started = try WorkerThread("origin") {
            [configuration, makeFile, now, inbox, ownListeners, tally, pulse, pressure] in
            guard let multi = inbox.multi else { return }
            NetworkLoop(
                multi, inbox,
                Surroundings(
                    configuration, makeFile: makeFile, now: now, ownListeners: ownListeners, tally: tally,
                    connections: multi.connections),
                pulse, pressure
            ).run()
        }
        thread.withLock { $0 = started }
    }

    /// One GET with its redirects. Cancelling the task ends the transfer at once, and the origin sees its
    /// connection close (HTTP/1) or its stream reset (HTTP/2).
    package func fetch(_ request: Download) async throws(FailedDownload) -> DownloadReply {
        if let refusal = refusal(of: request.url) { throw FailedDownload(.refused(by: refusal)) }
        guard tally.enter(limit: configuration.transferLimit) else {
            throw FailedDownload(.overloaded)
        }
        defer { tally.leave() }

        let ticket = DownloadTicket()
        waiting.withLock { $0[ObjectIdentifier(ticket)] = ticket }
        defer { waiting.withLock { $0[ObjectIdentifier(ticket)] = nil } }
        // Looked at behind the entry: a stall that begins now finds the ticket.
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

    /// So many wait for slots that others hold: as long as that is so, transfers that are slow are ended as `.overloaded`, the
    /// slowest first. Does not wait.
    package func giveWay(to waiting: Int) {
        if pressure.set(waiting) { inbox.wake() }
    }

    /// Nil: may be tried. What its name stands for is judged when it is dialled.
    package func refusal(of url: SourceURL) -> Refusal? { configuration.policy.refusal(of: url) }

    /// Cancels every fetch, closes every connection, and returns when the thread has ended, which takes one
    /// turn of its loop. Fetches after that are cancelled at once.
    package func shutdown() {
        for case .start(_, let ticket) in inbox.close() {
            ticket.settle(.failure(FailedDownload(.cancelled)))
        }
        thread.withLock { $0.take() }?.join()
        loss.finish()
    }

    package var counters: DownloadCounters { tally.counters }
}

// MARK: The thread's pulse

extension Downloader {
    package var isStalled: Bool { watch.withLock(\.isStalled) }

    /// To be asked every `StallWatch.interval`, on any thread but the network's. Where a stall begins, every
    /// fetch that waits fails; its transfer ends when the thread turns again.
    package func look() -> StallWatch.Event? {
        let now = Surroundings.ticks
        let event = watch.withLock { $0.look(lateness: pulse.lateness(at: now), at: now) }
        if case .began = event {
            tally.stalls.add(1, ordering: .relaxed)
            for ticket in waiting.withLock({ Array($0.values) })
            where ticket.settle(.failure(FailedDownload(.stalled))) {
                _ = inbox.post(.abandon(ticket))
            }
        }
        return event
    }
}
