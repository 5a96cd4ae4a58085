// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics
internal import RequestGrammar

extension HintRules {
    /// The needs that these fields of a client name.
    func needs(of fields: Fields) -> ClientNeeds {
        needs(of: ClientHints { fields.combined($0.rawValue) })
    }

    /// The needs that the client's hints name, from the event loop's buffer.
    func needs(of request: borrowing RequestView) -> ClientNeeds {
        var values: [HintField: String] = [:]
        for (hint, field) in Self.known where request.head.has(field) {
            // Several lines are joined as in `Fields`, so that both readers find the same needs.
            values[hint] =
                request.head.isRepeated(field)
                ? request.fields.combined(hint.rawValue)
                : request[field].map { String(decoding: $0, as: UTF8.self) }
        }
        return needs(of: ClientHints { values[$0] })
    }

    private static let known: [(HintField, KnownField)] = HintField.allCases.map { ($0, $0.known) }
}

extension HintField {
    fileprivate var known: KnownField {
        switch self {
        case .width: .secWidth
        case .olderWidth: .width
        case .viewportWidth: .secViewportWidth
        case .olderViewportWidth: .viewportWidth
        case .pixelRatio: .secDPR
        case .olderPixelRatio: .dpr
        case .saveData: .saveData
        }
    }
}
