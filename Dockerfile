# One image for gateway, workers, console and every command.  First the wheels of Reactor and of
# the component packages beside it, then an environment with the locked versions of what they
# declare, and nothing that is only needed for building.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY requirements.lock .
RUN sed -E '/^ *--hash/d; s/ *\\$//' requirements.lock > /constraints.txt \
    && python -m venv /build && /build/bin/pip install --no-cache-dir --constraint /constraints.txt hatchling
COPY . .
RUN /build/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels . ./components/*
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --constraint /constraints.txt \
        "$(ls /wheels/webhook_reactor-*.whl)[github,otel]" $(ls /wheels/*.whl | grep -v webhook_reactor-) \
    && /venv/bin/pip uninstall --yes --quiet pip

FROM python:3.11-slim-bookworm
RUN useradd --system --create-home reactor \
    && install -d -o reactor -g reactor /var/lib/reactor/spool /var/lib/reactor/data
COPY --from=build /venv /venv
COPY config /app/config
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /app
USER reactor
EXPOSE 8080 8081 8082
ENTRYPOINT ["reactor"]
CMD ["--help"]
