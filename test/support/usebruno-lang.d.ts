/** What the tests use of a package that has no types of its own. */
declare module '@usebruno/lang' {
  /** Reads a request; throws where it is not in Bruno's language. */
  export function bruToJsonV2<Request>(text: string): Request;
  export function bruToEnvJsonV2(text: string): {
    variables: { name: string; value: string; enabled: boolean; secret: boolean }[];
  };
}
