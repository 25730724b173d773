import { z } from 'zod';
import { decimal } from '../domain/money.ts';
import { tronAddressBytes } from './tron-address.ts';

export const NATIVE_DECIMALS = 6;
/** keccak256("Transfer(address,address,uint256)"). */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const hex = z.string().regex(/^[0-9a-f]*$/i);
/** For an unknown hash a node answers with an empty object. */
export const TransactionInfo = z.object({
  id: hex.optional(),
  blockNumber: z.number().optional(),
  /** Milliseconds. */
  blockTimeStamp: z.number().optional(),
  result: z.string().optional(),
  receipt: z.object({ result: z.string().optional() }).optional(),
  log: z
    .array(z.object({ address: hex, topics: z.array(hex).default([]), data: hex.default('') }))
    .default([]),
});
export const Transaction = z.object({
  ret: z.array(z.object({ contractRet: z.string().optional() })).default([]),
  raw_data: z
    .object({
      contract: z.array(
        z.object({
          type: z.string(),
          parameter: z.object({
            value: z.object({
              owner_address: hex.optional(),
              to_address: hex.optional(),
              amount: z.number().optional(),
            }),
          }),
        }),
      ),
    })
    .optional(),
});

/** A transfer to the recipient. `from`: the sender's 20 bytes in hexadecimal, lower case. `amount` in tokens. */
interface TronTransfer {
  from: string;
  amount: string;
}

/** `Transfer` events of the token's own contract to an address. A topic has 32 bytes; an address is the last 20. */
export function tronTokenTransfers(
  log: z.output<typeof TransactionInfo>['log'],
  { contract, decimals }: { contract: string; decimals: number },
  to: string | undefined,
): TronTransfer[] {
  const own = tronAddressBytes(contract);
  return log
    .filter(({ address, topics, data }) => {
      const [event, sender, receiver] = topics;
      if (lastBytes(address) !== own || event?.toLowerCase() !== TRANSFER_TOPIC) return false;
      return (
        topics.length === 3 && data.length === 64 && lastBytes(receiver) === to && lastBytes(sender) !== to
      );
    })
    .map(({ topics, data }) => ({
      from: lastBytes(topics[1]) ?? '',
      amount: inTokens(BigInt(`0x${data}`).toString(), decimals),
    }))
    .filter(({ amount }) => amount !== '0');
}

/** Whether the answer is a transaction. For an unknown hash a node answers with an empty object. */
export const isTransaction = ({ ret, raw_data }: z.output<typeof Transaction>): boolean =>
  raw_data !== undefined && ret.length > 0;

/** A transaction moves TRX to one address at most. */
export function tronCoinTransfers(
  { ret, raw_data }: z.output<typeof Transaction>,
  to: string | undefined,
): TronTransfer[] {
  const [contract] = raw_data?.contract ?? [];
  const { owner_address, to_address, amount } = contract?.parameter.value ?? {};
  const isPayment = contract?.type === 'TransferContract' && lastBytes(to_address) === to;
  return isPayment && amount && ret[0]?.contractRet === 'SUCCESS'
    ? [{ from: lastBytes(owner_address) ?? '', amount: inTokens(String(amount), NATIVE_DECIMALS) }]
    : [];
}

const lastBytes = (text: string | undefined) => text?.toLowerCase().slice(-40);

export const inTokens = (units: string, decimals: number): string =>
  decimal(units).div(decimal(10).pow(decimals)).toFixed();
