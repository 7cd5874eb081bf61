# syntax=docker/dockerfile:1
# svc as a container: `docker build -t svc .`, then see compose.yaml.

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The image brings its own Node, so the pinned one is removed. Other optional packages are native code that svc uses.
RUN npm ci --omit=dev --workspaces=false --no-audit --no-fund && rm -rf node_modules/node-linux-* node_modules/node-bin-*

FROM node:24-bookworm-slim AS dashboard
WORKDIR /app
COPY package.json package-lock.json ./
COPY ui/package.json ui/package.json
RUN npm ci --no-audit --no-fund && rm -rf node_modules/node-linux-* node_modules/node-bin-*
COPY kernel kernel
COPY plugins plugins
COPY ui ui
RUN node ui/build/main.ts

FROM node:24-bookworm-slim
# Shown by `svc version` and `svc admin status`.
ARG COMMIT=unknown
ARG BUILD_DATE=unknown
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY kernel kernel
COPY plugins plugins
COPY cli cli
COPY --from=dashboard /app/ui/dist ui/dist
RUN printf '{"commit":"%s","buildDate":"%s"}\n' "$COMMIT" "$BUILD_DATE" > build.json \
  && ln -s /app/cli/svc.js /usr/local/bin/svc \
  && install -d -o node -g node -m 0700 /var/lib/svc
USER node
ENV NODE_ENV=production SVC_CONFIG=/var/lib/svc/config.toml
VOLUME /var/lib/svc
# 8080: S3 API. 9090: Admin API and dashboard, on loopback unless admin.addr says otherwise.
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9090/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/app/cli/container-start.sh"]
