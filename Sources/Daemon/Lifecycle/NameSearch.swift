// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Origin
internal import Settings

/// Turns off the search list of resolv.conf(5), which makes a resolver try `db.prod` as `db.prod.svc.cluster.local`, too.
///
/// A client's URL means exactly the name in it. With the list, the URL could also name internal machines, and the answers
/// (`source_refused`, or a name that does not resolve) would reveal which of them exist. In Kubernetes, which completes names of
/// up to four dots first, turning it off also saves most look-ups.
enum NameSearch {
    /// Turns the list off for this process, unless the settings open a network. Call this before the first look-up in the process,
    /// because glibc reads the list once. A list that the environment sets in LOCALDOMAIN is kept.
    static func turnOff(by settings: Settings) {
        if !settings.completesNames { setenv("LOCALDOMAIN", "", 0) }
    }
}

extension Settings {
    /// True if a start with these settings leaves the search list of resolv.conf on.
    var completesNames: Bool { (try? originConfiguration)?.policy.knowsInside == true }
}
