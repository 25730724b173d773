import { saveFile } from '../save-file.ts';
import { Action } from './action.tsx';
import { Icon } from './icon.tsx';

/** A button that saves the receipt of an order. */
export const SaveReceipt = ({ url }: { url: string }) => (
  <Action run={() => saveFile(url)} successText="The receipt is saved.">
    <Icon name="download" />
    Save the receipt
  </Action>
);
