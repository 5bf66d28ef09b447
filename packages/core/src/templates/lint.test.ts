import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lint } from './lint.ts';

const said = (text: string) => lint(text).map(({ level, code }) => `${level} ${code}`);

describe('lint', () => {
  it.each([
    '',
    'plain } text { with }} braces',
    '<style>@media print { a { color: red }}</style>',
    'Hi {{trait.first name}}, {{event.order.id}} and {{ user.email }}',
    'Hi {{trait.name | default: "there"}}',
    '{{user.userId}}{{user.createdAt}}{{user.lastSeenAt}}{{user.locale}}{{user.timezone}}',
  ])('finds nothing in %j', (text) => {
    expect(lint(text)).toEqual([]);
  });

  it('knows of the fields that a channel gives, and of nothing within them', () => {
    expect(lint('{{user.unsubscribeUrl}}', ['unsubscribeUrl'])).toEqual([]);
    for (const text of ['{{user.unsubscribeUrl.a}}', '{{user.other}}'])
      expect(lint(text, ['unsubscribeUrl'])).toMatchObject([{ code: 'unknown_variable' }]);
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
  ])('calls %s wrong: %s', (text, code) => {
    expect(said(text)).toEqual([`error ${code}`]);
  });

  it.each([
    ['{{user.name}}', 'unknown_variable'],
    ['{{user.email.domain}}', 'unknown_variable'],
    ['{{steps.score.text}}', 'only_in_workflows'],
    ['{{{trait.name}}}', 'stray_brace'],
  ])('calls %s odd: %s', (text, code) => {
    expect(said(text)).toEqual([`warning ${code}`]);
  });

  it('says each in its place, quotes what it means, and stops after many', () => {
    expect(said('{{a.b}} {{trait.x}} {{}} {{user.x}}')).toEqual([
      'error unknown_scope',
      'error empty_path',
      'warning unknown_variable',
    ]);
    expect(lint('{{foo.bar}}')[0]?.message).toContain('{{foo.bar}}');
    expect(lint('{{trait.a {{}}').map(({ message }) => /not closed|names nothing/.exec(message)?.[0])).toEqual([
      'not closed',
      'names nothing',
    ]);
    expect(lint('{{a}}'.repeat(10_000))).toHaveLength(50);
    expect(lint('{{'.repeat(10_000))).toHaveLength(50);
  });

  it('is fast enough for the largest of mails, and finds every tag that would be shown', () => {
    const started = process.cpuUsage();
    for (const unit of ['{{', '{{a', '{{}}', '{{a}', '{{trait.a}}', '{']) lint(unit.repeat(1_000_000 / unit.length));
    expect(process.cpuUsage(started).user).toBeLessThan(1_500_000);
    const text = fc.string({ unit: fc.constantFrom('{{', '}}', 'trait.a', '.', ' ', '{', '}', 'x'), maxLength: 12 });
    fc.assert(
      fc.property(text, (source) => {
        const isRight = lint(source).every(({ level }) => level !== 'error');
        // Of a text without error nothing is left that looks like a tag, once its tags are gone.
        if (isRight) expect(source.replaceAll(/\{\{[^{}]+\}\}/g, 'x')).not.toContain('{{');
      }),
      { numRuns: 500 },
    );
  });
});
