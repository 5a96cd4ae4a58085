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
    private var active: [ObjectIdentifier: Exchange] = [:]
    private var spare: [EasyHandle] = []

    init(_ multi: Multi, _ inbox: Inbox, _ surroundings: Surroundings) {
        self.multi = multi
        self.inbox = inbox
        self.surroundings = surroundings
    }

    /// Until the inbox is closed.
    func run() {
        while let orders = inbox.take() {
            for order in orders { obey(order) }
            multi.perform()
            while let (exchange, code) = multi.nextFinished() { act(on: exchange, exchange.ended(code)) }
            giveUpOverdue()
            // After a socket that was not made, libcurl 7.88 looks at the name's next address only when it is called
            // again, and there is nothing to wake it but a timer of seconds.
            multi.poll(milliseconds: surroundings.takeRefusal() ? 0 : wait)
        }
        for exchange in active.values { act(on: exchange, .done(.failure(FailedDownload(.cancelled)))) }
    }

    private func obey(_ order: Order) {
        switch order {
        case .start(let request, let ticket):
            guard !ticket.isSettled else { return }
            let easy = spare.popLast() ?? EasyHandle(surroundings.configuration)
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
        let left = surroundings.alarm - Surroundings.ticks
        return Int32(min(max((left + 999) / 1000, 0), Self.longestWait))
    }
}
