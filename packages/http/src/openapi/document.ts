import { catalogue, type ErrorCode } from '@beckon/core';
import { pathsOf } from '../paths.ts';
import { budgetOf } from '../pipeline/deadline.ts';
import { isPublic, type Route } from '../route.ts';
import recorded from './answer-examples.json' with { type: 'json' };
import { answersOf, CONTENT, errorSchema, sharedAnswersOf } from './document-answers.ts';
import { componentSchemas, type JsonSchema, querySchemas } from './schemas.ts';

/** An OpenAPI 3.1 document: plain JSON. */
export type Document = Readonly<Record<string, unknown>> & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & Readonly<Record<string, object>>;
};
type Parameter = Readonly<Record<string, unknown>>;
/** One method of one path. */
export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
  readonly responses: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Codes of its possible errors, sorted. */
  readonly 'x-error-codes': readonly ErrorCode[];
} & Readonly<Record<string, unknown>>;

/** Rises with the version of the interface, which the base path contains. */
const VERSION = '1.0.0';

const TAGS: Readonly<Record<string, string>> = {
  events: 'Events from devices and servers',
  profiles: 'Users: traits, addresses, histories, erasure',
  audiences: 'Segments and their members',
  automation: 'Workflows and their runs',
  analytics: 'Counts, funnels and retention',
  push: 'Devices, push sends and settings',
  email: 'Email sends and settings',
  sms: 'SMS sends and settings',
  'auth-service': 'Sign-in of end users',
  sandbox: 'Outbox: messages of the environment `test`, stored instead of delivered',
  'api-keys': 'API keys',
  interface: 'This document and the links to it',
  health: 'Liveness and readiness probes',
};
const OTHER_TAGS: Readonly<Record<string, string>> = {
  identify: 'events',
  '': 'interface',
  'openapi.json': 'interface',
  healthz: 'health',
  readyz: 'health',
  'beckon-sw.js': 'push',
};
const DESCRIPTION = `Every JSON response except this document has an envelope: \`success\`, then \`data\` and for lists \`pagination\`, or \`error\`.

- Times are ISO 8601 UTC with milliseconds, ids are UUIDs. Responses may get more members at any time.
- With a key for several projects, pass \`projectId\` in the query or in the body; with a key for several organizations, use the paths below \`/orgs/{orgId}\`.
- In a body of a send, a template or an A/B test, null means that an optional field is absent; in a PATCH it clears the field. Free-form \`data\` and \`variables\` keep their nulls.
- HEAD works wherever GET does. Unknown query parameters are rejected.
- \`x-scope\` is the required scope of the key, \`x-plan\` the required feature of the organization's plan (or the feature per field of the body), \`x-rate-kind\` the kind of call for rate limits, \`x-budget-ms\` the time limit, \`x-max-body-bytes\` the maximum size of the body, \`x-error-codes\` the possible values of \`error.code\`.
- Rate limits apply per kind of call, client network and project: \`X-RateLimit-Limit\` is the burst, \`X-RateLimit-Remaining\` what is left, and \`Retry-After\` of \`RATE_LIMITED\` the seconds to wait. Kind \`none\` has no limit.
- Some rules are not in the schemas: a \`VALIDATION_ERROR\` lists each invalid field in \`details.fieldErrors\`.`;

const tagOf = (route: Route): string => {
  const first = route.path.split('/')[1] ?? '';
  return OTHER_TAGS[first] ?? first;
};

const isByOrg = (path: string): boolean => path.includes('/orgs/:orgId/');

/** `getProfilesByUserIdEvents`; with `InOrg` at its end for the path that contains the organization. */
const operationIdOf = ({ method, path }: Route, full: string): string => {
  const words = path.split(/[/.-]/).filter(Boolean);
  const name = words.map((one) => {
    const plain = one.replace(':', '');
    return `${one.startsWith(':') ? 'By' : ''}${plain.charAt(0).toUpperCase()}${plain.slice(1)}`;
  });
  return `${method.toLowerCase()}${name.join('')}${isByOrg(full) ? 'InOrg' : ''}`;
};

const queryOf = ({ query }: Route): Parameter[] =>
  query === undefined
    ? []
    : querySchemas(query).map(({ name, description, schema, isRequired }) => ({
        ...{ name, in: 'query', ...(description === undefined ? {} : { description }), schema },
        ...(isRequired ? { required: true } : {}),
      }));

/** Descriptions of path parameters. `id` is described by the path: it is the id of the path's last noun. */
const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  orgId: 'Id of the organization. The API key needs a grant for it.',
  userId: 'Your id of the user. Encode special characters.',
  tokenId: 'Id of the device token, from the response of its registration.',
  externalId: 'Your id of the Live Activity. Encode special characters.',
  name: 'Name of the secret: 1 to 64 letters, digits, _ and -.',
  token: 'Signed token from the link in the message.',
  projectId: 'Id of the project.',
  environment: 'Environment: prod or test.',
  provider: 'Name of the provider, such as twilio.',
  connectionId: 'Id of the SSO connection.',
};
const NOUNS: Readonly<Record<string, string>> = {
  'ab-tests': 'A/B test',
  audiences: 'audience',
  challenge: 'challenge',
  connections: 'SSO connection',
  deliveries: 'delivery',
  domains: 'sending domain',
  erasures: 'erasure',
  events: 'event',
  factors: 'second factor',
  geofences: 'geofence',
  identities: 'identity',
  passkeys: 'passkey',
  messages: 'message',
  runs: 'run',
  directories: 'directory',
  tokens: 'token',
  Users: 'user',
  Groups: 'group',
  ResourceTypes: 'resource type',
  Schemas: 'schema',
  sessions: 'session',
  users: 'user',
  sends: 'send',
  templates: 'template',
  webhooks: 'webhook',
  workflows: 'workflow',
};
const pathText = (full: string, name: string): string => {
  if (full.includes('/social/') && name === 'provider') return 'Name of the social provider, such as google.';
  if (full.includes('/sso/domains/')) return 'Id of the SSO domain.';
  const noun = NOUNS[full.split(`/:${name}`)[0]?.split('/').at(-1) ?? ''];
  const text = name === 'id' ? noun && `Id of the ${noun}.` : PATH_PARAMETERS[name];
  if (text === undefined) throw new TypeError(`the parameter ${name} of ${full} has no description`);
  return text;
};

const parametersOf = (route: Route, full: string): Parameter[] => {
  const inPath = [...full.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathText(full, name),
    schema: { type: 'string', minLength: 1 },
  }));
  if (route.needs !== 'project') return [...inPath, ...queryOf(route)];
  return [
    ...inPath,
    ...queryOf(route),
    { $ref: '#/components/parameters/projectId' },
    ...(route.isIdempotent ? [{ $ref: '#/components/parameters/idempotencyKey' }] : []),
  ];
};

const securityOf = (route: Route): readonly object[] => {
  if (route.errorForm === 'scim') return [{ scimToken: [] }];
  if (route.needs === 'nothing') return [];
  const header = { apiKey: [route.scope], ...(route.needs === 'project' && route.user ? { accessToken: [] } : {}) };
  if (route.needs === 'project' && route.mayHaveUser) return [header, { ...header, accessToken: [] }];
  return route.needs === 'project' && route.isBeacon ? [header, { publicKeyInQuery: [route.scope] }] : [header];
};

const FORM = { schema: { type: 'object', additionalProperties: { type: 'string' } } };

const SCIM_BODY = { 'application/scim+json': { schema: { type: 'object' } } };

const bodyOf = (route: Route): object => {
  if (route.needs === 'nothing' && route.bodyCap !== undefined)
    return {
      requestBody: { required: true, content: route.errorForm === 'scim' ? SCIM_BODY : { '*/*': { schema: {} } } },
      'x-max-body-bytes': route.bodyCap,
    };
  if (route.needs === 'nothing')
    return route.formCap === undefined
      ? {}
      : {
          requestBody: { content: { 'application/x-www-form-urlencoded': FORM, 'multipart/form-data': FORM } },
          'x-max-body-bytes': route.formCap,
        };
  if (route.bodyCap === null || route.takes === undefined) return {};
  const isBeacon = route.needs === 'project' && route.isBeacon === true;
  const content = { schema: { $ref: `#/components/schemas/${route.takes}` } };
  return {
    requestBody: {
      required: true,
      content: { [CONTENT]: content, ...(isBeacon ? { 'text/plain': content } : {}) },
    },
    'x-max-body-bytes': route.bodyCap,
  };
};

/** The codes that follow from a route's row, and those that the row lists. */
const codesOf = (route: Route): ErrorCode[] => {
  const codes = new Set<ErrorCode>(['VALIDATION_ERROR', 'INTERNAL', 'OVERLOADED', ...(route.errors ?? [])]);
  if (route.needs !== 'nothing')
    for (const one of ['UNAUTHORIZED', 'scope_required', 'NOT_FOUND'] as const) codes.add(one);
  if (route.needs === 'nothing' && (route.bodyCap ?? route.formCap) !== undefined)
    for (const one of ['PAYLOAD_TOO_LARGE', 'DEADLINE_EXCEEDED'] as const) codes.add(one);
  if (route.needs !== 'nothing' && route.bodyCap !== null)
    for (const one of ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'DEADLINE_EXCEEDED'] as const) codes.add(one);
  if (route.kind !== 'none') codes.add('RATE_LIMITED');
  if (route.needs === 'project' && route.isIdempotent) codes.add('CONFLICT');
  if (route.needs !== 'nothing' && route.plan !== undefined) codes.add('tier_required');
  return [...codes].sort((a, b) => catalogue[a] - catalogue[b] || (a < b ? -1 : 1));
};

/** A response of each operation by its id, written by the test that calls them all. */
const answerExamples: Readonly<Record<string, { readonly status: number; readonly value: unknown }>> = recorded;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The recorded responses, with the paths below `basePath`. */
const examplesBelow = (basePath: string): Record<string, object> =>
  Object.fromEntries(
    Object.entries(answerExamples).map(([id, { value }]) => {
      const text = JSON.stringify(value).replaceAll('"/api/v1', `"${basePath}`);
      return [id, { value: JSON.parse(text) }];
    }),
  );

/** The responses with the recorded one as their example, under one name for both path shapes. */
const withExample = (route: Route, answers: Operation['responses']): Operation['responses'] => {
  const id = operationIdOf(route, route.path);
  const recordedStatus = answerExamples[id]?.status;
  const entries = Object.entries(answers).map(([status, answer]) => {
    const { content } = answer;
    if (Number(status) !== recordedStatus || !isObject(content) || !isObject(content[CONTENT])) return [status, answer];
    const example = { example: { $ref: `#/components/examples/${id}` } };
    return [status, { ...answer, content: { ...content, [CONTENT]: { ...content[CONTENT], examples: example } } }];
  });
  return Object.fromEntries(entries);
};

const operationOf = (route: Route, full: string): Operation => {
  const codes = codesOf(route);
  const scopes = route.needs === 'nothing' ? {} : { 'x-scope': route.scope };
  const byChannel = route.needs !== 'nothing' && route.isScopedByChannel ? { 'x-scope-by-channel': true } : {};
  return {
    operationId: operationIdOf(route, full),
    tags: [tagOf(route)],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    security: securityOf(route),
    parameters: parametersOf(route, full),
    ...bodyOf(route),
    responses: withExample(route, answersOf(route, codes)),
    ...scopes,
    ...byChannel,
    ...(route.needs !== 'nothing' && route.plan ? { 'x-plan': route.plan } : {}),
    ...(route.needs !== 'nothing' && route.environment ? { 'x-environment': route.environment } : {}),
    'x-public': isPublic(route),
    'x-rate-kind': route.kind,
    'x-budget-ms': budgetOf(route),
    'x-error-codes': codes,
  };
};

/**
 * Describes routes in their order, each path shape separately. Throws nothing.
 *
 * @param basePath prefix of their paths
 */
export const documentOf = (routes: readonly Route[], basePath: string): Document => {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes)
    for (const full of pathsOf(route, basePath)) {
      const path = full.replaceAll(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, full) };
    }
  const used = new Set(routes.map(tagOf));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Beckon',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...used].map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    webhooks: {
      event: {
        post: {
          operationId: 'receiveWebhookEvent',
          tags: ['webhooks'],
          summary: 'An event of a webhook that you created',
          security: [],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/WebhookEvent' } } },
          },
          responses: {
            '2XX': { description: 'Received.' },
            '4XX': { description: 'Refused. Only 408 and 429 are tried again.' },
          },
        },
      },
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'A secret key (`sk_`), or for public operations a public key (`pk_`).',
        },
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The access token of a signed-in end user, in addition to the API key.',
        },
        scimToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a SCIM directory.',
        },
        publicKeyInQuery: {
          type: 'apiKey',
          in: 'query',
          name: 'key',
          description: 'A public API key, for `navigator.sendBeacon`, which cannot set headers.',
        },
      },
      parameters: {
        projectId: {
          name: 'projectId',
          in: 'query',
          description:
            'Id of the project. Required if the API key covers several projects. Default: the project of the key.',
          schema: { type: 'string' },
        },
        idempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          description:
            'Your id of the request, 1 to 256 characters. For 24 hours the same key and body return the first response; another body returns 400. Default: repeats are new requests.',
          schema: { type: 'string', minLength: 1, maxLength: 256 },
        },
      },
      responses: Object.assign({}, ...routes.map((route) => sharedAnswersOf(route, codesOf(route)))),
      schemas: { ...componentSchemas(), ...errorSchema },
      examples: examplesBelow(basePath),
    },
  };
};
