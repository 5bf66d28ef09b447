import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foreignTags } from './foreign-tags.ts';

/** A tag in script notation, assembled so that linters do not report this file. */
const inScript = (name: string): string => `$${`{${name}}`}`;
const found = (text: string) => [...foreignTags(text, 50)];

describe('foreignTags', () => {
  it.each([
    '{% if user.plan %}',
    '{%- endfor -%}',
    '{% assign name = user.first_name | default: "you" %}',
    '*|FNAME|*',
    '*|IF:FNAME|*',
    '*|END:IF|*',
    '<%= name %>',
    '<% if (user) { %>',
    '<%- @user.name -%>',
    inScript('name'),
    inScript(' user.first_name '),
    '%recipient.name%',
    '%recipient.first-name%',
    '%%FirstName%%',
    '%%=v(@name)=%%',
    '[[first_name]]',
    '[[ user.email ]]',
  ])('%s is found within a text', (tag) => {
    expect(found(`Hi ${tag}, welcome`)).toEqual([tag]);
  });

  it.each([
    'Save 50% today: 20%-30% off {everything}, *only* today | until midnight | *while stocks last*',
    `Prices from $5, $9.99, ${inScript('99')} or US$ {20}. 100%! 5 < 10% > 3. 10%% off, 20%% off`,
    'From $10 {per month} to $1,000. C++ || Java || *|*',
    '<style>@media (max-width:600px){.a{width:100%}}@keyframes x{0%{left:0}50%{left:50%}to{left:100%}}</style>',
    '<td width="50%" style="width:50%;background:url(https://a.example/%E2%80%99%20b%.png)">100%</td>',
    '<!--[if mso]><table><![endif]--><a href="https://a.example/?q=%7B%7D&x=[[1]]">link</a>',
    '{"items":[[1,2],[3]],"names":[["a","b"]],"rate":"50%","price":"$5","nested":{"a":{"b":{}}}}',
    '.grid { grid-template-areas: "a a" "b b"; width: calc(100% - 2px) } [[Wiki link]] [[2]] [[see below]]',
    'const list = [[0], [1]]; a % b; x<y; {a:{b:1}}',
    'utm_campaign=%25off%25&ref=%%20 100%% cotton %% 50%%',
    'Regular expression *|a*b|* | and a || b',
  ])('%j contains no foreign tag', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('numbers, prices, percentages and brackets contain no foreign tag', () => {
    const unit = fc.constantFrom('$', '5', '9.99', '%', ' 10 ', '[', ']', '*', '|', '<', '>', '{', '}', ' ', ':', '-');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        expect(found(text)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('the number of checked positions is bounded', () => {
    const started = process.cpuUsage();
    for (const unit of [
      '{%',
      '{% a',
      '*|',
      '*|a',
      '<%',
      '<% a',
      '${',
      '${a',
      '%recipient.',
      '%%',
      '%% a',
      '[[',
      '[[user.a',
    ])
      expect(found(unit.repeat(1_000_000 / unit.length))).toEqual([]);
    expect(process.cpuUsage(started).user).toBeLessThan(3_000_000);
    expect(found(inScript('a').repeat(1_000))).toHaveLength(50);
  });
});
