/** Reads a response's body as JSON. Undefined: the body is longer than `maxLength`, incomplete, or not JSON. */
export async function readBoundedJson(response: Response, maxLength: number): Promise<unknown> {
  let text = '';
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.length > maxLength) throw new Error('too long');
    }
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
