"""The HTML page in a real browser: what a reader sees, types and opens.

Chromium is driven by its own chromedriver over plain WebDriver, so that no package of
Python is needed for it.
"""
