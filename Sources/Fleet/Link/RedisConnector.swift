// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Finds the Redis that takes commands, and logs in: the first address that answers, or the master that a Sentinel names, or the
/// node of a Cluster to which `MOVED` has led. If the configured address uses TLS, so does the address to which it leads.
///
/// **Isolation:** the link's thread.
struct RedisConnector: Sendable {
    private let configuration: RedisConfiguration
    private let wakeup: Wakeup

    init(_ configuration: RedisConfiguration, _ wakeup: Wakeup) {
        self.configuration = configuration
        self.wakeup = wakeup
    }

    /// Tries one address after the other; asks each Sentinel for its master. Blocks.
    /// - Parameters:
    ///   - moved: the node that `MOVED` has named, which is tried in place of the addresses.
    ///   - turn: the index of the address that is tried first, modulo their number.
    func connect(
        to moved: RedisAddress?, from turn: Int, _ abort: RedisSocket.AbortCheck
    ) throws(RedisFailure) -> RedisSession {
        if let moved { return try greet(moved, abort) }
        let addresses = configuration.addresses
        var failure = RedisFailure.away("no address")
        for offset in addresses.indices {
            guard !abort.isDue() else { throw .closed }
            // Cannot trap: the loop runs only if there is an address.
            let address = addresses[(turn + offset) % addresses.count]
            do throws(RedisFailure) {
                return try greet(try master(by: address, abort) ?? address, abort)
            } catch {
                if case .closed = error { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// The master that a Sentinel names; nil if the configuration has no Sentinels.
    private func master(by sentinel: RedisAddress, _ abort: RedisSocket.AbortCheck) throws(RedisFailure)
        -> RedisAddress?
    {
        guard let name = configuration.sentinel else { return nil }
        let session = try RedisSession(sentinel, configuration, abort: abort)
        let replies = try session.ask(
            [["SENTINEL", "get-master-addr-by-name", name]], within: configuration.commandTimeout,
            wakeup: wakeup, abort: abort)
        guard let parts = replies.first?.elements, parts.count == 2, let host = parts[0].string,
            let port = parts[1].string, !host.isEmpty,
            let master = RedisAddress(moved: "\(host):\(port)", from: sentinel)
        else { throw .away("\(sentinel.words) knows no master \(name)") }
        return master
    }

    /// Connects and logs in.
    private func greet(_ address: RedisAddress, _ abort: RedisSocket.AbortCheck) throws(RedisFailure)
        -> RedisSession
    {
        let session = try RedisSession(address, configuration, abort: abort)
        var commands: [RedisCommand] = []
        if !configuration.password.isEmpty {
            commands.append(
                RedisCommand(
                    ["AUTH"] + (configuration.user.isEmpty ? [] : [configuration.user])
                        + [configuration.password]))
        }
        if address.database != 0 { commands.append(["SELECT", "\(address.database)"]) }
        if configuration.sentinel != nil { commands.append(["ROLE"]) }
        commands.append(["PING"])
        let replies = try session.ask(
            commands, within: configuration.commandTimeout, wakeup: wakeup, abort: abort)
        guard replies.last?.string == "PONG" else { throw .away("\(address.words) is no Redis") }
        if configuration.sentinel != nil {
            // A Sentinel may name a node that is not the master any more.
            guard let role = replies.dropLast().last?.elements?.first?.string, role == "master" else {
                throw .away("\(address.words) is no master")
            }
        }
        return session
    }
}
