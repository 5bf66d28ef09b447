import type { Mutant } from '../../test/mutant.ts';

/** Rules of templates, for `npm run mutants -- templates`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'a default stands where a path gives no text',
    file: 'render.ts',
    find: "if (value === '' && placeholder?.fallback) text += placeholder.fallback;",
    replace: "if (value === '' && placeholder?.fallback) text += '';",
  },
  {
    says: 'a default stands nowhere else',
    file: 'render.ts',
    find: "value === '' && placeholder?.fallback",
    replace: 'placeholder?.fallback',
  },
  {
    says: 'a default is no value',
    file: 'render.ts',
    find: "if (value === '' && placeholder?.fallback) text += placeholder.fallback;",
    replace:
      "if (value === '' && placeholder?.fallback) {\n      put?.(text.length, text.length + placeholder.fallback.length);\n      text += placeholder.fallback;\n    }",
  },
  {
    says: 'what is behind a bar and no default belongs to the name',
    file: 'compile.ts',
    find: 'return found ? [inside.slice(0, bar).trim(), found[1] ?? found[2]] : [inside.trim(), undefined];',
    replace: 'return [inside.slice(0, bar === -1 ? undefined : bar).trim(), found?.[1] ?? found?.[2]];',
  },
  {
    says: 'a secret is no scope of a stored template',
    file: 'lint.ts',
    find: "root === null || root === 'secret'",
    replace: 'root === null',
  },
  {
    says: 'a scope without a path is refused',
    file: 'lint.ts',
    find: 'if (keys.length === 0) return error',
    replace: 'if (keys.length < 0) return error',
  },
  {
    says: 'a tag is closed before the next one opens',
    file: 'lint.ts',
    find: 'end !== -1 && (next === -1 || end < next)',
    replace: 'end !== -1',
  },
  {
    says: 'a field that a user does not have is warned of',
    file: 'lint.ts',
    find: "USER_FIELDS.has(keys[0] ?? '')",
    replace: 'true',
  },
  {
    says: 'unknown keys are refused at any level',
    file: 'schema.ts',
    find: 'if (Object.keys(unknown).length > 0) throw validationError(unknown);',
    replace: '',
  },
  {
    says: 'null removes a field',
    file: 'schema.ts',
    find: '.filter(([, value]) => value !== null)',
    replace: '',
  },
  {
    says: 'a key that would set a prototype is refused',
    file: 'schema.ts',
    find: 'normaliseFreeForm(sent) as',
    replace: 'sent as',
  },
  {
    says: 'translations go with the text that they translate',
    file: 'kind.ts',
    find: 'return { ...without(template, gone), ...fields };',
    replace: 'return { ...template, ...fields };',
  },
  {
    says: "a caller's own fields win",
    file: 'kind.ts',
    find: 'return { ...without(template, gone), ...fields };',
    replace: 'return { ...fields, ...without(template, gone) };',
  },
  {
    says: 'a name is taken once in a channel',
    file: 'templates.ts',
    find: "if (twin) throw conflict('exists', { id: twin.id });",
    replace: '',
  },
  {
    says: 'a change that changes nothing makes no version',
    file: 'templates.ts',
    find: 'if (isSame) return [current, next.warnings] as const;',
    replace: '',
  },
  {
    says: 'a version that was read is compared',
    file: 'templates.ts',
    find: 'wanted !== undefined && wanted !== version',
    replace: 'wanted !== undefined && wanted > version',
  },
  {
    says: 'a template is used on its own channel',
    file: 'templates.ts',
    find: 'return row && row.channel === channel ?',
    replace: 'return row ?',
  },
  {
    says: 'a template is read on its own channel',
    file: 'store.ts',
    find: 'eq(templates.id, id), eq(templates.channel, channel));',
    replace: 'eq(templates.id, id));',
  },
  {
    says: 'a template of a channel that a step does not send on is lacking',
    file: 'templates.ts',
    find: 'const found = new Set(rows.map(refKey));',
    replace: 'const found = new Set(refs.filter(({ id }) => rows.some((row) => row.id === id)).map(refKey));',
    tests: ['packages/core/src/runs/steps/template.db.test.ts'],
  },
  {
    says: 'what has a default is not unresolved',
    file: 'preview.ts',
    find: 'if (placeholder.fallback || paths.has',
    replace: 'if (paths.has',
  },
];
