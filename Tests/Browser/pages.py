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

    def test_nothing_moves_for_who_asks_so(self):
        self.browser.look(motion="reduce")
        self.open()
        moving = "return [...document.querySelectorAll('*')].filter(e => { const s = getComputedStyle(e); return s.transitionDuration !== '0s' || s.animationName !== 'none' }).length"
        self.assertEqual(self.browser.js(moving), 0)
