# One image for gateway, workers and every command.  First the wheels of Reactor and of the
# component packages beside it, then an environment with the locked versions of what they declare.
FROM python:3.11-slim AS build
WORKDIR /src
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir "hatchling>=1.27"
COPY . .
RUN sed -E '/^ *--hash/d; s/ *\\$//' requirements.lock > /constraints.txt \
    && /venv/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels . ./components/* \
    && /venv/bin/pip uninstall -q -y hatchling \
    && /venv/bin/pip install --no-cache-dir --constraint /constraints.txt /wheels/*.whl

FROM python:3.11-slim
RUN useradd --system --create-home reactor
COPY --from=build /venv /venv
COPY config /app/config
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1
WORKDIR /app
USER reactor
EXPOSE 8080
ENTRYPOINT ["reactor"]
CMD ["--help"]
