# docker build -t prequel .
# docker run --rm -v "$PWD":/models prequel check model.pml
FROM rust:1.95-bookworm AS build
WORKDIR /prequel
COPY . .
ARG PREQUEL_COMMIT
RUN cargo build --locked --release

FROM debian:bookworm-slim
# SPIN and a C compiler, for what is asked of them.
RUN apt-get update && apt-get install -y --no-install-recommends spin gcc libc6-dev libstdc++6 && rm -rf /var/lib/apt/lists/*
COPY --from=build /prequel/target/release/prequel /usr/local/bin/prequel
WORKDIR /models
ENTRYPOINT ["prequel"]
