# The Python that the locks were resolved for.
ARG PYTHON=python:3.11.13-slim-bookworm
# 1 adds kaleido and Chromium, so that figures are pictures by address.
ARG IMAGES=0

FROM ${PYTHON} AS build
ARG IMAGES
WORKDIR /src
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements/run.txt requirements/dev.txt requirements/
RUN python -m venv /opt/halo \
 && /opt/halo/bin/pip install --require-hashes -r requirements/run.txt \
 && if [ "$IMAGES" = 1 ]; then /opt/halo/bin/pip install -c requirements/dev.txt kaleido; fi
COPY pyproject.toml README.md LICENSE ./
COPY app app
COPY ingest ingest
COPY static static
COPY templates templates
COPY data data
RUN /opt/halo/bin/pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
 && /opt/halo/bin/pip install --no-deps dist/*.whl

FROM ${PYTHON}
ARG IMAGES
RUN useradd --create-home --uid 10001 halo \
 && install -d -o halo -g halo /data
# hadolint ignore=DL3008
RUN if [ "$IMAGES" = 1 ]; then \
      apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core \
      && rm -rf /var/lib/apt/lists/*; \
    fi
COPY --from=build /opt/halo /opt/halo
ENV PATH=/opt/halo/bin:$PATH HALO_DB=/data/db PYTHONUNBUFFERED=1
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["halo", "serve", "--host", "0.0.0.0", "--seed"]
