import { saveFile } from '../save-file.ts';
import { session } from '../session.ts';
import { Action } from '../ui/action.tsx';

/** A button that saves the receipt of an order. */
export const SaveReceipt = ({ url }: { url: string }) => (
  <Action run={() => saveFile(url, session.value?.key ?? '')} successText="The receipt is saved.">
    Save the receipt
  </Action>
);
