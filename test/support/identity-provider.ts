import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { freePort } from '../../src/process/free-port.ts';

export const CLIENT_ID = 'corridor';
export const CLIENT_SECRET = 'the-secret-of-corridor-at-the-provider';

export interface TestIdentityProvider {
  issuer: string;
  /** The settings of a Corridor that uses the provider, except for its address. */
  env: Record<string, string>;
  /** The people, by the name with which they sign in. */
  people: Map<string, { name: string; groups: string[] }>;
  close: () => Promise<void>;
}

/** Starts a real provider. Its sign-in page asks for a name only. */
export async function startIdentityProvider(redirectUri: string): Promise<TestIdentityProvider> {
  const people: TestIdentityProvider['people'] = new Map();
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'profile', 'groups'],
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/sign-in/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id, ...people.get(id) }) }),
    // Nobody is asked for consent.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new provider.Grant({ clientId: CLIENT_ID, accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid profile groups');
      await grant.save();
      return grant;
    },
  });
  const serve = provider.callback();
  const signIn = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html');
      return response.end(
        '<form method="post"><label>Name <input name="login"></label><button>Go on</button></form>',
      );
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const accountId = new URLSearchParams(body).get('login') ?? '';
    return provider.interactionFinished(request, response, { login: { accountId } });
  };
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/sign-in/')) return void serve(request, response);
    signIn(request, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    issuer,
    people,
    env: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_SCOPE: 'openid profile groups',
      OIDC_ROLES: 'leads=owner,night-shift=support,auditors=viewer',
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
