// SPDX-License-Identifier: Apache-2.0
//
// Landlock (landlock(7)) knows rights of three kinds, more of them with each ABI of the kernel:
//
//     files      from ABI 1: execute, write, read, list, remove and make of each kind; 2: refer; 3: truncate; 5: ioctl
//     network    4: bind, connect (TCP)
//     scopes     6: abstract unix sockets, signals to processes outside
//
// A ruleset that handles a right and grants it nowhere takes it away. Open descriptors keep their rights: the daemon
// opens a job's files and sends them over the socket.

internal import CLinux
internal import Glibc

/// Landlock rulesets, which take rights to files, TCP and other processes from this process.
enum FileRules {
    private static let readFile: UInt64 = 1 << 2
    private static let readFolder: UInt64 = 1 << 3

    /// Allows only reading files: removes the rights to write, make, remove and execute them, to use TCP and
    /// abstract sockets, and to send signals to other processes. False if the kernel refuses.
    static func allowNoWriting() -> Bool {
        guard let known = Rights.known else { return false }
        return restrict(known.without(readFile | readFolder), [])
    }

    /// Allows reading only below these folders; folders that do not exist are skipped. Landlock restricts the
    /// calling thread and its later children, so the result is false if the process has a second thread.
    static func allowReading(only folders: [String]) -> Bool {
        guard Jail.hasOneThread, let known = Rights.known else { return false }
        return restrict(known, folders)
    }

    private static func restrict(_ handled: Rights, _ readable: [String]) -> Bool {
        let ruleset = pictor_landlock_ruleset(handled.files, handled.network, handled.scopes)
        guard ruleset >= 0 else { return false }
        defer { close(ruleset) }
        for path in readable {
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard folder >= 0 else { continue }
            defer { close(folder) }
            guard pictor_landlock_allow(ruleset, folder, readFile | readFolder) == 0 else { return false }
        }
        return pictor_landlock_restrict(ruleset) == 0
    }
}

/// The bits of landlock_ruleset_attr.
private struct Rights {
    var files: UInt64
    var network: UInt64
    var scopes: UInt64

    /// All rights that the running kernel can restrict; nil without Landlock.
    static var known: Rights? {
        let version = pictor_landlock_version()
        guard version >= 1 else { return nil }
        let files = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13
        return Rights(
            files: 1 << files - 1, network: version >= 4 ? 0b11 : 0, scopes: version >= 6 ? 0b11 : 0)
    }

    func without(_ rights: UInt64) -> Rights {
        Rights(files: files & ~rights, network: network, scopes: scopes)
    }
}
