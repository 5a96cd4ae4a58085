// SPDX-License-Identifier: Apache-2.0

internal import Foundation

// MARK: TLS

extension RedisServer {
    /// False where the program of this machine was built without TLS.
    package static let speaksTLS: Bool = {
        // It names the first line that it does not know.
        let refusal = try? Program.run([
            "redis-server", "--tls-replication", "no", "--no-such-setting", "x",
        ])
        return refusal?.output.contains("no-such-setting") == true
    }()

    /// Where it speaks TLS, with clients, replicas and the other nodes of a Cluster.
    struct SecurePort: Sendable {
        let certificate: ServerCertificate
        private let port: ReservedPort
        var number: UInt16 { port.number }

        init(_ certificate: ServerCertificate) throws {
            self.certificate = certificate
            port = try ReservedPort()
        }

        var flags: [String] {
            [
                "--tls-port", "\(number)", "--tls-cert-file", certificate.certificate, "--tls-key-file",
                certificate.key, "--tls-ca-cert-file", certificate.certificate, "--tls-auth-clients", "no",
                "--tls-replication", "yes",
            ]
        }
    }
}

// MARK: Sentinel

extension RedisServer {
    /// The port for replicas and Sentinels.
    private var ofOthers: UInt16 { secure?.number ?? port }

    /// A server that copies this one, once it has everything; by TLS where this one speaks it.
    package func replica(flags: [String] = []) throws -> RedisServer {
        // Else it waits for five seconds, for other replicas to come.
        try cli("CONFIG", "SET", "repl-diskless-sync-delay", "0")
        let replica = try RedisServer(
            flags: ["--replicaof", "127.0.0.1", "\(ofOthers)"] + flags, certificate: secure?.certificate)
        let isCopied = try Patience.until {
            try replica.cli("INFO", "replication")?.contains("master_link_status:up") == true
        }
        guard isCopied else { throw POSIXError(.ETIMEDOUT) }
        return replica
    }

    /// A Sentinel that watches this server by a name, and is enough to make a replica its successor; once it knows one. It takes
    /// no silence for death before `expectsDeath`: a busy machine may keep a server silent as well.
    package func sentinel(named name: String) throws -> RedisServer {
        let sentinel = try RedisServer(
            sentinel: [
                "sentinel monitor \(name) 127.0.0.1 \(ofOthers) 1",
                "sentinel down-after-milliseconds \(name) 3600000",
                "sentinel failover-timeout \(name) 3000", "",
            ], certificate: secure?.certificate)
        let knowsReplica = try Patience.until {
            try sentinel.cli("SENTINEL", "REPLICAS", name)?.contains("\nslave") == true
        }
        guard knowsReplica else { throw POSIXError(.ETIMEDOUT) }
        return sentinel
    }

    /// Has this Sentinel take the server of that name for dead once it has been silent for two seconds.
    package func expectsDeath(of name: String) throws {
        try cli("SENTINEL", "SET", name, "down-after-milliseconds", "2000")
    }
}

// MARK: Cluster

/// A Cluster of three masters, each with a third of the slots.
package struct RedisCluster: Sendable {
    package let servers: [RedisServer]
    /// Where they speak with each other.
    private let buses: [ReservedPort]

    /// Starts it, and waits until all of it is there: two seconds, for which each master waits.
    /// - Parameter flags: settings of each server, one by one.
    package init(_ certificate: ServerCertificate? = nil, flags: [String] = []) throws {
        buses = try (0..<3).map { _ in try ReservedPort() }
        servers = try buses.map { bus in
            try RedisServer(
                flags: ["--cluster-enabled", "yes", "--cluster-port", "\(bus.number)"]
                    + (certificate == nil ? [] : ["--tls-cluster", "yes"]) + flags,
                certificate: certificate)
        }
        let slots = [(0, 5_460), (5_461, 10_922), (10_923, 16_383)]
        for (index, server) in servers.enumerated() {
            try server.cli("CLUSTER", "ADDSLOTSRANGE", "\(slots[index].0)", "\(slots[index].1)")
            try server.cli("CLUSTER", "SET-CONFIG-EPOCH", "\(index + 1)")
            if index > 0 {
                try servers[0].cli(
                    "CLUSTER", "MEET", "127.0.0.1", "\(server.secure?.number ?? server.port)",
                    "\(buses[index].number)")
            }
        }
        let isWhole = try Patience.until {
            try servers.allSatisfy { server in
                let info = try server.cli("CLUSTER", "INFO") ?? ""
                return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:3")
                    && info.contains("cluster_slots_ok:16384")
            }
        }
        guard isWhole else { throw POSIXError(.ETIMEDOUT) }
    }

    /// The place among `servers` of the one that has a key's slot.
    package func owner(of key: String) throws -> Int? {
        try servers.firstIndex { try $0.cli("EXISTS", key)?.contains("MOVED") == false }
    }

    /// What a server says to a command of CLUSTER.
    private func word(_ server: Int, _ words: String...) throws -> String {
        let text = try servers[server].run(["CLUSTER"] + words)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    }

    /// Begins to move the slot of a key. The keys that it has stay where they are; all others are the target's from now on.
    package func begin(movingSlotOf key: String, from owner: Int, to target: Int) throws {
        let slot = try word(target, "KEYSLOT", key)
        let (node, former) = (try word(target, "MYID"), try word(owner, "MYID"))
        try servers[target].cli("CLUSTER", "SETSLOT", slot, "IMPORTING", former)
        try servers[owner].cli("CLUSTER", "SETSLOT", slot, "MIGRATING", node)
    }

    /// Ends such a move, with the keys that are still at the owner.
    package func end(movingSlotOf key: String, from owner: Int, to target: Int) throws {
        let slot = try word(target, "KEYSLOT", key)
        let keys = try word(owner, "GETKEYSINSLOT", slot, "1000").split(whereSeparator: \.isNewline)
        try servers[owner].run(
            ["MIGRATE", "127.0.0.1", "\(servers[target].port)", "", "0", "10000", "KEYS"]
                + keys.map(String.init))
        let node = try word(target, "MYID")
        for server in [target, owner] {
            try servers[server].cli("CLUSTER", "SETSLOT", slot, "NODE", node)
        }
    }

    /// Gives the slot of a key to another server. All that the slot has is lost.
    package func move(slotOf key: String, to target: Int) throws {
        let slot = try word(target, "KEYSLOT", key)
        let node = try word(target, "MYID")
        guard let owner = try owner(of: key), owner != target else { return }
        let former = try word(owner, "MYID")
        try servers[owner].cli("FLUSHALL")
        // From an import it gets an epoch by which it is believed.
        try servers[target].cli("CLUSTER", "SETSLOT", slot, "IMPORTING", former)
        try servers[target].cli("CLUSTER", "SETSLOT", slot, "NODE", node)
        for server in servers { try server.cli("CLUSTER", "SETSLOT", slot, "NODE", node) }
    }
}
