// SPDX-License-Identifier: Apache-2.0

// What the exchange tells `Connections` about its connection, at the end of the answer or of the hop, and what becomes of the
// connection when nobody waits for the answer any more.

extension Exchange {
    /// libcurl reports the end of the answer only after its turn. That is too late, because it may have sent the other request by
    /// then.
    func handedOn(_ connection: Connections.Connection, at now: Ticks) {
        if hop.isWhole, hop.connection === connection { answered(at: now) }
    }

    /// Reports that the connection, if there is one, gave the complete answer.
    func answered(at now: Ticks) {
        guard let connection = hop.connection.take() else { return }
        context.connections.answered(
            connection, request.key, at: now, wait: hop.wait,
            isLast: hop.isConnectionsLast, isExceeded: hop.isExceeded)
    }

    /// Called when the hop is over and the handle is out of the multi.
    func leaveHop() {
        let now = ExchangeContext.ticks
        noteMove()
        hop.dial.leaveLookup(at: now)
        leave(isMalformed: false, at: now)
        for socket in hop.sockets { context.connections.leave(socket) }
        hop.sockets = []
    }

    /// Reports that the connection, if there is one, gave no complete answer.
    func leave(isMalformed: Bool, at now: Ticks) {
        guard let connection = hop.connection.take() else { return }
        let key = hop.head.isComplete && !hop.isDropped ? request.key : nil
        context.connections.broke(connection, key, isMalformed: isMalformed, at: now)
    }

    /// Called when nobody waits for the answer any more. True if the transfer goes on, for the sake of earlier answers over its
    /// connection; false if it must be cut.
    func abandon(at now: Ticks) -> Bool {
        guard !isAbandoned, let step = hop.connection?.step, step.hasAnswered, !step.isMultiplexed else {
            return false
        }
        let abandoned = AbandonedTransfer(
            since: now, for: context.configuration.abandonedTime.ticks)
        if hop.head.isComplete {
            // An answer without a length is limited while it arrives.
            let rest = (easy.announcedLength ?? 0) - (body.count ?? 0)
            guard abandoned.fits(rest) else { return false }
        }
        body.drop()
        self.abandoned = abandoned
        return true
    }
}
