import { download } from '../api.ts';
import { session } from '../session.ts';
import { Action } from './action.tsx';

/** The receipt of an order: saved, since what LPs upload is not for a browser to show. */
export const Receipt = ({ url }: { url: string }) => (
  <Action run={() => save(url)} done="The receipt is saved.">
    Save the receipt
  </Action>
);

async function save(url: string): Promise<void> {
  const { content, name } = await download(new URL(url, location.href).pathname, session.value?.key ?? '');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
