import { describe, expect, test } from '@jest/globals';
import { secretSettings } from '../../../docs/generate/helm-chart.ts';
import {
  FULL,
  faultsUnderRestricted,
  MINIMAL,
  podsIn,
  render,
  valuesWith,
  type Yaml,
} from '../../support/helm-chart.ts';
import { findHelmTools, type HelmTools } from '../../support/helm-tools.ts';

/** What the pods of the chart may do, whom they may reach, and which secrets they get. */

const tools = await findHelmTools();
const { helm } = tools ?? ({} as HelmTools);

(tools ? describe : describe.skip)('the pods of the Helm chart', () => {
  const minimal = () => render(helm, [MINIMAL]);
  const full = () => render(helm, [FULL]);

  test('meet the restricted security standard', () => {
    const pods = [...podsIn(minimal().manifests), ...podsIn(full().manifests)];
    expect(pods).toHaveLength(7);
    for (const { name, pod } of pods) {
      expect([name, faultsUnderRestricted(pod.spec)]).toEqual([name, []]);
      expect(pod.spec.automountServiceAccountToken).toBe(false);
      for (const { securityContext } of pod.spec.containers)
        expect(securityContext.readOnlyRootFilesystem).toBe(true);
    }
    const lax = structuredClone((pods[0] as Yaml).pod.spec);
    delete lax.securityContext;
    expect(faultsUnderRestricted(lax)).toEqual(['may run as root', 'seccompProfile']);
  });

  test('get secrets by reference only, and the URL of the owner only for the migration', () => {
    const secret = [...secretSettings, 'DATABASE_URL', 'DATABASE_READER_URL', 'DATABASE_OWNER_URL'];
    const always = ['ADMIN_API_KEY', 'WEBHOOK_SECRET', 'COMMAND_SECRET'];
    for (const file of [MINIMAL, FULL])
      for (const { name, pod } of podsIn(render(helm, [file]).manifests)) {
        const given: Yaml[] = pod.spec.containers[0].env.filter(({ name }: Yaml) =>
          [...secret, ...always].includes(name),
        );
        expect(given.length).toBeGreaterThanOrEqual(5);
        for (const { value, valueFrom } of given)
          expect([value, Object.keys(valueFrom)]).toEqual([undefined, ['secretKeyRef']]);
        const ownerOf = given.filter(({ name }) => name === 'DATABASE_OWNER_URL');
        expect(ownerOf.map(({ valueFrom }) => valueFrom.secretKeyRef.name)).toEqual(
          name === 'corridor-migrate' ? ['corridor-owner'] : [],
        );
      }
  });

  test('accept connections of the named peers only, and reach only what they need', () => {
    const { networkPolicy: named } = valuesWith(FULL);
    const policies = new Map<string, Yaml>(
      full()
        .manifests.filter(({ kind }) => kind === 'NetworkPolicy')
        .map(({ metadata, spec }) => [metadata.name, spec]),
    );
    for (const { policyTypes } of policies.values()) expect(policyTypes).toEqual(['Ingress', 'Egress']);
    const onPort = (port: string | number, protocol = 'TCP') => ({ protocol, port });
    const servers = [
      { ports: [onPort(53, 'UDP'), onPort(53)] },
      { to: named.database, ports: [onPort(named.databasePort)] },
      { to: named.temporal, ports: [onPort(named.temporalPort)] },
    ];
    const [api, worker, migrate] = ['api', 'worker', 'migrate'].map((part) =>
      policies.get(`corridor-${part}`),
    );
    const metrics = { from: named.prometheus, ports: [onPort('metrics')] };
    expect(api.ingress).toEqual([{ from: named.callers, ports: [onPort('http')] }, metrics]);
    expect(worker.ingress).toEqual([metrics]);
    expect([migrate.ingress, migrate.egress]).toEqual([undefined, servers]);
    for (const { egress } of [api, worker]) {
      expect(egress.slice(0, 3)).toEqual(servers);
      const [ipv4, ipv6] = egress[3].to;
      expect(ipv4.ipBlock.except).toEqual(
        expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']),
      );
      expect(ipv6.ipBlock.except).toEqual(['fc00::/7', 'fe80::/10']);
      expect(egress.slice(4)).toEqual(named.egress);
    }
  });
});
