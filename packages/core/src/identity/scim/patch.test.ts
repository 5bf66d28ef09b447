import { describe, expect, it } from 'vitest';
import { readDocument } from './documents.ts';
import { MAX_OPERATIONS, patchDocument, readOperations } from './patch.ts';
import { ENTERPRISE_SCHEMA_ID, GROUP_RESOURCE, USER_RESOURCE } from './schemas.ts';

const ada = () =>
  readDocument(USER_RESOURCE, {
    userName: 'Ada@Example.com',
    active: true,
    name: { givenName: 'Ada', familyName: 'Byron' },
    emails: [{ value: 'ada@example.com', type: 'home', primary: true }],
  });
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const patchedUser = (...Operations: unknown[]) =>
  plain(patchDocument(USER_RESOURCE, ada(), readOperations({ Operations })));
const team = (...ids: string[]) =>
  readDocument(GROUP_RESOURCE, { displayName: 'Team', members: ids.map((value) => ({ value })) });
const membersAfter = (ids: string[], ...Operations: unknown[]) => {
  const { members } = patchDocument(GROUP_RESOURCE, team(...ids), readOperations({ Operations }));
  return Array.isArray(members) ? members.map(({ value }) => value) : [];
};
const refusal = (...Operations: unknown[]) => {
  try {
    patchedUser(...Operations);
  } catch (error) {
    return error;
  }
  throw new Error('the operations were accepted');
};

describe('PATCH of a user', () => {
  it('C9 an operation without a path changes each attribute of its value, as Okta deactivates a user', () => {
    expect(patchedUser({ op: 'replace', value: { active: false } })).toMatchObject({ active: false });
  });

  it('C13 operations may begin with a capital', () => {
    const document = patchedUser(
      { op: 'Add', path: 'title', value: 'Countess' },
      { op: 'Replace', path: 'displayName', value: 'Ada' },
      { op: 'Remove', path: 'name.familyName' },
    );
    expect(document).toMatchObject({ title: 'Countess', displayName: 'Ada', name: { givenName: 'Ada' } });
    expect(document).not.toHaveProperty('name.familyName');
  });

  it.each(['False', 'false', false])('C14 the value %j for active deactivates a user', (value) => {
    expect(patchedUser({ op: 'Replace', path: 'active', value })).toMatchObject({ active: false });
  });

  it.each([
    ['C15', 'emails[type eq "work"].value', 'emails', { type: 'work', value: 'x' }],
    ['C16', 'phoneNumbers[type eq "mobile"].value', 'phoneNumbers', { type: 'mobile', value: 'x' }],
    ['C17', 'addresses[type eq "work"].locality', 'addresses', { type: 'work', locality: 'x' }],
    ['C18', 'roles[primary eq "True"].value', 'roles', { primary: true, value: 'x' }],
    ['C19', 'entitlements[type eq "seat"].value', 'entitlements', { type: 'seat', value: 'x' }],
  ])('%s a replace of %s creates the missing element', (_, path, list, element) => {
    expect(patchedUser({ op: 'Replace', path, value: 'x' })).toHaveProperty(list, expect.arrayContaining([element]));
  });

  it('C20 an invalid operation after valid ones changes nothing', () => {
    const document = ada();
    const before = plain(document);
    const operations = readOperations({
      Operations: [
        { op: 'replace', path: 'emails[type eq "home"].value', value: 'eve@example.com' },
        { op: 'replace', path: 'unknown', value: 1 },
      ],
    });
    expect(() => patchDocument(USER_RESOURCE, document, operations)).toThrow('Operation 2');
    expect(plain(document)).toEqual(before);
  });

  it('C21 the text True is a boolean', () => {
    expect(patchedUser({ op: 'Add', path: 'emails[type eq "work"].primary', value: 'True' })).toMatchObject({
      emails: [{ primary: false }, { type: 'work', primary: true }],
    });
  });

  it('C22 names with dots and filters are paths in a value without a path', () => {
    const value = { 'name.givenName': 'Augusta', 'emails[type eq "work"].value': 'work@example.com' };
    expect(patchedUser({ op: 'Add', value })).toMatchObject({
      name: { givenName: 'Augusta', familyName: 'Byron' },
      emails: [{ type: 'home' }, { type: 'work', value: 'work@example.com' }],
    });
  });

  it('C23 enterprise attributes are set by URN in a path, in a name and as an object', () => {
    const document = patchedUser(
      { op: 'Add', path: `${ENTERPRISE_SCHEMA_ID}:department`, value: 'Engines' },
      { op: 'Add', value: { [`${ENTERPRISE_SCHEMA_ID}:division`]: 'North' } },
      { op: 'Add', value: { [ENTERPRISE_SCHEMA_ID]: { costCenter: '7' } } },
      { op: 'Add', path: `${ENTERPRISE_SCHEMA_ID}:manager`, value: 'm1' },
    );
    expect(document).toHaveProperty([ENTERPRISE_SCHEMA_ID], {
      department: 'Engines',
      division: 'North',
      costCenter: '7',
      manager: { value: 'm1' },
    });
  });

  it.each(['', null, { value: '' }, []])('C23 a replace of the manager by %j removes it', (value) => {
    const path = `${ENTERPRISE_SCHEMA_ID}:manager`;
    const document = patchedUser({ op: 'Add', path, value: 'm1' }, { op: 'Replace', path, value });
    expect(document).not.toHaveProperty([ENTERPRISE_SCHEMA_ID]);
  });

  it.each([
    { op: 'add', path: '__proto__.polluted', value: 'x' },
    { op: 'add', path: 'constructor.prototype.polluted', value: 'x' },
    { op: 'add', path: 'name.__proto__', value: 'x' },
    { op: 'add', path: 'emails[type eq "work"].__proto__', value: 'x' },
    { op: 'add', path: `${ENTERPRISE_SCHEMA_ID}:__proto__.polluted`, value: 'x' },
    { op: 'add', value: JSON.parse('{"__proto__":{"polluted":"x"}}') },
    { op: 'add', value: { constructor: { prototype: { polluted: 'x' } } } },
    { op: 'add', path: 'name', value: JSON.parse('{"__proto__":{"polluted":"x"}}') },
    { op: 'add', path: ENTERPRISE_SCHEMA_ID, value: JSON.parse('{"__proto__":{"polluted":"x"}}') },
  ])('C26 a name outside the schema is refused: %j', (operation) => {
    expect(refusal(operation)).toMatchObject({ status: 400, scimType: 'invalidPath' });
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it.each(['id', 'meta.created', 'groups', `${ENTERPRISE_SCHEMA_ID}:manager.displayName`])(
    'C28 the read-only attribute %s is refused',
    (path) => {
      expect(refusal({ op: 'replace', path, value: 'x' })).toMatchObject({ status: 400, scimType: 'mutability' });
      expect(refusal({ op: 'remove', path })).toMatchObject({ scimType: 'mutability' });
    },
  );

  it('C29 a new primary value clears the earlier one', () => {
    expect(
      patchedUser({ op: 'add', path: 'emails', value: [{ value: 'b@example.com', type: 'work', primary: true }] }),
    ).toMatchObject({ emails: [{ primary: false }, { value: 'b@example.com', primary: true }] });
    const two = [1, 2].map((index) => ({ value: `${index}`, primary: true }));
    expect(refusal({ op: 'replace', path: 'emails', value: two })).toMatchObject({ scimType: 'invalidValue' });
  });

  it('adding an equal element changes nothing', () => {
    const email = { value: 'ada@example.com', type: 'home', primary: true };
    expect(patchedUser({ op: 'add', path: 'emails', value: [email] })).toEqual(plain(ada()));
  });

  it('removing a missing value succeeds', () => {
    const paths = ['title', 'emails[type eq "work"]', 'phoneNumbers', 'emails[type eq "work"].value'];
    expect(patchedUser(...paths.map((path) => ({ op: 'remove', path })))).toEqual(plain(ada()));
  });

  it('removing a required attribute, and a remove without a path, are refused', () => {
    expect(refusal({ op: 'remove', path: 'userName' })).toMatchObject({ scimType: 'invalidValue' });
    expect(refusal({ op: 'remove' })).toMatchObject({ scimType: 'noTarget' });
  });

  it('a replace whose filter prescribes no values is refused without a match', () => {
    expect(refusal({ op: 'replace', path: 'emails[type ne "home"].value', value: 'x' })).toMatchObject({
      scimType: 'noTarget',
    });
  });

  it('a request has at most 1,000 operations', () => {
    const operation = { op: 'replace', path: 'title', value: 'x' };
    const body = (length: number) => ({ Operations: Array.from({ length }, () => operation) });
    expect(readOperations(body(MAX_OPERATIONS))).toHaveLength(MAX_OPERATIONS);
    expect(() => readOperations(body(MAX_OPERATIONS + 1))).toThrow('at most 1000 operations');
  });
});

describe('PATCH of a group', () => {
  it('C24 members are added once, replaced, and removed in the forms of Okta and Entra ID', () => {
    const value = ['b', 'c', 'b'].map((id) => ({ value: id }));
    expect(membersAfter(['a', 'b'], { op: 'Add', path: 'members', value })).toEqual(['a', 'b', 'c']);
    expect(membersAfter(['a', 'b'], { op: 'replace', path: 'members', value })).toEqual(['b', 'c']);
    expect(membersAfter(['a', 'b'], { op: 'remove', path: 'members[value eq "a"]' })).toEqual(['b']);
    expect(membersAfter(['a', 'b'], { op: 'Remove', path: 'members', value: [{ value: 'a' }] })).toEqual(['b']);
    expect(membersAfter(['a', 'b'], { op: 'Remove', path: 'members' })).toEqual([]);
    expect(membersAfter(['a', 'b'], { op: 'Remove', path: 'members', value: [] })).toEqual(['a', 'b']);
  });
});
