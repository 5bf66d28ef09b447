// Answer types, generated from their schemas: an interface per schema, each property with its description.
import { fileURLToPath } from 'node:url';
import { answerModules } from '../packages/core/src/app/answers.ts';
import { definitionSchemas } from '../packages/core/src/app/wire.ts';
import { schemasOf } from '../packages/http/src/openapi/schemas.ts';
import { declarationOf, refsOf, type Schemas } from './schema-types.ts';

/** Types of schemas that also validate bodies. */
const DERIVED: Readonly<Record<string, string>> = {
  Step: 'automation/runs/steps/list.ts',
  Trigger: 'automation/workflows/schema.ts',
  Predicate: 'people/audiences/predicate/types.ts',
};
const CORE = new URL('../packages/core/src/', import.meta.url);
const STYLE = { undefinedToo: true };

const relative = (folder: string, path: string): string => {
  const here = folder.split('/');
  const there = path.split('/');
  while (here.length > 0 && here[0] === there[0]) {
    here.shift();
    there.shift();
  }
  return `${here.length === 0 ? './' : '../'.repeat(here.length)}${there.join('/')}`;
};

/** The generated files of core with their expected content. Throws nothing. */
export const answerTypes = (): { readonly file: string; readonly text: string }[] => {
  const all = Object.assign({}, ...Object.values(answerModules).map((schemas) => schemas()));
  const definitions = {
    Step: definitionSchemas.step,
    Trigger: definitionSchemas.trigger,
    Predicate: definitionSchemas.predicate,
  };
  const described: Schemas = schemasOf({ ...all, ...definitions }, { type: 'Date' });
  const homes = new Map(
    Object.entries(answerModules).flatMap(([folder, schemas]) => Object.keys(schemas()).map((name) => [name, folder])),
  );
  return Object.entries(answerModules).map(([folder, schemas]) => {
    const own: Schemas = Object.fromEntries(Object.keys(schemas()).map((name) => [name, described[name] ?? {}]));
    const imports = new Map<string, Set<string>>();
    for (const name of refsOf(own)) {
      const path = DERIVED[name] ?? `${homes.get(name) ?? ''}/answers.generated.ts`;
      if (!(name in own)) imports.set(path, (imports.get(path) ?? new Set()).add(name));
    }
    const text = [
      '// Made of the schemas in answers.ts by `npm run openapi`.',
      [...imports]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, names]) => `import type { ${[...names].sort().join(', ')} } from '${relative(folder, path)}';`)
        .join('\n'),
      ...Object.keys(own).map((name) => declarationOf(name, own, STYLE)),
      `/** The types of this module's answers, by their names. */\nexport interface Answers {\n${Object.keys(own)
        .map((name) => `  readonly ${name}: ${name};\n`)
        .join('')}}`,
    ];
    const file = fileURLToPath(new URL(`${folder}/answers.generated.ts`, CORE));
    return { file, text: `${text.filter((part) => part !== '').join('\n\n')}\n` };
  });
};
