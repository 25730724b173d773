import { z } from 'zod';

/** A URL that receives webhooks. It must use https unless `allowHttp` (development). The sender checks the address. */
export const webhookUrl = ({ allowHttp }: { allowHttp: boolean }) =>
  z
    .url({
      protocol: allowHttp ? /^https?$/ : /^https$/,
      error: `must be an ${allowHttp ? 'http(s)' : 'https'} URL`,
    })
    .max(2_048)
    .regex(/^[\x21-\x7e]+$/, 'must be written in ASCII');
