"""Reports of a corpus: what was kept and dropped, by reason, host, language, date, kind of page and role.

Here are the figures; `gristmill.html` and the web app show them.
"""
