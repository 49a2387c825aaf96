"""The console: pages and JSON about what was decided and why, and for what people have to do.

Read `areas` first (what it is made of), then `app` (which path leads where, and who may take it),
then any area.  A page and its JSON are one document in two forms: a template shows what `/api`
gives.  `live` tells an open page that its document has changed.
"""
