// SPDX-License-Identifier: Apache-2.0
//
//     the rules become B                              the file
//                                                     [A]
//     they are noted                                  [A, B]
//     they are in force: originals come by them
//     what came by A and not by B is in doubt
//     that is on the disk                             [B]
//
// A crash in between, or an index that does not take the doubt, leaves both: the next start or reload raises it again. A start goes
// the same way, by the rules that it finds. So does a folder that takes the place of the first one while the daemon runs.

internal import Dispatch
internal import Foundation
internal import Kernel
internal import Logging
internal import Pipeline
internal import Synchronization

/// The rules for origins under which the cache's originals may have been fetched, in a file beside the cache. A start reads it, and
/// so finds out what has been closed meanwhile.
///
/// **Isolation:** the rules in a `Mutex`; the state of the file in another, which is held while the disk is waited for.
final class FormerRules: Sendable {
    /// Bytes of a file that is read: far more than any that is written.
    private static let largest = 4 << 20
    /// Seconds that the file is waited for.
    private static let patience = 3

    /// What the file has.
    private struct File: Sendable {
        /// Nil if it cannot be read.
        var rules: Set<OriginRules>?
        /// Nil if there is none.
        var identity: FileIdentity?

        init(_ path: String) {
            identity = FileIdentity(at: path)
            do throws(SystemError) {
                guard let text = try StateFile.read(path, largest: FormerRules.largest) else {
                    rules = []
                    return
                }
                rules = try? JSONDecoder().decode(Set<OriginRules>.self, from: Data(text.utf8))
            } catch {
                rules = nil
            }
        }
    }

    private let path: String
    /// Nil where the file cannot be read: all that is held is in doubt.
    private let known: Mutex<Set<OriginRules>?>
    private let written: Mutex<File>
    private let logger: Logger

    /// Reads the file. Where there is none, nothing is known and nothing in doubt: the cache is new, or an earlier version's.
    init(folder: String, logger: Logger) {
        path = LastingFile.Name.originRules.path(in: folder)
        let found = File(path)
        known = Mutex(found.rules)
        written = Mutex(found)
        self.logger = logger
    }

    /// To be called before an original may come by these rules.
    func note(_ rules: OriginRules) async {
        known.withLock { _ = $0?.insert(rules) }
        await save()
    }

    /// Marks the held originals that these rules might refuse today: each is served only once its origin has confirmed it. One
    /// that is being fetched meanwhile is not kept. To be called once the rules are in force.
    func doubt(by rules: OriginRules, in pipeline: Pipeline<Body>) async {
        do throws(IndexUnreadable) {
            for selection in doubted(by: rules) {
                var order = PurgeOrder(selection, isSoft: true)
                order.isStrict = true
                _ = try await pipeline.purge(order)
            }
        } catch {
            logger.error(
                "the cache may still serve pictures from places that the settings no longer allow: purge them",
                metadata: ["cause": "\(error)"])
            return
        }
        known.withLock { $0 = [rules] }
        await save()
    }

    /// To be called when a folder has taken the place of the former one, or is back. True if all that it holds has to be
    /// confirmed. Afterwards its file has the rules in force, and beside them its own, if those leave anything in doubt. Blocks.
    func doubtOpened() -> Bool {
        let file = File(path)
        let isInDoubt = known.withLock { known -> Bool in
            guard let found = file.rules, let rules = known else {
                known = nil
                return true
            }
            let isInDoubt = rules.contains { rule in found.contains { !rule.doubted(since: $0).isEmpty } }
            if isInDoubt { known = rules.union(found) }
            return isInDoubt
        }
        // As long as `save` waits. The lock may be held by a thread that waits for the former folder.
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            self.write(over: file)
            end.signal()
        }
        _ = end.wait(timeout: .now() + .seconds(Self.patience))
        return isInDoubt
    }

    private func doubted(by rules: OriginRules) -> Set<PurgeSelection> {
        guard let known = self.known.withLock({ $0 }) else { return [.all] }
        let doubted = Set(known.flatMap { rules.doubted(since: $0) })
        return doubted.contains(.all) ? [.all] : doubted
    }

    /// Waits so long at most: the disk may hang, and writes it then when it answers.
    private func save() async { await onOwnThread(atMost: .seconds(Self.patience)) { self.write() } }

    /// - Parameter file: the contents of the file of another folder; nil if the file is the one that was written last.
    private func write(over file: File? = nil) {
        let failure = written.withLock { written -> SystemError? in
            if let file { written = file }
            if let there = FileIdentity(at: path), there != written.identity { moveIn(&written) }
            guard let known = self.known.withLock({ $0 }), known != written.rules,
                let text = try? JSONEncoder().encode(known)
            else { return nil }
            do throws(SystemError) {
                try StateFile.replace(
                    path, with: String(decoding: text, as: UTF8.self), over: &written.identity)
            } catch {
                return error
            }
            written.rules = known
            return nil
        }
        guard let failure else { return }
        logger.warning(
            "the present rules for origins cannot be saved: after a restart that closes networks, held pictures from there are not known",
            metadata: ["cause": "\(failure)"])
    }

    /// Another folder has taken the place of the file's, and the cache has not noticed that yet: what it holds may have come by the
    /// rules in its file as well.
    private func moveIn(_ written: inout File) {
        written = File(path)
        let there = written.rules
        known.withLock { known in known = known.flatMap { rules in there.map { rules.union($0) } } }
    }
}
