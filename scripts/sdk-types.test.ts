import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiText } from '../packages/http/test/support/openapi/kept.ts';
import { cliOperations, cliOperationsFile } from './cli-operations.ts';
import { sdkRoutes, sdkRoutesFile } from './sdk-routes.ts';
import { sdkTypes, sdkTypesFile } from './sdk-types.ts';

const typesOf = (schemas: Record<string, Record<string, unknown>>): string =>
  sdkTypes({ paths: {}, components: { schemas } });

describe('API types of the SDK', () => {
  it("the SDK's types match the schemas that the service validates with; `npm run openapi` writes them", () => {
    expect(readFileSync(sdkTypesFile, 'utf8')).toBe(sdkTypes(JSON.parse(openApiText())));
    expect(readFileSync(sdkRoutesFile, 'utf8')).toBe(sdkRoutes(JSON.parse(openApiText())));
    expect(readFileSync(cliOperationsFile, 'utf8')).toBe(cliOperations(JSON.parse(openApiText())));
  });

  it("the SDK's types change if a field changes its name, its type or whether it is required", () => {
    const text = (properties: object, required: string[] = []): string =>
      typesOf({ Thing: { type: 'object', properties, required } });
    const before = text({ module: { type: 'string' } });
    expect(before).toContain('export interface Thing {\n  readonly module?: string;\n}');
    expect(text({ room: { type: 'string' } })).toContain('readonly room?: string;');
    expect(text({ module: { type: ['integer', 'null'] } })).toContain('readonly module?: number | null;');
    expect(text({ module: { type: 'string' } }, ['module'])).toContain('readonly module: string;');
  });

  it('a description becomes the comment of its type, property or nested property', () => {
    const inner = { type: 'object', properties: { n: { type: 'integer', description: 'How many.' } }, required: ['n'] };
    const text = typesOf({
      Thing: { type: 'object', description: 'A thing.', properties: { inner: { ...inner, description: 'Inside.' } } },
    });
    expect(text).toContain('/** A thing. */\nexport interface Thing {\n  /** Inside. */\n  readonly inner?: {\n');
    expect(text).toContain('    /** How many. */\n    readonly n: number;\n  };\n}');
  });

  it('an interface extends the one whose members it repeats', () => {
    const properties = { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } };
    const Base = { type: 'object', properties };
    const more = (member: object) => ({ type: 'object', properties: { ...properties, ...member } });
    expect(typesOf({ Base, More: more({ d: { type: 'string' } }) })).toContain(
      'export interface More extends Base {\n  readonly d?: string;\n}',
    );
    const other = more({ c: { type: 'integer' }, d: { type: 'string' } });
    expect(typesOf({ Base, Other: other })).toContain('export interface Other {\n');
  });

  it('references, lists, literals and free-form objects are converted', () => {
    const list = typesOf({
      List: { type: 'array', items: { anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] } },
    });
    expect(list).toContain('export type List = readonly (A | null)[];');
    expect(typesOf({ Word: { enum: ['a', "b's"] } })).toContain("export type Word = 'a' | 'b\\'s';");
    expect(typesOf({ Free: { type: 'object' } })).toContain('export type Free = Readonly<Record<string, unknown>>;');
  });
});
