import { Option } from 'commander';
import { act, type CommonFlags, outputOptions, type Register } from '../command-line.ts';
import { createOutput } from '../output.ts';
import { FRAMEWORKS, type Framework, nextSteps, startersFolder, writeStarter } from '../starter.ts';
import { described } from '../table/noun.ts';

type CreateFlags = CommonFlags & { readonly framework?: Framework };

/** `beckon create DIR`: writes an application that has Beckon inside. */
export const register: Register = (program, context) => {
  const { io, version } = context;
  outputOptions(
    described(program.command('create'), 'Create an application with Beckon inside', 'shop', 'shop --framework hono'),
  )
    .argument('<folder>', 'A new or empty folder')
    .addOption(new Option('--framework <name>', `Web framework (default: ${FRAMEWORKS[0]})`).choices(FRAMEWORKS))
    .action(
      act<CreateFlags>(context, async (flags, [folder = '']) => {
        const { framework = FRAMEWORKS[0] } = flags;
        const written = writeStarter({ cwd: io.cwd, folder, framework, version, starters: startersFolder() });
        const output = createOutput(io, flags);
        output.answer(written, [`Created ${written.folder}: ${written.files.length} files.`]);
        output.note(`Next: ${nextSteps(folder).join(' && ')}`);
        return undefined;
      }),
    );
};
