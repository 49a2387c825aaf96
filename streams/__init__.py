"""The Kafka edge: the only place that imports aiokafka or faust.

If you are here to read the code, begin with:

    record      what everything here speaks of
    codec       a delivery as a record, over `packing`; `letters` and `journal` are its siblings
    producer    where records are written, over `writer`, which has the patience
    window      which record may run next, and how far a partition is settled: pure
    ordered     the pump: runs the handler, waits out what is away, gives up what is poison
    host        the Faust app that feeds the pump, over `transport`; it commits
    processor   all of that together, watched by `watch`, run as a process by `serve`

Beside them: `topics` creates, `reader` reads without a group, `embedded` is the broker in a wheel.
"""
