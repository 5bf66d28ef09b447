import { Argument } from 'commander';
import { act, type Register } from '../command-line.ts';
import { completions } from '../complete.ts';

/** Completion scripts. They call the program for candidates, so they need no update when commands change. */
const SCRIPTS = {
  bash: `_beckon() {
  local IFS=$'\\n'
  COMPREPLY=($(beckon __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _beckon beckon
`,
  zsh: `#compdef beckon
_beckon() {
  local -a found
  found=("\${(@f)$(beckon __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
if [[ "\${funcstack[1]}" == _beckon ]]; then _beckon "$@"; else compdef _beckon beckon; fi
`,
  fish: `function __beckon_complete
  set -l words (commandline -opc)
  set -e words[1]
  beckon __complete -- $words (commandline -ct) 2>/dev/null
end
complete -c beckon -a '(__beckon_complete)'
`,
  pwsh: `Register-ArgumentCompleter -Native -CommandName beckon -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
  if ($wordToComplete -eq '') { $words += '' }
  & beckon __complete -- @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
} as const;
type Shell = keyof typeof SCRIPTS;

/** `beckon completion SHELL`: prints a script that completes commands, options and values. */
export const register: Register = (program, context) => {
  program
    .command('completion')
    .description('Print a shell completion script')
    .addArgument(new Argument('<shell>', 'Shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Examples:
  $ source <(beckon completion bash)
  $ beckon completion zsh > "\${fpath[1]}/_beckon"
  $ beckon completion fish > ~/.config/fish/completions/beckon.fish
  $ beckon completion pwsh | Out-String | Invoke-Expression`,
    )
    .action(
      act(context, async (_, [shell]) => {
        // Proof of the cast: the parser rejects values outside the choices.
        context.io.stdout.write(SCRIPTS[shell as Shell]);
        return undefined;
      }),
    );

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(
      act(context, async (_, words) => {
        for (const one of completions(program, words)) context.io.stdout.write(`${one}\n`);
        return undefined;
      }),
    );
};
