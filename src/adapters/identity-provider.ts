import type { Configuration } from 'openid-client';

/** How Corridor is registered at the identity provider of the admins. */
export interface IdentityProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The scopes that the provider needs to return the name and the groups. */
  scope: string;
  groupsClaim: string;
}

/** The values that bind a sign-in to one browser. The provider returns `state` and `nonce`, and sees the verifier only at the end. */
export interface SignInSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

/** What the provider says about a person. */
export interface Identity {
  issuer: string;
  subject: string;
  name: string;
  /** The value of the claim with the groups, of any type. */
  groups: unknown;
}

export interface IdentityProvider {
  /** Where the browser goes to sign in. */
  signInUrl: (secrets: SignInSecrets, redirectUrl: string) => Promise<URL>;
  /** Who has come back to `url`. Throws if the provider, or somebody else, has sent anything that is not for this sign-in. */
  identify: (secrets: SignInSecrets, url: URL) => Promise<Identity>;
}

/** Signs admins in with OpenID Connect: the code flow with PKCE, state and nonce. Reads the provider's metadata once. */
export function createIdentityProvider(settings: IdentityProviderSettings): IdentityProvider {
  const { issuer, clientId, clientSecret, scope, groupsClaim } = settings;
  let discovered: Promise<Configuration> | undefined;

  /** After a failure the next sign-in tries again. */
  const configuration = () => {
    discovered ??= discover().catch((error) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  };
  async function discover(): Promise<Configuration> {
    // Loaded with the first sign-in: most installations never need it.
    const { allowInsecureRequests, discovery, enableNonRepudiationChecks } = await import('openid-client');
    // Verifies the signature of ID tokens, too. The settings refuse http in production.
    const checks = [enableNonRepudiationChecks];
    const execute = issuer.startsWith('http:') ? [...checks, allowInsecureRequests] : checks;
    return discovery(new URL(issuer), clientId, clientSecret, undefined, { execute });
  }

  return {
    signInUrl: async ({ state, nonce, verifier }, redirectUrl) => {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
      return buildAuthorizationUrl(await configuration(), {
        ...{ redirect_uri: redirectUrl, scope, state, nonce },
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
    },
    identify: async ({ state, nonce, verifier }, url) => {
      const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
      const config = await configuration();
      const tokens = await authorizationCodeGrant(config, url, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      });
      const idToken = tokens.claims();
      if (!idToken) throw new Error('the identity provider has sent no ID token');
      const { sub, iss } = idToken;
      const isComplete = idToken[groupsClaim] !== undefined || !config.serverMetadata().userinfo_endpoint;
      const more = isComplete ? {} : await fetchUserInfo(config, tokens.access_token, sub);
      const claims: Record<string, unknown> = { ...more, ...idToken };
      const name = [claims.name, claims.preferred_username, claims.email, sub].find(
        (text) => typeof text === 'string' && text.trim() !== '',
      );
      return { issuer: iss, subject: sub, name: String(name).slice(0, 200), groups: claims[groupsClaim] };
    },
  };
}
