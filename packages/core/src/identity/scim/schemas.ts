/** SCIM attributes that Beckon stores. Filters, PATCH, projection and the discovery documents all read these tables. */

export type ScimAttribute = {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'binary' | 'complex';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readWrite' | 'readOnly';
  readonly returned: 'always' | 'default';
  readonly uniqueness: 'none' | 'server';
  readonly subAttributes?: readonly ScimAttribute[];
  readonly referenceTypes?: readonly string[];
  readonly canonicalValues?: readonly string[];
};

export type ScimSchema = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly ScimAttribute[];
};

/** A kind of resource with the schemas of its documents. */
export type ScimResource = {
  readonly name: 'User' | 'Group';
  readonly endpoint: '/Users' | '/Groups';
  readonly description: string;
  readonly schema: ScimSchema;
  readonly extensions: readonly ScimSchema[];
};

export const USER_SCHEMA_ID = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA_ID = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE_SCHEMA_ID = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

type Options = Partial<Omit<ScimAttribute, 'name' | 'description'>>;

const attribute = (name: string, description: string, options: Options = {}): ScimAttribute => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
});

const READ_ONLY = { mutability: 'readOnly' } as const;
const reference = (...referenceTypes: string[]): Options => ({ type: 'reference', caseExact: true, referenceTypes });
const complex = (...subAttributes: ScimAttribute[]): Options => ({ type: 'complex', subAttributes });

/** A list of values with a label, a type and a mark for the preferred one. Source: RFC 7643, 2.4. */
const list = (name: string, description: string, types: readonly string[], valueOptions: Options = {}): ScimAttribute =>
  attribute(name, description, {
    ...complex(
      attribute('value', 'The value.', valueOptions),
      attribute('display', 'Text for people to read.'),
      attribute('type', 'What the value is for.', types.length === 0 ? {} : { canonicalValues: types }),
      attribute('primary', 'True for the preferred value; at most one value has it.', { type: 'boolean' }),
    ),
    multiValued: true,
  });

const COMMON: readonly ScimAttribute[] = [
  attribute('schemas', 'Schemas of the document.', {
    ...READ_ONLY,
    ...reference('uri'),
    multiValued: true,
    returned: 'always',
  }),
  attribute('id', 'Id of the resource, assigned by the server.', {
    ...READ_ONLY,
    caseExact: true,
    returned: 'always',
    uniqueness: 'server',
  }),
  attribute('externalId', 'Id of the resource at the identity provider.', { caseExact: true }),
  attribute('meta', 'Type, times, address and version of the resource.', {
    ...READ_ONLY,
    ...complex(
      attribute('resourceType', 'Kind of the resource.', { ...READ_ONLY, caseExact: true }),
      attribute('created', 'When the resource was created.', { ...READ_ONLY, type: 'dateTime' }),
      attribute('lastModified', 'When the resource last changed.', { ...READ_ONLY, type: 'dateTime' }),
      attribute('location', 'Address of the resource.', { ...READ_ONLY, ...reference('uri') }),
      attribute('version', 'ETag of the resource.', { ...READ_ONLY, caseExact: true }),
    ),
  }),
];

const USER_SCHEMA: ScimSchema = {
  id: USER_SCHEMA_ID,
  name: 'User',
  description: 'User account',
  attributes: [
    attribute('userName', 'Name with which the user signs in. Compared without regard to case.', {
      required: true,
      uniqueness: 'server',
    }),
    attribute(
      'name',
      'Parts of the name.',
      complex(
        attribute('formatted', 'The whole name.'),
        attribute('familyName', 'Family name.'),
        attribute('givenName', 'First name.'),
        attribute('middleName', 'Middle names.'),
        attribute('honorificPrefix', 'Title before the name.'),
        attribute('honorificSuffix', 'Suffix after the name.'),
      ),
    ),
    attribute('displayName', 'Name to show.'),
    attribute('nickName', 'Casual name.'),
    attribute('profileUrl', 'Address of a page about the user.', reference('external')),
    attribute('title', 'Job title.'),
    attribute('userType', 'Relation to the organisation, such as Contractor.'),
    attribute('preferredLanguage', 'Preferred language.'),
    attribute('locale', 'Locale for dates, numbers and money.'),
    attribute('timezone', 'Time zone, such as Europe/Vienna.'),
    attribute('active', 'False if the user may not sign in.', { type: 'boolean' }),
    list('emails', 'Email addresses.', ['work', 'home', 'other']),
    list('phoneNumbers', 'Phone numbers.', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    list('ims', 'Instant messaging addresses.', []),
    list('photos', 'Addresses of photos.', ['photo', 'thumbnail'], reference('external')),
    attribute('addresses', 'Postal addresses.', {
      ...complex(
        attribute('formatted', 'The whole address.'),
        attribute('streetAddress', 'Street and number.'),
        attribute('locality', 'City.'),
        attribute('region', 'State or region.'),
        attribute('postalCode', 'Postal code.'),
        attribute('country', 'Country.'),
        attribute('type', 'What the address is for.', { canonicalValues: ['work', 'home', 'other'] }),
        attribute('primary', 'True for the preferred address.', { type: 'boolean' }),
      ),
      multiValued: true,
    }),
    attribute('groups', 'Groups of the user. Change them at the group.', {
      ...READ_ONLY,
      ...complex(
        attribute('value', 'Id of the group.', { ...READ_ONLY, caseExact: true }),
        attribute('$ref', 'Address of the group.', { ...READ_ONLY, ...reference('Group') }),
        attribute('display', 'Name of the group.', READ_ONLY),
        attribute('type', 'Always direct.', { ...READ_ONLY, canonicalValues: ['direct'] }),
      ),
      multiValued: true,
    }),
    list('entitlements', 'Things that the user has.', []),
    list('roles', 'Roles of the user.', []),
    list('x509Certificates', 'Certificates of the user.', [], { type: 'binary', caseExact: true }),
  ],
};

const ENTERPRISE_SCHEMA: ScimSchema = {
  id: ENTERPRISE_SCHEMA_ID,
  name: 'EnterpriseUser',
  description: 'Enterprise user',
  attributes: [
    attribute('employeeNumber', 'Number of the employee.'),
    attribute('costCenter', 'Cost center.'),
    attribute('organization', 'Organisation.'),
    attribute('division', 'Division.'),
    attribute('department', 'Department.'),
    attribute(
      'manager',
      'Manager of the user.',
      complex(
        attribute('value', 'Id of the manager.', { caseExact: true }),
        attribute('$ref', 'Address of the manager.', reference('User')),
        attribute('displayName', 'Name of the manager.', READ_ONLY),
      ),
    ),
  ],
};

const GROUP_SCHEMA: ScimSchema = {
  id: GROUP_SCHEMA_ID,
  name: 'Group',
  description: 'Group',
  attributes: [
    attribute('displayName', 'Name of the group.', { required: true }),
    attribute('members', 'Members of the group.', {
      ...complex(
        attribute('value', 'Id of the member.', { caseExact: true }),
        attribute('$ref', 'Address of the member.', reference('User')),
        attribute('display', 'Name of the member.'),
        attribute('type', 'Kind of the member.', { canonicalValues: ['User'] }),
      ),
      multiValued: true,
    }),
  ],
};

export const SCIM_SCHEMAS: readonly ScimSchema[] = [USER_SCHEMA, GROUP_SCHEMA, ENTERPRISE_SCHEMA];

export const USER_RESOURCE: ScimResource = {
  name: 'User',
  endpoint: '/Users',
  description: 'User account',
  schema: USER_SCHEMA,
  extensions: [ENTERPRISE_SCHEMA],
};
export const GROUP_RESOURCE: ScimResource = {
  name: 'Group',
  endpoint: '/Groups',
  description: 'Group',
  schema: GROUP_SCHEMA,
  extensions: [],
};
export const SCIM_RESOURCES: readonly ScimResource[] = [USER_RESOURCE, GROUP_RESOURCE];

/** The attribute with this name in any case. */
export const attributeNamed = (attributes: readonly ScimAttribute[], name: string): ScimAttribute | null => {
  const folded = name.toLowerCase();
  return attributes.find((each) => each.name.toLowerCase() === folded) ?? null;
};

/** Attributes at the top level of a document, those of every resource first. */
export const attributesOf = (resource: ScimResource): readonly ScimAttribute[] => [
  ...COMMON,
  ...resource.schema.attributes,
];
