import type { Chain } from '../../../src/domain/assets.ts';
import { explorerLink } from '../installation.ts';
import { chainWords } from '../words.ts';
import { Icon } from './icon.tsx';
import { NewTab } from './new-tab.tsx';
import { toast } from './toasts.tsx';
import { copyText } from './use-copy.ts';

/** Longer texts show their ends only, where there is no room for all of them. */
const [LONGEST, END] = [22, 8];

/** An id, a hash or an address, with a button that copies it. `what` names it: `transaction`. */
export function Copyable({
  text,
  what,
  isShort = false,
  href,
}: {
  text: string;
  what: string;
  /** Shows the ends of a long text only, for tables. */
  isShort?: boolean;
  /** Where the text leads. */
  href?: string | null | undefined;
}) {
  const shown = isShort && text.length > LONGEST ? `${text.slice(0, END)}…${text.slice(-END)}` : text;
  const code = <code title={shown === text ? undefined : text}>{shown}</code>;
  const copy = async () => {
    const outcome = await copyText(text, what);
    toast({ tone: outcome === 'Copied.' ? 'good' : 'bad', text: outcome, about: 'copying' });
  };
  return (
    <span class="copyable">
      {href ? <NewTab href={href}>{code}</NewTab> : code}
      <button
        type="button"
        class="quiet icon"
        aria-label={`Copy the ${what} ${shown}`}
        title="Copy"
        onClick={() => void copy()}
      >
        <Icon name="copy" />
      </button>
    </span>
  );
}

interface OnChain {
  chain: Chain;
  isShort?: boolean;
}

/** A transaction, with a link to the chain's explorer if the installation has one. */
export const Transaction = ({ chain, hash, isShort }: OnChain & { hash: string }) => (
  <Copyable
    text={hash}
    what={`${chainWords(chain)} transaction`}
    isShort={isShort ?? false}
    href={explorerLink(chain, 'tx', hash)}
  />
);

/** An address on a chain, with the same link. */
export const Address = ({ chain, address, isShort }: OnChain & { address: string }) => (
  <Copyable
    text={address}
    what={`${chainWords(chain)} address`}
    isShort={isShort ?? false}
    href={explorerLink(chain, 'address', address)}
  />
);
