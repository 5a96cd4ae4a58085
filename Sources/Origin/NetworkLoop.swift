// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// The network thread's work: take orders, let libcurl do what can be done, answer what has ended, give up
/// what is late, wait.
///
/// **Isolation:** made and run on the network thread.
final class NetworkLoop {
    /// Handles kept for later; each holds its buffers.
    private static let spareLimit = 64
    /// Milliseconds. Nothing needs the thread when it has nothing to do; it looks around all the same.
    private static let longestWait: Ticks = 10_000

    private let multi: Multi
    private let inbox: Inbox
    private let surroundings: Surroundings
    private let pulse: Pulse
    private var connections: Connections { multi.connections }
    /// When the first silence is long enough.
    private var nextLook = Ticks.max
    private var active: [ObjectIdentifier: Exchange] = [:]
    private var spare: [EasyHandle] = []

    init(_ multi: Multi, _ inbox: Inbox, _ surroundings: Surroundings, _ pulse: Pulse) {
        self.pulse = pulse
        self.multi = multi
        self.inbox = inbox
        self.surroundings = surroundings
    }

    /// Until the inbox is closed.
    func run() {
        defer { pulse.end() }
        var input: [Int32] = []
        while let orders = inbox.take() {
            pulse.turn(at: Surroundings.ticks)
            for order in orders { obey(order) }
            multi.perform()
            while let (exchange, code) = multi.nextFinished() { act(on: exchange, exchange.ended(code)) }
            giveUpOverdue()
            nextLook = connections.tend(at: Surroundings.ticks, input: input)
            // After a socket that was not made, libcurl 7.88 looks at the name's next address only when it is called
            // again, and there is nothing to wake it but a timer of seconds.
            let wait = surroundings.takeRefusal() ? 0 : wait
            pulse.rest(until: Surroundings.ticks + Ticks(wait) * 1000)
            input = multi.poll(milliseconds: wait, watching: connections.watched)
        }
        for exchange in active.values { act(on: exchange, .done(.failure(FailedDownload(.cancelled)))) }
    }

    private func obey(_ order: Order) {
        switch order {
        case .start(let request, let ticket):
            guard !ticket.isSettled else { return }
            let easy = spare.popLast() ?? EasyHandle(surroundings.configuration, connections)
            let exchange = Exchange(request, ticket, easy, surroundings)
            active[ObjectIdentifier(ticket)] = exchange
            begin(exchange)
        case .abandon(let ticket):
            guard let exchange = active[ObjectIdentifier(ticket)] else { return }
            act(on: exchange, .done(.failure(FailedDownload(.cancelled))))
        }
    }

    private func begin(_ exchange: Exchange) {
        guard exchange.beginHop() else { return act(on: exchange, exchange.refusedHop) }
        // Fails only without memory: the least that can be said is that it is too much at the moment.
        if !multi.add(exchange.easy) { act(on: exchange, .done(.failure(FailedDownload(.overloaded)))) }
    }

    private func act(on exchange: Exchange, _ step: Exchange.Step) {
        multi.remove(exchange.easy)
        exchange.letGo()
        switch step {
        case .follow:
            begin(exchange)
        case .done(let answer):
            exchange.easy.clear()
            active[ObjectIdentifier(exchange.ticket)] = nil
            if spare.count < Self.spareLimit { spare.append(exchange.easy) }
            exchange.ticket.settle(answer)
        }
    }

    private func giveUpOverdue() {
        let now = Surroundings.ticks
        guard now >= surroundings.alarm else { return }
        surroundings.resetAlarm()
        for exchange in active.values {
            if let step = exchange.overdue(at: now) {
                act(on: exchange, step)
            } else {
                surroundings.lowerAlarm(to: exchange.deadlines.next)
            }
        }
    }

    /// Milliseconds to the alarm, rounded up: one too early would find nothing late.
    private var wait: Int32 {
        let left = min(surroundings.alarm, nextLook) - Surroundings.ticks
        // Cannot trap: no more than the longest wait.
        return Int32(min(max((left + 999) / 1000, 0), Self.longestWait))
    }
}
