// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Stores

extension SharedStoreEvent {
    /// Logs the event. Each damaged object has a line of its own, because an operator looks for its name.
    package func log(to logger: Logger) {
        switch self {
        case .damaged(let name):
            logger.warning(
                "an object of the shared store is damaged, and counts as missing",
                metadata: ["object": "\(name)"])
        case .reads(let kinds, let reason?):
            logger.error(
                "the shared store is not read for a while",
                metadata: ["objects": "\(Self.words(kinds))", "why": "\(reason)"])
        case .reads(let kinds, nil):
            logger.notice(
                "the shared store is read again", metadata: ["objects": "\(Self.words(kinds))"])
        case .writes(let reason?):
            logger.error("the shared store is not written to for a while", metadata: ["why": "\(reason)"])
        case .writes(nil): logger.notice("the shared store is written to again")
        case .noWriter:
            logger.error(
                "no libcurl handle for a writer of the shared store: tried again every second")
        case .purgeFailed(let reason):
            logger.error(
                "the shared store did not delete what was purged: other nodes may read it back",
                metadata: ["why": "\(reason)"])
        case .recordDamaged(let path):
            logger.error(
                "the record of purges is damaged: nothing older is read back from the shared store",
                metadata: ["path": "\(path)"])
        }
    }

    private static func words(_ kinds: [ObjectKind]) -> String {
        let words = kinds.map { kind in
            switch kind {
            case .entry: "entries"
            case .original: "originals"
            case .rendition: "renditions"
            }
        }
        return words.sorted().joined(separator: ", ")
    }
}
