import type { Seeded } from './dev.ts';
import { welcomeEvent } from './examples/welcome-bundle.ts';
import { keyLines } from './tenant.ts';

/** Input of the first lines of `serve`. */
export type Ready = {
  readonly version: string;
  /** `sqlite ./data/beckon.db` */
  readonly db: string;
  readonly url: string;
  readonly isWorkerEnabled: boolean;
  /** Null unless `--dev`. */
  readonly seeded: Seeded | null;
  /** Milliseconds from the start of the process until it serves. */
  readonly tookMs: number;
};

const KEY_PLACEHOLDER = 'YOUR_TEST_KEY';

const curl = (url: string, key: string): string[] => [
  `    curl ${url}/api/v1/events -H 'x-api-key: ${key}' -H 'content-type: application/json' \\`,
  `      -d '${JSON.stringify(welcomeEvent)}'`,
];

const keysBlock = ({ tenant }: Seeded): string[] =>
  tenant === null
    ? []
    : [
        '',
        `  API keys of ${tenant.org.name} / ${tenant.project.name}, shown only once:`,
        ...keyLines(tenant.keys).map((line) => `  ${line}`),
      ];

const nextBlock = (url: string, { tenant }: Seeded): string[] => {
  const key = tenant?.keys.find(({ name }) => name === 'sk_test')?.secret;
  return [
    '',
    key === undefined
      ? `  Next: send an event with a secret test key (create one: npx beckon keys create) and read the email:`
      : '  Next: send an event and read the email:',
    ...curl(url, key ?? KEY_PLACEHOLDER),
    '    npx beckon outbox list',
  ];
};

/** The first lines of `serve`: the address and, with `--dev`, the keys and the next commands. */
export const readyLines = ({ version, db, url, isWorkerEnabled, seeded, tookMs }: Ready): string[] => [
  `beckon ${version}  ${db}`,
  `  listening on ${url}  (API under /api/v1, ${isWorkerEnabled ? 'with worker' : 'no worker: run "beckon worker"'})`,
  `  ready in ${(tookMs / 1_000).toFixed(2)} s`,
  ...(seeded === null ? [] : [...keysBlock(seeded), ...nextBlock(url, seeded)]),
];
