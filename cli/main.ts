/** One run of `svc`: finds the commands, reads the line, runs the command, and tells what went wrong in one line. */
import { findCommands } from './command-set.ts'
import { hoistFlags } from './hoist-flags.ts'
import { localCommands } from './local-commands.ts'
import { createProgram, valuedFlags } from './program.ts'
import { reportError } from './report-error.ts'

/** Resolves with the exit code: 0 for success and help, 2 for wrong use, 1 for every other error. */
export async function main(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number> {
  // A reader that goes away, such as `head`, has what it wanted.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  try {
    const line = readAlias(argv)
    const found = await findCommands(hoistFlags(line, valuedFlags(localCommands)), env)
    return await createProgram(found, env).run(hoistFlags(line, valuedFlags(found.commands)))
  } catch (error) {
    return reportError(error, (text) => process.stderr.write(text))
  }
}

function readAlias(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return ['--help']
  return argv[0] === '--version' || argv[0] === '-V' ? ['version', ...argv.slice(1)] : argv
}
