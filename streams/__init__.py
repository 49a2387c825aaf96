"""The Kafka edge: the only place that imports aiokafka or faust."""
