import { z } from 'zod';

const ASCII = /^[\x21-\x7e]+$/;
const ASCII_OVER_HTTPS = '^https://[\\x21-\\x7e]+$';

/**
 * A URL that receives webhooks. It must use https unless `allowHttp` (development). The OpenAPI document says so in its
 * pattern. The sender checks the address.
 */
export const webhookUrl = ({ allowHttp }: { allowHttp: boolean }) =>
  z
    .url({
      protocol: allowHttp ? /^https?$/ : /^https$/,
      error: `must be an ${allowHttp ? 'http(s)' : 'https'} URL`,
    })
    .max(2_048)
    .regex(ASCII, 'must be written in ASCII')
    .meta(allowHttp ? {} : { pattern: ASCII_OVER_HTTPS });
