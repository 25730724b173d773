import { CHAINS } from '../../domain/assets.ts';
import { type Config, hostInUrl } from '../../settings/config.ts';
import type { Secrets } from '../../settings/secrets.ts';
import { workflowsUrl } from '../../temporal/ui.ts';
import { type Part, servesApi } from './part.ts';

interface Started {
  part: Part;
  config: Config;
  secrets: Secrets;
  temporalUiUrl: string | undefined;
}

/** The lines that an operator sees when a process is ready: the most important settings, and the addresses to open. */
export function summary({ part, config, secrets, temporalUiUrl }: Started): string {
  const { production, metrics, publicUrl } = config;
  const all = part === 'all';
  const facts = {
    Mode: production ? 'production' : 'development',
    Sandbox: config.sandbox ? 'on: payments on simulated chains are not real' : 'off',
    Fee: `${config.platformFeeBps / 100} % (PLATFORM_FEE_BPS=${config.platformFeeBps})`,
    Chains: chainsInWords(config),
    ...(servesApi(part) && {
      API: publicUrl,
      Reference: `${publicUrl}/docs`,
      Console: `${publicUrl}/console`,
    }),
    ...(metrics && { Metrics: `http://${hostInUrl(metrics.host)}:${metrics.port}/metrics` }),
    ...(temporalUiUrl && { 'Temporal UI': workflowsUrl(temporalUiUrl, config.temporalNamespace) }),
    // A key that the operator has supplied is known, and logs of starts are kept.
    ...(all &&
      !production && {
        'Admin key': config.secrets.adminApiKey ? 'that of ADMIN_API_KEY' : secrets.adminApiKey,
      }),
    ...(all && { Next: `${demoCommand()}   (in another terminal)` }),
  };
  const lines = Object.entries(facts).map(([name, value]) => `  ${name.padEnd(11)}  ${value}`);
  return [all ? 'ready' : `${part} is running`, ...lines].join('\n');
}

function chainsInWords({ chains, sandbox }: Config): string {
  const real = CHAINS.filter((chain) => chains[chain]);
  const simulated = sandbox ? CHAINS.filter((chain) => !chains[chain]) : [];
  return [
    ...(real.length > 0 ? [`${real.join(', ')} (real)`] : []),
    ...(simulated.length > 0 ? [`${simulated.join(', ')} (simulated)`] : []),
  ].join('; ');
}

/** With the settings that the demo needs to find this Corridor. */
function demoCommand(): string {
  const settings = ['HOST', 'PORT', 'PUBLIC_URL', 'DATA_DIR', 'TEMPORAL_UI_PORT', 'TEMPORAL_UI_URL'];
  const given = settings.filter((name) => process.env[name]).map((name) => `${name}=${process.env[name]}`);
  return [...given, 'npm run demo'].join(' ');
}
