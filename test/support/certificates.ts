import { generateKeyPair } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import forge from 'node-forge';

/** A certificate and its private key, as PEM. */
export interface Certified {
  cert: string;
  key: string;
}

/** A certificate authority of a test. */
export interface Authority {
  /** PEM. */
  cert: string;
  /** A certificate for a host or a client. `hasExpired`: it ended an hour ago. */
  issue: (name: string, options?: { hasExpired?: boolean }) => Promise<Certified>;
}

const HOUR_MS = 3_600_000;
const hoursFromNow = (hours: number) => new Date(Date.now() + hours * HOUR_MS);
/** Kinds of alternative names in X.509. */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** Node makes keys much faster than the library. */
const newKeys = () =>
  promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

export async function newAuthority(name = 'Test authority'): Promise<Authority> {
  const own = await newKeys();
  const issuer = [{ name: 'commonName', value: name }];
  let serial = 0;
  const sign = (of: string, publicKey: string, endsInHours: number, extensions: object[]): string => {
    const cert = forge.pki.createCertificate();
    serial += 1;
    cert.serialNumber = serial.toString(16).padStart(4, '0');
    cert.publicKey = forge.pki.publicKeyFromPem(publicKey);
    cert.validity.notBefore = hoursFromNow(-48);
    cert.validity.notAfter = hoursFromNow(endsInHours);
    cert.setSubject([{ name: 'commonName', value: of }]);
    cert.setIssuer(issuer);
    cert.setExtensions(extensions);
    cert.sign(forge.pki.privateKeyFromPem(own.privateKey), forge.md.sha256.create());
    return forge.pki.certificateToPem(cert);
  };
  return {
    cert: sign(name, own.publicKey, 48, [{ name: 'basicConstraints', cA: true, critical: true }]),
    issue: async (host, { hasExpired = false } = {}) => {
      const { publicKey, privateKey } = await newKeys();
      const altName = isIP(host) ? { type: IP_ADDRESS, ip: host } : { type: DNS_NAME, value: host };
      const extensions = [{ name: 'subjectAltName', altNames: [altName] }];
      return { cert: sign(host, publicKey, hasExpired ? -1 : 24, extensions), key: privateKey };
    },
  };
}
