/*
 * Makes the picture of README.md, docs/public/terminal.svg: a terminal in which real commands run against a real
 * server. `node --import ./scripts/source-preload.mjs scripts/terminal-picture.ts` (Linux: `script` of util-linux gives
 * the commands a terminal). Run it again when the output of one of the commands changes.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = resolve(import.meta.dirname, '..');
const TARGET = join(ROOT, 'docs/public/terminal.svg');
const COLUMNS = 92;
const CELL = { width: 8.4, height: 20, font: 14 };
const PADDING = 20;
const TITLE_BAR = 36;
/** Colors by SGR code: those that the command line uses. */
const COLOURS: Readonly<Record<string, string>> = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 2: '#8b949e' };
const TEXT = '#e6edf3';
const PROMPT = '#79c0ff';

type Span = { readonly text: string; readonly colour: string };
type Line = readonly Span[];

/** A line of terminal output as colored spans. Throws nothing. */
const spansOf = (line: string): Line => {
  let colour = TEXT;
  const spans: Span[] = [];
  // The separator keeps the codes, so odd parts are codes and even parts text.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ANSI sequences begin with ESC
  for (const [at, part] of line.split(/\u001b\[(\d*)m/).entries())
    if (at % 2 === 1) colour = COLOURS[part] ?? TEXT;
    else if (part !== '') spans.push({ text: part, colour });
  return spans;
};

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const svgOf = (lines: readonly Line[]): string => {
  const width = Math.ceil(COLUMNS * CELL.width) + PADDING * 2;
  const height = TITLE_BAR + lines.length * CELL.height + PADDING;
  const rows = lines.map((line, at) => {
    let column = 0;
    const spans = line.map(({ text, colour }) => {
      const x = (PADDING + column * CELL.width).toFixed(1);
      column += text.length;
      return `<tspan x="${x}" fill="${colour}" textLength="${(text.length * CELL.width).toFixed(1)}">${escaped(text)}</tspan>`;
    });
    return `<text y="${TITLE_BAR + (at + 1) * CELL.height}" xml:space="preserve">${spans.join('')}</text>`;
  });
  const buttons = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, at) => `<circle cx="${PADDING + at * 20}" cy="18" r="6" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>An event, the email that it caused, and why each message of a send was or was not delivered</title>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
${buttons.join('')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${CELL.font}">
${rows.join('\n')}
</g>
</svg>
`;
};

const folder = mkdtempSync(join(tmpdir(), 'beckon-picture-'));
const COMMAND = `${process.execPath} --import ${join(ROOT, 'scripts/source-preload.mjs')} ${join(ROOT, 'packages/cli/src/main.ts')}`;
const PORT = 8_097;
const server = spawn(`${COMMAND} serve --dev --port ${PORT}`, { cwd: folder, shell: true, detached: true });
try {
  const key = await new Promise<string>((done, fail) => {
    let text = '';
    server.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /sk_test_\w+/.exec(text);
      if (found) done(found[0]);
    });
    server.once('exit', () => fail(new Error(`the server ended: ${text}`)));
  });
  const post = async (path: string, body: unknown): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${PORT}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.text();
  };
  /** The output of a command on a terminal. Throws the command's error. */
  const run = (command: string): string[] =>
    execFileSync('script', ['-qec', `stty cols ${COLUMNS}; ${COMMAND} ${command}`, '/dev/null'], { cwd: folder })
      .toString()
      .replaceAll('\r', '')
      .trimEnd()
      .split('\n');
  const lines: Line[] = [];
  const show = (command: string, output: readonly string[]): void => {
    if (lines.length > 0) lines.push([]);
    for (const [at, text] of command.split('\n').entries())
      lines.push([
        { text: at === 0 ? '$ ' : '  ', colour: PROMPT },
        { text, colour: '#ffffff' },
      ]);
    lines.push(...output.map(spansOf));
  };

  await post('identify', { userId: 'ada', traits: { first_name: 'Ada', email: 'ada@example.com' } });
  const event = { module: 'app', eventType: 'user.signed_up', userId: 'ada' };
  show(`curl $API/events -H "x-api-key: $KEY" \\\n  --json '${JSON.stringify(event)}'`, [await post('events', event)]);
  await post('email/send', { userIds: ['ada', 'bob'], subject: 'Your trial ends soon', text: 'Upgrade.' });
  await sleep(3_000);
  show('npx beckon outbox list', run('outbox list'));
  show('npx beckon sends list', run('sends list --env test'));
  const sends = JSON.parse(
    execFileSync('sh', ['-c', `${COMMAND} sends list --env test --json`], { cwd: folder }).toString(),
  );
  const sendId: string = sends.data[0].id;
  const messages = run(`sends show ${sendId} --messages --env test`);
  show(`npx beckon sends show ${sendId.slice(-8)} --messages | tail -3`, messages.slice(messages.lastIndexOf('') + 1));
  const messageId = messages.map((line) => /^(\S+) .* ada /.exec(line)?.[1]).findLast((id) => id !== undefined) ?? '';
  show(
    `npx beckon sends explain ${messageId} | tail -11`,
    run(`sends explain ${messageId} --env test`)
      .slice(-11)
      .filter((line) => line !== ''),
  );
  mkdirSync(join(TARGET, '..'), { recursive: true });
  writeFileSync(TARGET, svgOf(lines));
} finally {
  // The process group of the shell: the server is its child.
  if (server.pid) process.kill(-server.pid, 'SIGTERM');
  await new Promise((done) => server.once('exit', done));
  rmSync(folder, { recursive: true, force: true });
}
