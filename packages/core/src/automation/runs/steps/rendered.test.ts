import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emailTemplate } from '../../../messaging/email/template.ts';
import { pushTemplate } from '../../../messaging/push/template.ts';
import { smsTemplate } from '../../../messaging/sms/template.ts';
import type { StoredStep } from '../cursor.ts';
import { STEP_TYPES } from './catalog.ts';
import { stepTypes } from './list.ts';
import { RENDERED } from './rendered.ts';

const GUIDE = new URL('../../../../../../docs/guides/templates.md', import.meta.url);

/** Rows of the guide's table of rendered fields, by subject. */
const guideRows = (): Map<string, string> => {
  const [, table = ''] = readFileSync(GUIDE, 'utf8').split('## Templated fields\n');
  const rows = (table.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.map((row) => {
      const [, name = '', fields = ''] = row.split('|').map((cell) => cell.trim());
      return [name.replaceAll('`', ''), fields];
    }),
  );
};
const listed = (fields: readonly string[]): string =>
  fields.length === 0 ? 'none' : fields.map((field) => `\`${field}\``).join(', ');

const TAG = '{{event.order}}';
const warned = (step: StoredStep): string[] =>
  [...stepTypes.findings([step], 'steps')].flatMap(({ code, path }) =>
    code === 'not_rendered' ? [path.replace('steps.0.config.', '')] : [],
  );
/** Configs with a placeholder in every text that the schema accepts. */
const FULL: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  send_email: {
    to: TAG,
    from: TAG,
    replyTo: TAG,
    subject: TAG,
    preheader: TAG,
    text: TAG,
    html: TAG,
    localized: { de: { subject: TAG, preheader: TAG, text: TAG, html: TAG } },
    headers: { 'X-Order': TAG },
    attachments: [{ filename: TAG, contentType: 'text/plain', content: 'aGk=' }],
    variables: { a: TAG },
    category: TAG,
  },
  send_push: {
    title: TAG,
    body: TAG,
    localizedTitle: { de: TAG },
    localizedBody: { de: TAG },
    data: { a: TAG },
    actions: [{ id: TAG, title: TAG, url: TAG, icon: TAG }],
    imageUrl: TAG,
    collapseKey: TAG,
    threadId: TAG,
    sound: TAG,
    variables: { a: TAG },
    category: TAG,
  },
  send_sms: { to: TAG, body: TAG, localizedBody: { de: TAG }, variables: { a: TAG }, category: TAG },
  update_profile: {
    set: { a: TAG },
    setOnce: { a: TAG },
    increment: { a: TAG },
    append: { a: TAG },
    remove: { a: TAG },
    unset: [TAG],
  },
  webhook: { url: `https://a.example/${TAG}`, headers: { 'X-Order': TAG }, body: { a: TAG } },
  wait: { event: { eventType: TAG, filters: { a: TAG }, timeoutMinutes: 5, onTimeout: 'continue' } },
  branch: { branches: [{ name: TAG, when: { trait: 'a', op: 'eq', value: TAG }, steps: [] }] },
  ai_action: { flavor: 'decide', prompt: TAG, options: [{ name: TAG, description: TAG }, { name: 'b' }], saveAs: 'x' },
};

/** Fields of those configs that are used as written. */
const LITERAL: Readonly<Record<string, readonly string[]>> = {
  send_email: ['headers.X-Order', 'attachments.0.filename', 'category'],
  send_push: ['actions.0.id', 'actions.0.icon', 'collapseKey', 'threadId', 'sound', 'category'],
  send_sms: ['category'],
  update_profile: ['unset.0'],
  webhook: [],
  wait: ['event.eventType'],
  branch: ['branches.0.name', 'branches.0.when.value'],
  ai_action: ['options.0.name', 'options.0.description'],
};

describe('rendered fields', () => {
  it.each(STEP_TYPES)('every text of a %s step is either rendered or named by a warning', (type) => {
    const parsed = stepTypes.schema.parse({ type, config: { ...FULL[type], name: TAG } });
    expect(warned(parsed).toSorted()).toEqual([...(LITERAL[type] ?? []), 'name'].toSorted());
  });

  it.each(STEP_TYPES)('a %s step declares its row of the table', (type) => {
    expect(stepTypes.find(type)?.renders).toBe(RENDERED[type]);
  });

  it('the guide to templates lists the rendered fields of every step and every channel', () => {
    const rows = guideRows();
    for (const type of STEP_TYPES)
      expect([type, rows.get(type)]).toEqual([type, listed(RENDERED[type].flatMap(({ fields }) => [...fields]))]);
    for (const { channel, texts } of [emailTemplate, pushTemplate, smsTemplate])
      expect([channel, rows.get(`POST /${channel}/send`)]).toEqual([channel, listed(texts)]);
    expect(rows.get('trigger')).toBe('none');
    expect(rows.size).toBe(STEP_TYPES.length + 4);
  });
});
