"""The web: the gateway that accepts deliveries, and what people and probes may read."""
