# syntax=docker/dockerfile:1
# svc as a container, from the portable archive: `npm run pack:portable && docker build -t svc .`, then see compose.yaml.

FROM debian:bookworm-slim AS archive
# On arm64 machines: dist-package/svc-*-linux-arm64.tar.gz
ARG ARCHIVE=dist-package/svc-*-linux-x64.tar.gz
# ADD unpacks it.
ADD ${ARCHIVE} /unpacked/
RUN mv /unpacked/svc-* /opt/svc && cd /opt/svc && sha256sum --quiet -c SHA256SUMS && rm install.sh

FROM debian:bookworm-slim
ARG VERSION=unknown
ARG COMMIT=unknown
LABEL org.opencontainers.image.title="svc" \
  org.opencontainers.image.description="Self-hosted S3 gateway that keeps objects in a local cache and copies them to paid providers on Filecoin Onchain Cloud" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$COMMIT"
RUN groupadd --gid 1000 svc \
  && useradd --uid 1000 --gid 1000 --no-create-home --home-dir /var/lib/svc --shell /usr/sbin/nologin svc \
  && install -d -o svc -g svc -m 0700 /var/lib/svc
# Root owns the program: the archive may have been packed by the user ID that runs svc.
COPY --from=archive --chown=0:0 /opt/svc /opt/svc
USER svc
ENV NODE_ENV=production SVC_CONFIG=/var/lib/svc/config.toml PATH=/opt/svc/bin:/usr/bin:/bin
VOLUME /var/lib/svc
# 8080: S3 API. 9090: Admin API and dashboard, on loopback unless admin.addr says otherwise.
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["/opt/svc/node/bin/node", "-e", "fetch('http://127.0.0.1:9090/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/opt/svc/cli/start-service.sh"]
