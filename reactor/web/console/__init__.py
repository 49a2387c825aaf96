"""The console: pages and JSON about what was decided and why.  Read only, server-rendered.

Read `app` first (which path leads where), then `resources` (what each path tells).  A page and
its JSON are one document in two forms: a template shows what `/api` gives.
"""
