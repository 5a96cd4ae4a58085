package import HTTPCaching
package import HTTPSemantics
import ImageModel
// interim
package struct AcceptClass: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let avif = AcceptClass(rawValue: 1)
    package static let webp = AcceptClass(rawValue: 2)
}
package struct CachingPolicy: Sendable { package init() {}
  package var f: Freshness? { nil } }
package enum FreshState { case fresh, staleWhileRevalidate, staleIfError, stale }
extension Freshness {
    package func state(at now: Timestamp) -> FreshState {
        let age = Int64(initialAge) + max(0, (now.milliseconds - responseTime.milliseconds) / 1000)
        let over = age - Int64(lifetime)
        if over < 0 && !flags.contains(.alwaysValidate) { return .fresh }
        if flags.contains(.mustRevalidate) || flags.contains(.alwaysValidate) { return .stale }
        if over < Int64(staleWhileRevalidate) { return .staleWhileRevalidate }
        return over < Int64(staleIfError) ? .staleIfError : .stale
    }
}
extension Recipe {
    func resolvingAuto(accepted: AcceptClass, header: ImageHeader) -> Recipe {
        var copy = self
        if output == .auto { copy.output = .format(accepted.contains(.avif) ? .avif : accepted.contains(.webp) ? .webp : .jpeg) }
        return copy
    }
}
struct Assessment { var isStorable: Bool; var freshness: Freshness; var validators: Validators }
func field(_ fields: Fields, _ name: String) -> Int32? {
    for part in (fields["Cache-Control"] ?? "").split(separator: ",") {
        let p = part.split(separator: "=")
        if p[0].filter({ $0 != " " }) == name { return p.count > 1 ? Int32(p[1]) ?? 0 : 1 }
    }
    return nil
}
func assess(_ fields: Fields, _ time: Timestamp, held: Freshness?) -> Assessment {
    var flags: Freshness.Flags = []
    if field(fields, "no-cache") != nil { flags.insert(.alwaysValidate) }
    if field(fields, "must-revalidate") != nil { flags.insert(.mustRevalidate) }
    return Assessment(isStorable: field(fields, "no-store") == nil, freshness: Freshness(responseTime: time, initialAge: 0, lifetime: field(fields, "max-age") ?? held?.lifetime ?? 0, staleWhileRevalidate: field(fields, "stale-while-revalidate") ?? 0, staleIfError: field(fields, "stale-if-error") ?? 0, flags: flags), validators: Validators(entityTag: fields["ETag"], lastModified: fields["Last-Modified"]))
}
