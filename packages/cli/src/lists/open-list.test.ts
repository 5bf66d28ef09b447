import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openList } from './open-list.ts';
import type { ImportFlags } from './options.ts';
import type { ListKind } from './values.ts';

const ioOf = (bytes: Uint8Array, cwd = '/') => ({
  cwd,
  stdin: { isTTY: false, read: async () => bytes, prompt: async () => '' },
});

/** Values of a list, rejected rows as `line: reason`, and its description. */
const read = async (content: string | Uint8Array, kind: ListKind = 'email', flags: ImportFlags = {}) => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  await using list = await openList(ioOf(bytes), '-', kind, flags);
  const [values, rejected]: [string[], string[]] = [[], []];
  for await (const entries of list.entries())
    for (const { value, problem, row } of entries)
      if (value === null) rejected.push(`${row.line}: ${problem}`);
      else values.push(value);
  return { values, rejected, how: list.description, source: list.source };
};

/** Exports as documented by their vendors, with two contacts each. */
const EXPORTS: readonly (readonly [name: string, content: string | Uint8Array, column: string])[] = [
  [
    'Mailchimp',
    'Email Address,First Name,Last Name,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,TAGS,LEID,EUID\n' +
      'ann@example.com,Ann,"Lee, Jr.",4,2026-01-02 03:04:05,,2026-01-02 03:04:05,"""vip"",""a,b""",1,x1\n' +
      'bob@example.com,Bob,Ng,2,,,,,2,x2\n',
    'Email Address',
  ],
  [
    'SendGrid',
    'status,reason,email,created\n5.1.1,"550 5.1.1 <ann@example.com>: unknown, see\nhttps://x.example",ann@example.com,1443651125\n' +
      ',,bob@example.com,1443651126\n',
    'email',
  ],
  [
    'SendGrid by its API',
    JSON.stringify(
      ['ann@example.com', 'bob@example.com'].map((email) => ({
        created: 1_443_651_125,
        email,
        reason: 'x',
        status: '',
      })),
    ),
    'email',
  ],
  [
    'HubSpot',
    '"Record ID","First Name","Last Name","Email","Phone Number","Contact owner","Lead Status"\r\n' +
      '"101","Ann","Lee","ann@example.com","","owner@shop.example","New"\r\n' +
      '"102","Bob","Ng","bob@example.com","+14155550123","owner@shop.example",""\r\n',
    'Email',
  ],
  [
    'Klaviyo',
    'Email,Klaviyo ID,First Name,Last Name,Organization,Phone Number,External ID,Email Marketing Consent\n' +
      'ann@example.com,01H,Ann,Lee,,,u1,SUBSCRIBED\nbob@example.com,01J,Bob,Ng,,,u2,NEVER_SUBSCRIBED\n',
    'Email',
  ],
  [
    'Google Contacts',
    'First Name,Middle Name,Last Name,Notes,Labels,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Value\n' +
      'Ann,,Lee,"Two\nlines",* myContacts,* Work,ann@example.com,Home,other@example.com,+1 415 555 0134\n' +
      'Bob,,Ng,,* myContacts,,bob@example.com,,,\n',
    'E-mail 1 - Value',
  ],
  [
    'Outlook',
    '"Title","First Name","Last Name","Company","Business Street","E-mail Address","E-mail Type","E-mail 2 Address"\r\n' +
      '"","Ann","Lee","Shop","1 Main St\r\n2nd floor","ann@example.com","SMTP","ann@home.example"\r\n' +
      '"","Bob","Ng","","","bob@example.com","SMTP",""\r\n',
    'E-mail Address',
  ],
  [
    'Excel in German',
    'Name;E-Mail-Adresse;Ort\r\nMüller, Ann;ann@example.com;Köln\r\nNg;bob@example.com\r\n',
    'E-Mail-Adresse',
  ],
  [
    'Excel in French as Unicode text',
    Buffer.from('\ufeffPrénom\tAdresse électronique\r\nAndré\tann@example.com\r\nZoé\tbob@example.com\r\n', 'utf16le'),
    'Adresse électronique',
  ],
  [
    'Excel for Macintosh',
    'Nombre;Correo electrónico\rAna;ann@example.com\rBea;bob@example.com\r',
    'Correo electrónico',
  ],
  [
    'a sheet that names its delimiter',
    'sep=|\r\nNaam|E-mailadres\r\nAn|ann@example.com\r\nBo|bob@example.com',
    'E-mailadres',
  ],
  ['a message log', 'id,recipient_email\n1,ann@example.com\n2,bob@example.com\n', 'recipient_email'],
  ['a table of which no name is known', 'wer,wohin\nx,ann@example.com\ny,bob@example.com\n', 'wohin'],
  ['JSON by lines', '{"mail":"ann@example.com","n":1}\n\n{"mail":"bob@example.com"}\n', 'mail'],
];

describe('a list of addresses', () => {
  it.each(EXPORTS)('an export of %s is read by its column of addresses', async (_, content, column) => {
    const { values, rejected, source } = await read(content);
    expect([values, rejected, source.columnName]).toEqual([['ann@example.com', 'bob@example.com'], [], column]);
  });

  it('the guessed column is described with its delimiter, encoding and header', async () => {
    const { how } = await read('Name;E-Mail-Adresse;Berater\nAnn;ann@example.com;b@shop.example\n');
    expect(how).toBe(
      'Reading email addresses from column 2 "E-Mail-Adresse" (delimiter semicolon, UTF-8, header in line 1).' +
        ' Column 3 "Berater" also contains email addresses: choose with --column.',
    );
  });

  it.each([
    ['two columns hold addresses', 'from,to\na@example.com,b@example.com\n', 'columns 1, 2 contain email addresses'],
    ['two columns have the same name', 'email,Email\na@x.de,b@x.de\n', 'columns 1, 2 contain email addresses'],
    ['the named column holds none', 'email,contact\nAnn,ann@example.com\n', 'the column named for'],
    [
      'no column contains one',
      'Name;Ort\nAnn;Ulm\n',
      'no column contains email addresses; the columns are 1 "Name", 2 "Ort"',
    ],
    ['one line holds several', 'a@x.de, b@x.de\n', 'columns 1, 2 contain email addresses'],
    ['it has no row', 'email\n', 'contains no email address'],
    ['it is an object', '{\n "data": [{"email":"a@x.de"}]\n}', 'is JSON, but neither an array nor one value per line'],
    ['its array breaks off', '[{"email":"a@x.de"},{"email":"b', 'the file ends before the array does'],
    ['its array has broken JSON', '[{"email":"a@x.de"},{email}]', 'is not a JSON array'],
    ['it is a workbook', Buffer.from('PK\u0003\u0004xxxx'), 'Excel workbook'],
  ])('a file is rejected as a whole if %s', async (_, content, message) => {
    await expect(read(content)).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining(message) });
  });

  it('--column names a column by its name in any spelling, or by its number', async () => {
    const text = 'from,Reply To\na@example.com,b@example.com\n';
    expect((await read(text, 'email', { column: 'reply-to' })).values).toEqual(['b@example.com']);
    expect((await read(text, 'email', { column: '1' })).values).toEqual(['a@example.com']);
    await expect(read(text, 'email', { column: '3' })).rejects.toThrow('there is no column "3"');
  });

  it('display names and mailto: are removed, and two recipients in one cell are rejected', async () => {
    const { values, rejected } = await read(
      'Ann Lee <ann@example.com>\n"Lee, Bob" <bob@example.com>\nmailto:cy@example.com\n<dee@example.com>\n' +
        '"""Fay"" fay@example.com"\ngil@x.de, Hal <hal@x.de>\n',
    );
    expect(values).toEqual([
      'ann@example.com',
      'bob@example.com',
      'cy@example.com',
      'dee@example.com',
      '"Fay" fay@example.com',
    ]);
    expect(rejected).toEqual(['6: does not contain exactly one email address']);
    const several = await read('Name,E-mail 1 - Value\nAnn,ann@x.de ::: lee@x.de\n');
    expect(several.values).toEqual(['ann@x.de', 'lee@x.de']);
  });

  it('a list without a header keeps its first row', async () => {
    expect((await read('ann@example.com;Ann\nbob@example.com;Bob\n')).values).toHaveLength(2);
    expect((await read('ann@example.com\n')).how).toBe('Reading email addresses, one per line (UTF-8, no header).');
  });

  it('a row with more cells than the header and a row without an address are rejected by their lines', async () => {
    const { values, rejected } = await read('name,email\nDoe, Ann,ann@x.de\nBob,bob@x.de\n\nCy,\nDee\n,,\n');
    expect(values).toEqual(['bob@x.de']);
    expect(rejected).toEqual(['2: has 3 cells instead of 2', '5: has no email address', '6: has no email address']);
  });

  it('separators in phone numbers are removed', async () => {
    const text = "Name,Handy\nAnn,+49 (151) 555-0100\nBob,'+49.151.5550101\nCy,0151 5550102\n";
    expect((await read(text, 'phone')).values).toEqual(['+491515550100', '+491515550101', '0151 5550102']);
  });
});

describe('a list of user ids', () => {
  it.each([
    ['one a line', 'ada\n bob \n"c,d"\n', ['ada', 'bob', 'c,d']],
    ['a column of a table', 'email;Benutzer-ID\na@x.de;ada\nb@x.de;" b "\n', ['ada', ' b ']],
    ['a column of ids with a pipe', 'user_id\nauth0|1\ngoogle|2\n', ['auth0|1', 'google|2']],
    ['a JSON array of objects', '[{"userId":"ada"},\n{"userId":42}]', ['ada', '42']],
    ['a JSON array of texts', '["ada", "b]{\\"c"]', ['ada', 'b]{"c']],
    ['JSON by lines with texts among objects', '{"userId":"ada","joinedAt":"x"}\r\n"bob"\r\n', ['ada', 'bob']],
    ['a list of ids in brackets', '{3f25}\n{3f26}\n', ['{3f25}', '{3f26}']],
  ])('%s is read', async (_, text, ids) => {
    const { values, rejected } = await read(text, 'user');
    expect([values, rejected]).toEqual([ids, []]);
  });

  it.each([
    ['a header without an id', 'name,email\nAnn,ann@x.de\n', {}, 'no column has a name for user ids'],
    ['one column that is none of ids', 'email\nann@x.de\n', {}, 'no column has a name for user ids: 1 "email"'],
    [
      'a table without a header',
      'ada,pro\nbob,free\n',
      {},
      'there is no header, and several columns: 1 "ada", 2 "pro"',
    ],
    ['a number in place of a column, and no header', 'ada,pro\nbob,free\n', { column: '1' }, 'line 1 may be a header'],
    ['a first line unlike the others', 'Kd-Nr\n17\n18\n', {}, 'line 1 may be a header: 1 "Kd-Nr"'],
    ['two columns of ids', 'user_id,external_id\n1,2\n', {}, 'several columns may contain user ids'],
    ['an array of objects without an id', '[{"name":"Ann"}]', {}, 'no column has a name for user ids: 1 "name"'],
  ])('%s is rejected, and the columns are named', async (_, text, flags, message) => {
    await expect(read(text, 'user', flags)).rejects.toThrow(message);
  });

  it('--header, --no-header and --delimiter override detection', async () => {
    expect((await read('ada,pro\nbob,x\n', 'user', { column: '1', header: false })).values).toEqual(['ada', 'bob']);
    expect((await read('wer,was\nbob,x\n', 'user', { column: '1', header: true })).values).toEqual(['bob']);
    expect((await read('a|1\nb|2\n', 'user', { delimiter: '\u001e' })).values).toEqual(['a|1', 'b|2']);
    expect((await read('name\nada\n', 'user', { header: false })).values).toEqual(['name', 'ada']);
  });

  it('an id with a stray quote is rejected, and a stray quote in another column is not', async () => {
    const { values, rejected } = await read('userId,size\n"d" e,1\nfay,5" pipe\n"gil,2\n', 'user');
    expect(values).toEqual(['fay']);
    expect(rejected).toEqual(['2: has a quote that is not closed', '4: has a quote that is not closed']);
  });

  it('rows without an id and rows that are too long, damaged or too short are rejected with their lines', async () => {
    const { values, rejected } = await read(
      `plan,userId\npro,\npro,${'x'.repeat(257)}\npro,a\0b\npro,M\ufffdller\nbroken\npro,ada\n`,
      'user',
    );
    expect(values).toEqual(['ada']);
    expect(rejected).toEqual([
      '2: has no user id',
      '3: is longer than 256 characters',
      '4: contains U+0000',
      '5: contains U+FFFD: an earlier conversion damaged it',
      '6: has 1 cells instead of 2',
    ]);
    const json = await read('{"userId":"ada"}\n{broken\n{"userId":{}}\n{"userId":null}\n', 'user');
    expect(json.rejected).toEqual(['2: is not JSON', '3: is not a user id', '4: has no user id']);
  });
});

describe('the encoding of a list', () => {
  const TEXT = 'Vorname,E-Mail\nJürgen,ann@example.com\nŽoë,jürgen@example.com\n';
  const VALUES = ['ann@example.com', 'jürgen@example.com'];
  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with its mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16LE with its mark', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['UTF-16LE by its pattern', Buffer.from(TEXT, 'utf16le')],
    ['UTF-16BE with its mark', Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16()],
    ['UTF-16BE by its pattern', Buffer.from(TEXT, 'utf16le').swap16()],
  ])('%s is detected', async (_, bytes) => {
    expect((await read(bytes)).values).toEqual(VALUES);
  });

  // "Prénom,email" and "É", in the bytes of each encoding.
  it.each([
    ['windows-1252', [0xe9], [0xc9], 'Prénom'],
    ['latin1', [0xe9], [0xc9], 'Prénom'],
    ['iso-8859-15', [0xe9], [0xc9], 'Prénom'],
    ['macintosh', [0x8e], [0x83], 'Prénom'],
    ['gbk', [0xc3, 0xfb], [0xc9, 0xbd], 'Pr名nom'],
    ['shift_jis', [0x96, 0xbc], [0x8e, 0x52], 'Pr名nom'],
  ])('--encoding %s is read', async (encoding, small, large, name) => {
    const bytes = [...Buffer.from('Pr'), ...small, ...Buffer.from('nom;user_id\na;'), ...large, ...Buffer.from('x\n')];
    const { values, how } = await read(Uint8Array.from(bytes), 'user', { encoding });
    expect([values, how.includes('column 2 "user_id"')]).toEqual([[name === 'Prénom' ? 'Éx' : '山x'], true]);
    expect((await read(Uint8Array.from(bytes), 'user', { encoding, column: name })).values).toEqual(['a']);
  });

  it('all characters of Windows-1252 are read', async () => {
    const bytes = Array.from({ length: 0x20 }, (_, at) => 0x80 + at).filter(
      (byte) => ![0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte),
    );
    const { values } = await read(Uint8Array.from([...bytes, 0xff]), 'user', { encoding: 'windows-1252' });
    expect(values).toEqual(['€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸÿ']);
  });

  it('Latin-1 is rejected before a row is read, with the line and how to convert it', async () => {
    for (const text of ['email\na@x.de\nJürgen <j@x.de>\n', 'email\ra@x.de\rJürgen <j@x.de>\r', 'email\r\na@x.de\r\nü'])
      await expect(read(Buffer.from(text, 'latin1'))).rejects.toMatchObject({
        exitCode: 5,
        message: expect.stringContaining('line 3 has the byte 0xFC, which is "ü" in Windows-1252'),
        hint: expect.stringContaining('iconv -f WINDOWS-1252 -t UTF-8'),
      });
    await expect(read('x', 'user', { encoding: 'klingon' })).rejects.toMatchObject({ exitCode: 2 });
    const half = Buffer.from('\ufeffann\nbob', 'utf16le').subarray(0, -1);
    await expect(read(half, 'user')).rejects.toThrow('is not utf-16le');
  });
});

describe('a list in a file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'beckon-lists-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('a large file is read in parts to its last row, also through a link', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `"name ""${at}""\r\nof",ü${at}`);
    writeFileSync(join(folder, 'users.csv'), ['name,userId', ...rows].join('\r\n'));
    symlinkSync(join(folder, 'users.csv'), join(folder, 'link.csv'));
    await using list = await openList(ioOf(Buffer.alloc(0), folder), 'link.csv', 'user', {});
    const found: string[] = [];
    let parts = 0;
    for await (const entries of list.entries()) {
      found.push(...entries.map(({ value, row }) => `${row.line} ${value}`));
      parts += 1;
    }
    expect(found).toEqual(rows.map((_, at) => `${2 + 2 * at} ü${at}`));
    expect(parts).toBeGreaterThan(5);
    expect([list.isAt(join(folder, 'users.csv')), list.isAt(join(folder, 'none'))]).toEqual([true, false]);
  });

  it('a folder and a missing file are rejected', async () => {
    for (const path of ['.', 'none.csv'])
      await expect(openList(ioOf(Buffer.alloc(0), folder), path, 'user', {})).rejects.toMatchObject({ exitCode: 1 });
  });
});
