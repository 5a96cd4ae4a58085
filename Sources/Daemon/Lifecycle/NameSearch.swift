// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Origin
internal import Settings

/// The search list of resolv.conf(5), which makes a resolver try `db.prod` as `db.prod.svc.cluster.local`
/// too.
///
/// A stranger's URL means exactly the name in it. With the list, it would also name machines inside, and the
/// answers (`source_refused`, or a name that does not resolve) would reveal which of them exist. In
/// Kubernetes, which completes names of up to four dots first, turning it off also saves most look-ups.
enum NameSearch {
    /// Turns the list off for this process, unless the settings open a network. To be called before its first look-up, whoever makes
    /// that: glibc reads the list once. A list that the environment sets on purpose stays.
    static func turnOff(by settings: Settings) {
        if !settings.completesNames { setenv("LOCALDOMAIN", "", 0) }
    }
}

extension Settings {
    /// Whether a start by these settings leaves the search list of resolv.conf on.
    var completesNames: Bool { (try? originConfiguration)?.policy.knowsInside == true }
}
