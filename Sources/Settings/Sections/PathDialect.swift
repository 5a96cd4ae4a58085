// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar

/// A dialect that says everything in its path, as it is set.
package struct PathDialect: Sendable {
    /// The dialect's name, which is that of its settings too.
    package let name: DialectName
    /// Whether its URLs are answered.
    package let isServed: Bool
    /// Where its URLs are; nil for a setting that is no place, which the loader refuses.
    package let place: PathPlace?
    /// Whether the first segment below the place is the signature.
    package let beginsWithSignature: Bool
}

extension Settings {
    /// The list of these dialects.
    package var pathDialects: [PathDialect] {
        [
            PathDialect(
                name: .cloudflare, isServed: cloudflare.enabled, place: Cloudflare.place,
                beginsWithSignature: false),
            PathDialect(
                name: .imgproxy, isServed: imgproxy.enabled, place: PathPlace(imgproxy.path),
                beginsWithSignature: true),
            PathDialect(
                name: .thumbor, isServed: thumbor.enabled, place: PathPlace(thumbor.path),
                beginsWithSignature: true),
            PathDialect(
                name: .imagor, isServed: imagor.enabled, place: PathPlace(imagor.path),
                beginsWithSignature: true),
        ]
    }

    /// Two dialects that are served cannot have one place.
    var repeatedPlaces: [String] {
        var list: [String] = []
        var seen: [PathPlace: DialectName] = [:]
        for dialect in pathDialects where dialect.isServed {
            guard let place = dialect.place else { continue }
            guard let earlier = seen.updateValue(dialect.name, forKey: place) else { continue }
            list.append(
                "\(earlier) and \(dialect.name) are both on, and both read what is below \(place.text)")
        }
        return list
    }

    /// Dialects that are off although something is set of them, which has no effect.
    var idleDialects: [String] {
        pathDialects.filter { !$0.isServed }.compactMap { dialect in
            let group = dialect.name.rawValue
            let idle = Setting.table.first { $0.group == group && $0.isSet(self) }
            return idle.map { "\($0.key) is set, and \(group).enabled is not" }
        }
    }

    /// Where paths begin with a signature, which no log shows while `log.redact` names `signature`.
    package var signedPlaces: [PathPlace] {
        guard log.redact.contains(where: { $0.lowercased() == "signature" }) else { return [] }
        return pathDialects.filter { $0.isServed && $0.beginsWithSignature }.compactMap(\.place)
    }

    /// Where paths of a dialect without them are, which may lie below those.
    package var openPlaces: [PathPlace] {
        pathDialects.filter { $0.isServed && !$0.beginsWithSignature }.compactMap(\.place)
    }
}
