import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Line } from './report.ts';
import { CLI } from './service.ts';

type Answer = {
  readonly data: {
    readonly passed: number;
    readonly failed: number;
    readonly tests: readonly { readonly name: string; readonly differences: readonly unknown[] }[];
  };
};

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Runs `beckon workflows test` over the files `*.test.json` of this folder, which needs no service. */
export const simulatedLines = async (): Promise<Line[]> => {
  const { code, out } = await new Promise<{ readonly code: unknown; readonly out: string }>((resolve) => {
    execFile(process.execPath, [CLI, 'workflows', 'test', '--json'], { cwd: HERE }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, out: stdout || stderr }),
    );
  });
  const group = 'simulated';
  const what = 'tests of workflows: exit code, failed';
  const none: Line = { group, what, expected: '0, 0', got: `${code}, ${out}` };
  if (!out.startsWith('{"success":true')) return [none];
  const { data }: Answer = JSON.parse(out);
  return [
    { ...none, got: `${code}, ${data.failed}` },
    ...data.tests.map(({ name, differences }): Line => {
      const got = differences.length === 0 ? 'passed' : JSON.stringify(differences[0]);
      return { group, what: name, expected: 'passed', got };
    }),
  ];
};
