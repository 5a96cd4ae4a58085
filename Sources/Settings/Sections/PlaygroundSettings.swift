// SPDX-License-Identifier: Apache-2.0

extension Settings {
    /// The page on which people try out options.
    package struct Playground: Sendable, Equatable {
        /// Whether the page is served.
        package var enabled = PlaygroundMode.auto
    }
}

/// Whether the public listener has the playground.
package enum PlaygroundMode: String, SettingValue, CaseIterable {
    /// On if every address of the public listener is a loopback address of this machine.
    case auto
    case on = "true"
    case off = "false"

    package init?(settingText: String) {
        if settingText.lowercased() == Self.auto.rawValue {
            self = .auto
        } else if let isOn = Bool(settingText: settingText) {
            self = isOn ? .on : .off
        } else {
            return nil
        }
    }
    package static var settingForm: String { "auto, true or false" }
}

extension Setting {
    static let playground: [Setting] = [
        Setting(
            "playground.enabled", \.playground.enabled, .atRestart(.samples),
            "Serve /playground, and lead there from / where no picture is asked for. auto = if every address in server.listen is a loopback one; sockets handed over by systemd and unix sockets do not count as such. Its visitors can do what any client can, and no more."
        )
    ]
}
