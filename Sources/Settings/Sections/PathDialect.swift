// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar

/// The settings of a dialect whose URLs have the source and options in the path.
package struct PathDialect: Sendable {
    /// The dialect's name, which is also the name of its settings' group.
    package let name: DialectName
    /// True if the dialect's URLs are answered.
    package let isServed: Bool
    /// Where the dialect's URLs begin; nil for a malformed setting, which the loader refuses.
    package let place: PathPlace?
    /// True if the first segment below the place is the signature.
    let beginsWithSignature: Bool
}

extension Settings {
    /// All such dialects.
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

    /// Sentences about enabled dialects that have the same place.
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

    /// Sentences about dialects that are disabled although they have settings, which have no effect then.
    var idleDialects: [String] {
        pathDialects.filter { !$0.isServed }.compactMap { dialect in
            let group = dialect.name.rawValue
            let idle = Setting.table.first { $0.group == group && $0.isSet(self) }
            return idle.map { "\($0.key) is set, and \(group).enabled is not" }
        }
    }

    /// The places below which paths begin with a signature. Logs hide it while `log.redact` contains `signature`.
    package var signedPlaces: [PathPlace] {
        guard log.redact.contains(where: { $0.lowercased() == "signature" }) else { return [] }
        return pathDialects.filter { $0.isServed && $0.beginsWithSignature }.compactMap(\.place)
    }

    /// The places of dialects whose paths do not begin with a signature. They may lie below places of dialects whose paths do.
    package var openPlaces: [PathPlace] {
        pathDialects.filter { $0.isServed && !$0.beginsWithSignature }.compactMap(\.place)
    }
}
