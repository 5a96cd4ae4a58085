// SPDX-License-Identifier: Apache-2.0

package import Fleet
package import Logging

extension RedisEvent {
    package func log(to logger: Logger) {
        switch self {
        case .away(let reason):
            logger.error("the fleet's Redis is away", metadata: ["why": "\(reason)"])
        case .back(let address):
            logger.notice("the fleet's Redis is back", metadata: ["address": "\(address)"])
        }
    }
}

extension NewsEvent {
    package func log(to logger: Logger) {
        switch self {
        case .gap(let reason):
            logger.warning(
                "this node does not know all of the fleet's purges: all that is held is confirmed anew",
                metadata: ["why": "\(reason.rawValue)"])
        case .reading(let reason):
            logger.error(
                "purges of other nodes are not carried out", metadata: ["why": "\(reason)"])
        case .unwritten(let reason):
            logger.error(
                "purges of other nodes are carried out, but not on disk: a restart carries them out again",
                metadata: ["why": "\(reason)"])
        case .sending(let reason):
            logger.error(
                "purges of this node wait: Redis does not take them", metadata: ["why": "\(reason)"])
        case .outboxDamaged(let path):
            logger.error(
                "a purge of this node that waited for Redis cannot be read: all nodes have everything confirmed",
                metadata: ["path": "\(path)"])
        case .nameShared:
            logger.warning(
                "a purge under this node's name is not its own: this node takes another name",
                metadata: ["why": "its files were copied to another node, or replaced by older ones"])
        case .lost(let purges):
            logger.warning(
                "Redis has lost purges of this node that it had taken: they are ordered once more",
                metadata: ["purges": "\(purges)"])
        case .caughtUp(let purges):
            logger.info(
                "purges that this node missed while it was away are carried out",
                metadata: ["purges": "\(purges)"])
        case .catchingUp(let purges):
            logger.notice(
                "purges that this node missed while it was away are being carried out: nothing is served before that",
                metadata: ["purges": "\(purges)"])
        case .behind(isSilent: false):
            logger.warning(
                "purges that this node missed while it was away cannot be carried out: what is held is served until they are"
            )
        case .behind(isSilent: true):
            logger.warning(
                "the fleet's Redis does not tell what was purged meanwhile: what is held is served until it does"
            )
        }
    }
}
