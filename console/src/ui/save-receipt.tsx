import { saveFile } from '../save-file.ts';
import { Action } from './action.tsx';

/** A button that saves the receipt of an order. */
export const SaveReceipt = ({ url }: { url: string }) => (
  <Action run={() => saveFile(url)} successText="The receipt is saved.">
    Save the receipt
  </Action>
);
