import type { Seeded } from './dev.ts';
import { welcomeEvent } from './examples/welcome-bundle.ts';
import { keyLines } from './tenant.ts';

/** What `serve` says once it serves. */
export type Ready = {
  readonly version: string;
  /** `sqlite ./data/beckon.db` */
  readonly db: string;
  readonly url: string;
  readonly isWorkerEnabled: boolean;
  /** Null unless `--dev`. */
  readonly seeded: Seeded | null;
  /** Milliseconds since the start. */
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
        `  Keys of ${tenant.org.name} / ${tenant.project.name}, shown this once:`,
        ...keyLines(tenant.keys).map((line) => `  ${line}`),
      ];

const nextBlock = (url: string, { tenant }: Seeded): string[] => {
  const key = tenant?.keys.find(({ name }) => name === 'sk_test')?.secret;
  return [
    '',
    key === undefined
      ? `  Next: send an event with a secret test key (a new one: npx beckon keys create), then look at the mail it caused:`
      : '  Next: send an event, then look at the mail it caused:',
    ...curl(url, key ?? KEY_PLACEHOLDER),
    '    npx beckon outbox list',
  ];
};

/** The one block that `serve` prints: where it listens and, with `--dev`, the keys and the next command to try. */
export const readyLines = ({ version, db, url, isWorkerEnabled, seeded, tookMs }: Ready): string[] => [
  `beckon ${version}  ${db}`,
  `  listening on ${url}  (API under /api/v1, ${isWorkerEnabled ? 'worker inside' : 'no worker: run "beckon worker"'})`,
  `  ready in ${(tookMs / 1_000).toFixed(2)} s`,
  ...(seeded === null ? [] : [...keysBlock(seeded), ...nextBlock(url, seeded)]),
];
