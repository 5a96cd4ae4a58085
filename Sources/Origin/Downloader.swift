// SPDX-License-Identifier: Apache-2.0
//
//   fetch ──order──▶ Inbox ──wake──▶ NetworkLoop ──▶ Multi (libcurl) ──callbacks──▶ Exchange
//     ▲                                                                                │
//     └───────────────────────── Ticket ◀──────────────── answer ◀─────────────────────┘
//
// One thread does all network input and output. A small picture takes some 100 µs of it, hash and file
// included, so it carries thousands of fetches a second, far more than the other cores can decode.

internal import Glibc
package import HTTPSemantics
package import ImageModel
package import Kernel
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
        inbox = Inbox(Multi(configuration))
    }

    /// Starts the network thread; fetches begun before wait for it. To be called once.
    package func start() throws(SystemError) {
        let started = try WorkerThread("origin") {
            [configuration, makeFile, now, inbox, ownListeners, tally] in
            guard let multi = inbox.multi else { return }
            NetworkLoop(
                multi, inbox,
                Surroundings(
                    configuration, makeFile: makeFile, now: now, ownListeners: ownListeners, tally: tally)
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

        let ticket = Ticket()
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

    /// Nil: may be tried. What its name stands for is judged when it is dialled.
    package func refusal(of url: SourceURL) -> Refusal? { configuration.policy.refusal(of: url) }

    /// Cancels every fetch, closes every connection, and returns when the thread has ended, which takes one
    /// turn of its loop. Fetches after that are cancelled at once.
    package func shutdown() {
        for case .start(_, let ticket) in inbox.close() {
            ticket.settle(.failure(FailedDownload(.cancelled)))
        }
        thread.withLock { $0.take() }?.join()
    }

    package var counters: DownloadCounters { tally.counters }
}
