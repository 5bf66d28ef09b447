import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RealCli, realCli } from '../../test/support/real.ts';

const mail = {
  name: 'Order sent: "you"',
  subject: 'Hi {{trait.name | default: "there"}}',
  html: '<p>Größe</p>\n\n',
  text: 'plain',
  replyTo: { email: 'b@example.com', name: 'B' },
};

describe('commands about templates', () => {
  let cli: RealCli;
  let home: string;
  beforeEach(async () => {
    cli = await realCli();
    const { beckon, scope } = cli;
    await beckon.templates.create(scope, 'push', { name: 'P', title: 't', data: { z: 1, a: { c: 2, b: [3] } } });
    await beckon.templates.create(scope, 'email', mail);
    await beckon.templates.create(scope, 'sms', { name: 'S', body: '{{event.what}}' });
    home = (await cli.run(['templates', 'pull', '--json'])).code === 0 ? join(cli.cwd, 'templates') : '';
  });
  afterEach(() => cli.close());

  const put = (file: string, text: string): void => {
    mkdirSync(join(home, file, '..'), { recursive: true });
    writeFileSync(join(home, file), text);
  };
  const read = (file: string): string => readFileSync(join(home, file), 'utf8');
  const code = async (...argv: string[]) => (await cli.run(['templates', ...argv])).code;

  it('`templates pull` writes a folder in which long texts have their own files', async () => {
    expect(readdirSync(home).sort()).toEqual(['email', 'push', 'sms']);
    expect(readdirSync(join(home, 'email', 'order-sent-you')).sort()).toEqual([
      'body.html',
      'body.txt',
      'template.json',
    ]);
    expect(read('email/order-sent-you/body.html')).toBe(mail.html);
    const { name, subject, replyTo } = mail;
    expect(JSON.parse(read('email/order-sent-you/template.json'))).toEqual({ name, subject, replyTo });
    expect(read('push/p/template.json')).toMatch(/"name": "P",\n {2}"data": \{\n {4}"a": \{\n {6}"b"/);
    const again = await cli.run(['templates', 'pull']);
    expect(again.out).toContain('Pulled 3 templates into templates: 0 files changed.');
  });

  it('`templates` commands neither read nor write outside the folder through a symbolic link', async () => {
    const outside = join(cli.cwd, 'outside.txt');
    writeFileSync(outside, 'secret');
    const body = join(home, 'email/order-sent-you/body.txt');
    rmSync(body);
    symlinkSync(outside, body);
    const pushed = await cli.run(['templates', 'push', '--yes']);
    expect([pushed.code, pushed.err]).toEqual([5, expect.stringContaining('body.txt is a symbolic link')]);
    expect(await code('pull')).toBe(5);
    expect(readFileSync(outside, 'utf8')).toBe('secret');
    rmSync(body);
    renameSync(join(home, 'sms'), join(cli.cwd, 'sms'));
    symlinkSync(join(cli.cwd, 'sms'), join(home, 'sms'));
    expect(await code('push', '--yes', '--prune')).toBe(5);
    expect((await cli.beckon.templates.list(cli.scope, 'sms')).data).toHaveLength(1);
  });

  it('a push or diff right after a pull finds no changes', async () => {
    expect(await code('diff')).toBe(0);
    const pushed = await cli.run(['templates', 'push', '--yes', '--prune', '--json']);
    expect(JSON.parse(pushed.out)).toMatchObject({ data: { created: [], updated: [], removed: [], dryRun: false } });
    expect(await code('push', '--dry-run', '--exit-code')).toBe(0);
    expect(await code('diff')).toBe(0);
    const rows = (await cli.beckon.templates.list(cli.scope, 'email')).data;
    expect(rows.map(({ version }) => version)).toEqual([1]);
  });

  it('a folder pushed to another project is pulled from there unchanged', async () => {
    const other = ['--project', (await cli.beckon.tenancy.createProject({ orgId: cli.scope.orgId, name: 'Other' })).id];
    const own = ['--project', cli.scope.projectId];
    expect(await code('push', '--yes', ...other)).toBe(0);
    expect(await code('pull', 'copy', ...other)).toBe(0);
    for (const file of ['push/p/template.json', 'email/order-sent-you/body.html', 'email/order-sent-you/template.json'])
      expect(readFileSync(join(cli.cwd, 'copy', file), 'utf8')).toBe(read(file));
    expect(await code('diff', 'copy', ...own)).toBe(0);
  });

  it('`templates push` prints the warnings of saved templates', async () => {
    put('sms/new/template.json', JSON.stringify({ name: 'New', body: 'Hi *|FNAME|*' }));
    const pushed = await cli.run(['templates', 'push', '--yes']);
    expect(pushed.code).toBe(0);
    expect(pushed.err).toContain('sms template New body: *|FNAME|* is a tag of another system');
  });

  it('`templates push` creates, updates and with --prune deletes templates by name', async () => {
    rmSync(join(home, 'sms'), { recursive: true });
    rmSync(join(home, 'email/order-sent-you/body.txt'));
    put('email/order-sent-you/body.html', '<p>new</p>');
    put('push/anything/template.json', '{ "name": "Q", "title": "q" }');
    const looked = await cli.run(['templates', 'diff']);
    expect(looked.code).toBe(1);
    expect(looked.out.split('\n').slice(0, 2)).toEqual([
      '+ create  push  Q',
      '~ update  email  Order sent: "you"  html, text',
    ]);
    expect(looked.out).toContain('1 to create, 1 to update, 1 unchanged (1 only in the project: kept)');
    expect(await code('push', '--dry-run', '--exit-code')).toBe(1);
    expect(await code('push')).toBe(9);
    expect((await cli.beckon.templates.list(cli.scope, 'push')).data).toHaveLength(1);

    expect(await code('push', '--yes')).toBe(0);
    expect((await cli.beckon.templates.list(cli.scope, 'sms')).data).toHaveLength(1);
    const pruned = await cli.run(['templates', 'push', '--yes', '--prune']);
    expect(pruned.out).toContain('- remove  sms  S');
    expect((await cli.beckon.templates.list(cli.scope, 'sms')).data).toEqual([]);
    const [{ id, version } = { id: '', version: 0 }] = (await cli.beckon.templates.list(cli.scope, 'email')).data;
    expect(version).toBe(2);
    const changed = await cli.beckon.templates.get(cli.scope, 'email', id);
    expect(changed).toMatchObject({ html: '<p>new</p>', subject: mail.subject });
    expect(changed).not.toHaveProperty('text');
    expect(await code('diff')).toBe(0);
    expect((await cli.run(['templates', 'push', '--yes', '--prune'])).out).toContain(
      '0 to create, 0 to update, 0 to remove',
    );
  });

  it('`templates push` asks on a terminal and does nothing without a yes', async () => {
    put('push/q/template.json', '{ "name": "Q", "title": "q" }');
    const answer = await cli.run(['templates', 'push'], { isTTY: true });
    expect([answer.code, answer.err.includes('create')]).toEqual([1, true]);
    expect((await cli.beckon.templates.list(cli.scope, 'push')).data).toHaveLength(1);
  });

  it.each([
    ['a file that is no JSON', 'push/q/template.json', '{', 5],
    ['a file without a name', 'push/q/template.json', '{}', 5],
    ['a text without its template', 'email/q/body.html', 'x', 5],
    ['a name that two have', 'push/q/template.json', '{"name":"P","title":"t"}', 5],
    ['a text that is given twice', 'email/order-sent-you/raw.html', 'x', 5],
    ['tags that are not closed', 'push/q/template.json', '{"name":"Q","title":"{{trait.name"}', 5],
  ])('`templates push` rejects %s with its path', async (_, file, text, expected) => {
    put(file, text);
    const { code: exit, err } = await cli.run(['templates', 'push', '--yes']);
    expect([exit, err]).toEqual([expected, expect.stringMatching(/Q|q|template|html/)]);
  });

  it('`templates push --prune` rejects a folder without templates', async () => {
    expect(await code('push', 'nowhere', '--yes', '--prune')).toBe(1);
    // A missing folder is reported before the confirmation.
    expect(await code('push', 'nowhere')).toBe(1);
    expect((await cli.beckon.templates.list(cli.scope, 'push')).data).toHaveLength(1);
    expect(existsSync(join(cli.cwd, 'nowhere'))).toBe(false);
  });

  it('templates are listed, and shown by name, id and short id', async () => {
    const { out } = await cli.run(['templates', 'list', '--json']);
    expect((JSON.parse(out) as { data: { name: string }[] }).data.map(({ name }) => name)).toEqual([
      'P',
      mail.name,
      'S',
    ]);
    const [{ id } = { id: '' }] = (await cli.beckon.templates.list(cli.scope, 'sms')).data;
    for (const text of ['S', id, id.slice(-8)])
      expect((await cli.run(['templates', 'show', text])).out).toContain('{{event.what}}');
    expect(await code('show', 'nothing')).toBe(1);
    await cli.beckon.templates.create(cli.scope, 'push', { name: 'S', title: 't' });
    expect(await code('show', 'S')).toBe(2);
    expect(await code('show', 'S', '--channel', 'push')).toBe(0);
  });

  it('`templates preview` renders for a user or with example values', async () => {
    await cli.beckon.events.identify(cli.scope, { userId: 'ada', traits: { name: 'Ada', email: 'ada@example.com' } });
    const argv = ['templates', 'preview', mail.name, '--env', 'test'];
    const hers = await cli.run([...argv, '--user', 'ada']);
    expect([hers.code, hers.out]).toEqual([0, expect.stringContaining('Hi Ada')]);
    expect((await cli.run(argv)).out).toContain('Hi there');
    const nothing = await cli.run(['templates', 'preview', 'S', '--env', 'test']);
    expect([nothing.code, nothing.out, nothing.err]).toEqual([
      1,
      expect.stringContaining('suppressed (empty_body)'),
      expect.stringContaining('event.what'),
    ]);
    const preview = await cli.run(['templates', 'preview', 'S', '--env', 'test', '--data', 'what=news', '--json']);
    expect(JSON.parse(preview.out)).toMatchObject({ data: { status: 'queued', content: { body: 'news' } } });
  });
});
