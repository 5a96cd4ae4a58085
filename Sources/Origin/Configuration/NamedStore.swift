// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import SourceURLs

/// A store that the settings name, for the downloader: where it is asked, and by which fields.
enum NamedStore {
    case objects(ObjectStore)
    case blobs(BlobStore)

    /// True if clients may name this URL.
    func holds(_ url: SourceURL) -> Bool {
        switch self {
        case .objects(let store): store.holds(url)
        case .blobs(let store): store.holds(url)
        }
    }

    /// The URL that is asked, without secrets.
    func place(of url: SourceURL) -> SourceURL {
        switch self {
        case .objects(let store): store.place(of: url)
        case .blobs(let store): store.place(of: url)
        }
    }

    /// The URL that is sent for this place, which may hold a secret.
    func sent(_ place: SourceURL) -> SourceURL {
        switch self {
        case .objects: place
        case .blobs(let store): store.sent(place)
        }
    }

    /// The fields that such a request has beside those of every request, and beside its conditions.
    func fields(for place: SourceURL, at time: Timestamp, conditions: [Fields.Field]) -> [Fields.Field] {
        switch self {
        case .objects(let store): store.fields(for: place, at: time)
        case .blobs(let store): store.fields(for: place, at: time, conditions: conditions)
        }
    }

    /// True if a key or a token lets Pictor in, or is to do so.
    var isKeyed: Bool {
        switch self {
        case .objects(let store): store.credentials != nil || store.renewed != nil
        case .blobs(let store): store.access != .anybody
        }
    }

    /// True as long as its requests should be signed and there is no key yet.
    var lacksKey: Bool {
        switch self {
        case .objects(let store): store.lacksKey
        case .blobs: false
        }
    }

    /// True if the text, which the store has said, shows a secret that was sent.
    func isBetrayed(by text: String) -> Bool {
        switch self {
        case .objects: false
        case .blobs(let store): store.isBetrayed(by: text)
        }
    }
}
