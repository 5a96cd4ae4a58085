# SPDX-License-Identifier: Apache-2.0
"""What the tests of both pages have in common."""

import unittest

from browser import Browser
from daemon import Daemon


class PageTest(unittest.TestCase):
    """A test of a page: one daemon and one browser for each class."""

    flags = ()
    environment = None

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(*cls.flags, environment=cls.environment)
        cls.addClassCleanup(cls.daemon.stop)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        self.browser.look()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def text(self, selector):
        return self.browser.js("return document.querySelector(arguments[0])?.textContent ?? ''", selector)


class PageLooks:
    """What each page promises to users who ask their system for less motion or more contrast. Goes with a `PageTest` that has `open`."""

    # Selectors of the groups of buttons of which one is pressed.
    groups = ()

    def test_what_is_pressed_shows_in_a_contrast_theme(self):
        self.browser.look(forced="active")
        self.open()
        self.assertTrue(self.browser.js("return matchMedia('(forced-colors: active)').matches"))
        for group in self.groups:
            self.assertTrue(self.browser.pressed(group), group)

    def test_each_field_has_an_edge_that_is_seen(self):
        """WCAG 2.1, 1.4.11: 3:1 with the panel around it."""
        for theme in ("light", "dark"):
            self.browser.look(theme=theme)
            self.open()
            low = self.browser.js(
                "const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0.05);"
                "const of = (node, name) => getComputedStyle(node)[name].match(/[0-9.]+/g).slice(0, 3).map(Number);"
                "const panel = light(of(document.querySelector('.panel'), 'backgroundColor'));"
                "return [...document.querySelectorAll('.field')].filter(each => { const edge = light(of(each, 'borderTopColor')); return Math.max(edge, panel) / Math.min(edge, panel) < 3; }).map(each => each.id)")
            self.assertEqual(low, [], theme)

    def test_without_scripts_the_page_says_what_it_needs_and_nothing_else(self):
        self.addCleanup(self.browser.execute_cdp_cmd, "Emulation.setScriptExecutionDisabled", {"value": False})
        self.open()
        self.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        self.browser.refresh()
        seen = self.browser.js("return ['noscript', 'main', '.top h1'].filter(each => document.querySelector(each).checkVisibility())")
        self.assertEqual(seen, ["noscript", ".top h1"])

    def test_nothing_moves_for_who_asks_so(self):
        self.browser.look(motion="reduce")
        self.open()
        moving = "return [...document.querySelectorAll('*')].filter(e => { const s = getComputedStyle(e); return s.transitionDuration !== '0s' || s.animationName !== 'none' }).length"
        self.assertEqual(self.browser.js(moving), 0)
