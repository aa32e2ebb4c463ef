import unittest

from greeting.words import greeting


class GreetingTest(unittest.TestCase):
    def test_names_whom_it_greets(self) -> None:
        self.assertEqual(greeting("you"), "hello, you")
