import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lint } from './lint.ts';

const findingsOf = (text: string) => lint(text).map(({ level, code }) => `${level} ${code}`);

describe('lint', () => {
  it.each([
    '',
    'plain } text { with }} braces',
    '<style>@media print { a { color: red }}</style>',
    'Hi {{trait.first name}}, {{event.order.id}} and {{ user.email }}',
    'Hi {{trait.name | default: "there"}}',
    "Write {{ '{{' }}trait.name}} for a name",
    'The first item is {{event.items.0.name}}',
    '{{user.userId}}{{user.createdAt}}{{user.lastSeenAt}}{{user.locale}}{{user.timezone}}',
  ])('%j has no findings', (text) => {
    expect(lint(text)).toEqual([]);
  });

  it('fields that a channel provides are known, paths within them are not', () => {
    expect(lint('{{user.unsubscribeUrl}}', { userFields: ['unsubscribeUrl'] })).toEqual([]);
    for (const text of ['{{user.unsubscribeUrl.a}}', '{{user.other}}'])
      expect(lint(text, { userFields: ['unsubscribeUrl'] })).toMatchObject([{ code: 'unknown_variable' }]);
  });

  it.each([
    ['Hi {{trait.name', 'unclosed_tag'],
    ['Hi {{trait.name}', 'unclosed_tag'],
    ['{{trait.a {{trait.b}}', 'unclosed_tag'],
    ['{{trait.{a}}}', 'unclosed_tag'],
    ['{{}}', 'empty_path'],
    ['{{ }}', 'empty_path'],
    ['{{trait..a}}', 'empty_path'],
    ['{{trait.a.}}', 'empty_path'],
    ['{{event}}', 'empty_path'],
    ['{{foo.bar}}', 'unknown_scope'],
    ['{{name}}', 'unknown_scope'],
    ['{{Trait.name}}', 'unknown_scope'],
    ['{{secret.TOKEN}}', 'unknown_scope'],
    ['{{#if trait.a}}', 'unknown_scope'],
    ['{{trait.a | upper}}', 'unknown_filter'],
    ['{{trait.a | default: there}}', 'unknown_filter'],
    ['{{foo.bar | default: "x"}}', 'unknown_scope'],
  ])('%s is the error %s', (text, code) => {
    expect(findingsOf(text)).toEqual([`error ${code}`]);
  });

  it.each([
    ['{{user.name}}', 'unknown_variable'],
    ['{{user.email.domain}}', 'unknown_variable'],
    ['{{steps.score.text}}', 'only_in_workflows'],
    ['{{{trait.name}}}', 'stray_brace'],
  ])('%s is the warning %s', (text, code) => {
    expect(findingsOf(text)).toEqual([`warning ${code}`]);
  });

  it.each([
    ['{{traits.first_name}}', '{{trait.first_name}}'],
    ['{{Trait.first_name}}', '{{trait.first_name}}'],
    ['{{users.email}}', '{{user.email}}'],
    ['{{profile.plan}}', '{{trait.plan}}'],
    ['{{properties.order.id}}', '{{event.order.id}}'],
    ['{{evnt.order}}', '{{event.order}}'],
    ['{{first_name}}', '{{trait.first_name}}'],
    ['{{email}}', '{{user.email}}'],
    ['{{user.userid}}', '{{user.userId}}'],
    ['{{user.plan}}', '{{trait.plan}}'],
    ['{{user.unsubscribeURL}}', '{{user.unsubscribeUrl}}'],
  ])('%s is suggested for %s', (text, meant) => {
    expect(lint(text, { userFields: ['unsubscribeUrl'] }).map(({ message }) => message)).toEqual([
      expect.stringContaining(`Did you mean ${meant}?`),
    ]);
  });

  it('a path unlike any scope gets no suggestion', () => {
    for (const text of ['{{shop.name}}', '{{#if trait.a}}', '{{/if}}', '{{else}}', `{{${'x'.repeat(100)}.y}}`])
      expect(lint(text).map(({ message }) => message)).toEqual([expect.not.stringContaining('Did you mean')]);
  });

  it('workflow texts may read saved steps, and secrets where they are available', () => {
    const saved = new Set(['score']);
    expect(lint('{{steps.score.text}}', { saved })).toEqual([]);
    expect(lint('{{steps.other.text}}', { saved })).toMatchObject([{ code: 'unknown_variable' }]);
    expect(lint('{{secret.TOKEN}}', { saved, hasSecrets: true })).toEqual([]);
  });

  it('each finding is reported once, quotes its tag, and the number is limited', () => {
    expect(findingsOf('{{a.b}} {{trait.x}} {{}} {{user.x}}')).toEqual([
      'error unknown_scope',
      'error empty_path',
      'warning unknown_variable',
    ]);
    expect(lint('{{foo.bar}}')[0]?.message).toContain('{{foo.bar}}');
    expect(lint('{{trait.a {{}}').map(({ message }) => /not closed|names nothing/.exec(message)?.[0])).toEqual([
      'not closed',
      'names nothing',
    ]);
    const many = Array.from({ length: 10_000 }, (_, at) => `{{a${at}}}`).join('');
    expect(lint(many)).toHaveLength(50);
    expect(lint('{{a}}'.repeat(10_000))).toHaveLength(1);
    expect(lint('{{'.repeat(10_000))).toHaveLength(1);
  });

  it('the largest emails are checked fast, and every tag that would be visible is found', () => {
    const started = process.cpuUsage();
    for (const unit of ['{{', '{{a', '{{}}', '{{a}', '{{trait.a}}', '{']) lint(unit.repeat(1_000_000 / unit.length));
    expect(process.cpuUsage(started).user).toBeLessThan(1_500_000);
    const text = fc.string({ unit: fc.constantFrom('{{', '}}', 'trait.a', '.', ' ', '{', '}', 'x'), maxLength: 12 });
    fc.assert(
      fc.property(text, (source) => {
        const isRight = lint(source).every(({ level }) => level !== 'error');
        // After removing its tags, a text without errors has nothing left that looks like a tag.
        if (isRight) expect(source.replaceAll(/\{\{[^{}]+\}\}/g, 'x')).not.toContain('{{');
      }),
      { numRuns: 500 },
    );
  });
});
