import type { Mutant } from '../../../test/mutant.ts';

const TEMPLATES = ['packages/core/src/templates/templates.db.test.ts'];

/** Rules of acceptance, for `npm run campaign -- mutants sending/accept`. */
export const mutants: readonly Mutant[] = [
  {
    says: 'an answer that was given is given again where its template is gone',
    file: 'submit.ts',
    find: 'const answer = () => answerOnce(scope, call, async (once) => accept(scope, await readIn(scope, request), once));',
    replace:
      'const answer = async () => {\n      const asked = await readIn(scope, request);\n      return answerOnce(scope, call, async (once) => accept(scope, asked, once));\n    };',
    tests: TEMPLATES,
  },
  {
    says: 'a template that there is not is refused',
    file: 'template.ts',
    find: 'if (!template) throw validationError({ templateId: [`This project has no ${channel} template of this id.`] });',
    replace: 'if (!template) return parse(own);',
    tests: TEMPLATES,
  },
  {
    says: 'a send names its template',
    file: 'template.ts',
    find: 'return { ...request, templateId: template.id, templateVersion: template.version };',
    replace: 'return request;',
    tests: TEMPLATES,
  },
  {
    says: 'a preview shows what somebody without an address would get',
    file: 'preview.ts',
    find: "const stops = 'none' in addresses ? addresses.none : (state?.unusable ?? null);",
    replace: 'const stops = state?.unusable ?? null;',
    tests: TEMPLATES,
  },
  {
    says: 'a preview takes the language that is asked for',
    file: 'preview.ts',
    find: 'stored && locale !== undefined ? { ...stored, setLocale: locale } : stored',
    replace: 'stored',
    tests: TEMPLATES,
  },
  {
    says: 'a preview says that there is no text in the language of its reader',
    file: 'preview.ts',
    find: "const reason = stops ?? 'locale_unsupported';",
    replace: "const reason = stops ?? 'empty_body';",
    tests: ['packages/core/src/sending/accept/preview.test.ts'],
  },
  {
    says: 'a preview is in the language that is asked for, also of somebody unknown',
    file: 'preview.ts',
    find: 'const reader = locale ?? readerLocale',
    replace: 'const reader = readerLocale',
    tests: ['packages/core/src/sending/accept/preview.test.ts'],
  },
  {
    says: 'a preview names the variables of what it shows',
    file: 'preview.ts',
    find: 'const unresolved = unresolvedIn(kind, said, scopes);',
    replace: 'const unresolved = unresolvedIn(kind, content, scopes);',
    tests: ['packages/core/src/sending/accept/preview.test.ts'],
  },
  {
    says: 'a preview of nobody has sample values',
    file: 'preview.ts',
    find: '...(userId === undefined ? { user: sample } : {})',
    replace: '',
    tests: TEMPLATES,
  },
];
