// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import SourceURLs
internal import Synchronization

/// The network thread's loop: take commands, let libcurl work, answer finished transfers, give up late ones,
/// wait.
///
/// **Isolation:** made and run on the network thread.
final class NetworkLoop {
    /// The most spare handles that are kept for later fetches; each has a buffer.
    private static let spareLimit = 64
    /// Milliseconds between turns of an idle loop; an unnecessary turn does no harm.
    private static let longestWait: Int64 = 10_000
    /// The most microseconds for which the end waits for the proof of answers.
    private static let longestProof: Ticks = 1_000_000

    private let multi: Multi
    private let inbox: Inbox
    private let context: ExchangeContext
    private let heartbeat: Heartbeat
    private var connections: Connections { multi.connections }
    /// The earliest time at which silence proves a connection's answers.
    private var nextLook = Ticks.max
    private var active: [ObjectIdentifier: Exchange] = [:]
    /// The exchanges in `active` for which nobody waits any more, oldest first.
    private var abandoned: [Exchange] = []
    private var spare: [EasyHandle] = []
    private let pressure: FetchPressure
    /// When slow transfers were last looked for.
    private var lastLook: Ticks = 0

    init(
        _ multi: Multi, _ inbox: Inbox, _ context: ExchangeContext, _ heartbeat: Heartbeat,
        _ pressure: FetchPressure
    ) {
        self.heartbeat = heartbeat
        self.multi = multi
        self.inbox = inbox
        self.pressure = pressure
        self.context = context
    }

    /// Runs until the inbox is closed.
    func run() {
        defer { heartbeat.end() }
        var input: [Int32] = []
        while let commands = inbox.take() {
            heartbeat.turn(at: ExchangeContext.ticks)
            // From 8.9 on, libcurl reads and drops input on a TLS connection that it closes, so the sockets are examined before.
            if !input.isEmpty { _ = connections.lookAtSockets(at: ExchangeContext.ticks, input: input) }
            for command in commands { execute(command) }
            multi.perform()
            while let (exchange, code) = multi.nextFinished() { act(on: exchange, exchange.ended(code)) }
            giveUpOverdue()
            giveWay()
            tryWaiting()
            nextLook = connections.lookAtSockets(at: ExchangeContext.ticks, input: input)
            // libcurl 7.88 tries a name's next address only when it is called again, and after a refused socket only a timer of
            // seconds would wake it.
            let wait = context.takeRefusal() ? 0 : wait
            heartbeat.rest(until: ExchangeContext.ticks + Ticks(wait) * 1000)
            input = multi.poll(milliseconds: wait, watching: connections.watched)
        }
        for exchange in active.values { cut(exchange) }
        if context.configuration.tellsDesyncs { awaitProof() }
    }

    /// Waits for the silence that proves the last answers, and forgets those that stay unproved. This is done because the cache
    /// outlives the process, and the next process cannot look at these connections.
    private func awaitProof() {
        let end = ExchangeContext.ticks + Self.longestProof
        var input = connections.watched
        while true {
            let now = ExchangeContext.ticks
            heartbeat.turn(at: now)
            let next = min(connections.lookAtSockets(at: now, input: input), end)
            guard connections.holdSuspects else { return }
            guard now < end else { return connections.forgetSuspects(at: now) }
            // From 8.9 on, libcurl closes TLS connections in order, which takes further calls.
            multi.perform()
            heartbeat.rest(until: next)
            // Cannot trap: the wait is at most `longestProof`.
            let wait = Int32(max(next - now + 999, 0) / 1000)
            input = multi.poll(milliseconds: wait, watching: connections.watched)
        }
    }

    private func execute(_ command: NetworkCommand) {
        switch command {
        case .start(let request, let ticket):
            guard !ticket.isSettled else { return }
            makeRoom(for: request.url.origin)
            let easy = spare.popLast() ?? EasyHandle(context.configuration, connections)
            let exchange = Exchange(request, ticket, easy, context)
            active[ObjectIdentifier(ticket)] = exchange
            begin(exchange)
        case .abandon(let ticket):
            guard let exchange = active[ObjectIdentifier(ticket)] else { return }
            giveUp(exchange)
        case .configuration(let configuration):
            context.replaceConfiguration(with: configuration)
            multi.limitConnections(by: configuration)
        }
    }

    /// Ends a transfer for which nobody waits: at once or, for the sake of its connection, with the end of its answer.
    private func giveUp(_ exchange: Exchange) {
        guard pressure.count == 0, abandoned.count < AbandonedTransfer.limit,
            exchange.abandon(at: ExchangeContext.ticks)
        else { return cut(exchange) }
        abandoned.append(exchange)
        context.lowerAlarm(to: exchange.alarm)
    }

    private func cut(_ exchange: Exchange) { act(on: exchange, Exchange.givenUp) }

    /// If the origin may have no further connection, a fetch that somebody waits for takes the connection of an abandoned one.
    private func makeRoom(for origin: SourceOrigin) {
        guard let exchange = abandoned.first(where: { $0.origin == origin }),
            active.values.count(where: { $0.origin == origin })
                >= context.configuration.connectionsPerHost
        else { return }
        cut(exchange)
    }

    private func begin(_ exchange: Exchange) {
        guard exchange.beginHop() else { return act(on: exchange, exchange.refusedHop) }
        add(exchange)
    }

    private func add(_ exchange: Exchange) {
        // Adding fails only without memory, which counts as overload.
        if !multi.add(exchange.easy) { act(on: exchange, .done(.failure(FailedDownload(.overloaded)))) }
    }

    private func act(on exchange: Exchange, _ step: Exchange.Step) {
        multi.remove(exchange.easy)
        exchange.leaveHop()
        switch step {
        case .follow:
            begin(exchange)
        case .done(let answer):
            exchange.easy.clear()
            active[ObjectIdentifier(exchange.ticket)] = nil
            if exchange.isAbandoned { abandoned.removeAll { $0 === exchange } }
            // Without transfers there is no deadline for which to wake the thread.
            if active.isEmpty { context.resetAlarm() }
            if spare.count < Self.spareLimit { spare.append(exchange.easy) }
            exchange.ticket.settle(answer)
        }
    }

    /// If a connection to an origin may have become free, makes libcurl try again the fetch that has waited longest for that
    /// origin.
    ///
    /// When a connection becomes free, libcurl (except 8.14 and 8.15) tries only one of all waiting transfers, whatever its host,
    /// and no other if that one cannot use the connection. Without this, fetches from a host that does not answer would delay
    /// those from all others.
    private func tryWaiting() {
        let origins = context.takeMoves()
        guard !origins.isEmpty else { return }
        let waiting = active.values.filter(\.isWaiting)
        for origin in origins {
            let candidates = waiting.filter { $0.origin == origin }
            guard let first = candidates.min(by: { $0.hop.started < $1.hop.started })
            else { continue }
            multi.remove(first.easy)
            add(first)
        }
    }

    /// If a connection that is being made has told nothing for some time, such as one whose TLS handshake hangs, lets one of the
    /// exchanges that wait for it dial anew: the one that has waited longest for that origin. The others go on waiting, because
    /// they can share the new connection if it multiplexes.
    private func stopWaiting(at now: Ticks) {
        let waiting = active.values.filter { $0.patienceEnd < .max }
        let origins = Set(waiting.lazy.filter { $0.patienceEnd <= now }.map(\.origin))
        for origin in origins {
            let others = waiting.filter { $0.origin == origin }
            guard let first = others.min(by: { $0.hop.started < $1.hop.started }) else { continue }
            for exchange in others { exchange.waitOn(since: now) }
            multi.remove(first.easy)
            first.stopWaiting()
            add(first)
        }
    }

    private func giveUpOverdue() {
        let now = ExchangeContext.ticks
        guard now >= context.alarm else { return }
        context.resetAlarm()
        stopWaiting(at: now)
        for exchange in active.values {
            if let step = exchange.overdue(at: now) {
                act(on: exchange, step)
            } else {
                context.lowerAlarm(to: exchange.alarm)
            }
        }
    }

    /// While other fetches wait for permits, ends transfers: the abandoned ones, and the slowest.
    private func giveWay() {
        let (now, waiting) = (ExchangeContext.ticks, pressure.count)
        guard waiting > 0 else { return }
        for exchange in abandoned { cut(exchange) }
        guard now - lastLook >= FetchPressure.interval else { return }
        lastLook = now
        let slow = active.values.compactMap { exchange -> (exchange: Exchange, rate: Int)? in
            guard let rate = exchange.deadlines.rate(at: now, after: FetchPressure.grace),
                rate < FetchPressure.rate
            else { return nil }
            return (exchange, rate)
        }
        for (exchange, _) in slow.sorted(by: { $0.rate < $1.rate }).prefix(waiting) {
            context.counts.gaveWay.add(1, ordering: .relaxed)
            act(on: exchange, exchange.givenWay)
        }
    }

    /// Milliseconds until the alarm, rounded up, because an early turn would find nothing to do.
    private var wait: Int32 {
        var left = min(context.alarm, nextLook) - ExchangeContext.ticks
        if pressure.count > 0 { left = min(left, FetchPressure.interval) }
        // Cannot trap: the result is at most `longestWait`.
        return Int32(min(max((left + 999) / 1000, 0), Self.longestWait))
    }
}
