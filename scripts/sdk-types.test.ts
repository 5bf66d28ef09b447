import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openApiText } from '../packages/http/test/support/openapi/kept.ts';
import { cliOperations, cliOperationsFile } from './cli-operations.ts';
import { sdkRoutes, sdkRoutesFile } from './sdk-routes.ts';
import { sdkTypes, sdkTypesFile } from './sdk-types.ts';

const typesOf = (schemas: Record<string, Record<string, unknown>>): string =>
  sdkTypes({ paths: {}, components: { schemas } });

describe('the types that clients have of the interface', () => {
  it('are those of the schemas that the service checks with; `npm run openapi` writes them', () => {
    expect(readFileSync(sdkTypesFile, 'utf8')).toBe(sdkTypes(JSON.parse(openApiText())));
    expect(readFileSync(sdkRoutesFile, 'utf8')).toBe(sdkRoutes(JSON.parse(openApiText())));
    expect(readFileSync(cliOperationsFile, 'utf8')).toBe(cliOperations(JSON.parse(openApiText())));
  });

  it('change with a field that changes its name, its type or whether it has to be there', () => {
    const text = (properties: object, required: string[] = []): string =>
      typesOf({ Thing: { type: 'object', properties, required } });
    const before = text({ module: { type: 'string' } });
    expect(before).toContain('export interface Thing {\n  readonly module?: string;\n}');
    expect(text({ room: { type: 'string' } })).toContain('readonly room?: string;');
    expect(text({ module: { type: ['integer', 'null'] } })).toContain('readonly module?: number | null;');
    expect(text({ module: { type: 'string' } }, ['module'])).toContain('readonly module: string;');
  });

  it('name other schemas, lists, words and free objects', () => {
    const list = typesOf({
      List: { type: 'array', items: { anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] } },
    });
    expect(list).toContain('export type List = readonly (A | null)[];');
    expect(typesOf({ Word: { enum: ['a', "b's"] } })).toContain("export type Word = 'a' | 'b\\'s';");
    expect(typesOf({ Free: { type: 'object' } })).toContain('export type Free = Readonly<Record<string, unknown>>;');
  });
});
