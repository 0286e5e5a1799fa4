# The command and the Python package in an image. docs/platforms.md has the commands.
ARG BACKEND=cpu

FROM debian:bookworm AS build-cpu
ENV OPTIONS="--no-cuda"

FROM nvidia/cuda:13.0.1-devel-ubuntu24.04 AS build-cuda
ARG ARCHITECTURES=release
ENV OPTIONS="--architectures $ARCHITECTURES"

FROM build-${BACKEND} AS build
WORKDIR /warpath
COPY scripts/setup scripts/
RUN scripts/setup
COPY . .
RUN scripts/wheel $OPTIONS

# The wheel needs the Python and the glibc of the system that it was built on.
FROM debian:bookworm-slim AS run-cpu
FROM ubuntu:24.04 AS run-cuda

FROM run-${BACKEND}
RUN apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 python3-venv && \
    rm -rf /var/lib/apt/lists/*
RUN --mount=type=bind,from=build,source=/warpath/dist,target=/dist \
    python3 -m venv /opt/warpath && /opt/warpath/bin/pip install --no-cache-dir /dist/*.whl
ENV PATH="/opt/warpath/bin:$PATH" NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
WORKDIR /data
ENTRYPOINT ["warpath"]
CMD ["--help"]
