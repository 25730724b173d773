/** The token of an `Authorization: Bearer` header; undefined without one. */
export const bearerToken = (header: string | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
