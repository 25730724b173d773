/** A browser without a screen: it keeps cookies, follows redirects, and fills the provider's form. */
export interface Walker {
  cookies: Map<string, string>;
  /** One request, without following redirects. */
  open: (url: string) => Promise<Response>;
  /** Signs in at the provider, and returns the address of the callback without opening it. */
  untilCallback: (startUrl: string, login: string) => Promise<string>;
}

export function createWalker(): Walker {
  const cookies = new Map<string, string>();
  const request = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const next = (response: Response, from: string) =>
    new URL(response.headers.get('location') ?? '', from).href;
  return {
    cookies,
    open: (url) => request(url),
    untilCallback: async (startUrl, login) => {
      let url = startUrl;
      for (let steps = 0; steps < 15; steps++) {
        if (url.includes('/auth/oidc/callback')) return url;
        const isForm = new URL(url).pathname.startsWith('/sign-in/');
        const body = new URLSearchParams({ login });
        url = next(isForm ? await request(url, { method: 'POST', body }) : await request(url), url);
      }
      throw new Error(`the sign-in does not end: ${url}`);
    },
  };
}
