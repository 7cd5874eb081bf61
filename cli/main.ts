/** One run of `svc`: find the commands, parse the line, run the command, report an error in one line. Uses only what it is given. */
import { findCommands } from './command-set.ts'
import { localCommands } from './commands/local-commands.ts'
import { completeLine } from './line/complete-line.ts'
import { hoistFlags } from './line/hoist-flags.ts'
import { createProgram, globalFlags, type Streams, valuedFlags } from './program.ts'
import { reportError } from './report-error.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Resolves with the exit code: 0 for success and help, 2 for a usage error, 1 for any other error. */
export async function main(argv: readonly string[], env: Env, streams: Streams): Promise<number> {
  try {
    const cwd = streams.cwd()
    if (argv[0] === 'complete') return await complete(argv.slice(1).join(' '), { env, cwd, streams })
    const line = readAlias(argv)
    const found = await findCommands(hoistFlags(line, valuedFlags(localCommands)), { env, cwd })
    return await createProgram(found, { env, cwd, streams }).run(hoistFlags(line, valuedFlags(found.commands)))
  } catch (error) {
    return reportError(error, (text) => void streams.stderr.write(text))
  }
}

interface CompletionContext {
  readonly env: Env
  readonly cwd: string
  readonly streams: Streams
}

/** Serves the scripts of `svc completions`. */
async function complete(line: string, { env, cwd, streams }: CompletionContext): Promise<number> {
  const { commands } = await findCommands(hoistFlags(line.split(/\s+/).slice(1), valuedFlags(localCommands)), { env, cwd })
  const lines = completeLine(line, { commands, globalFlags }).map(({ text, meaning }) => `${text}\t${meaning}\n`)
  streams.stdout.write(lines.join(''))
  return 0
}

function readAlias(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return ['--help']
  if (argv[0] === 'help') return [...argv.slice(1), '--help']
  return argv[0] === '--version' || argv[0] === '-V' ? ['version', ...argv.slice(1)] : argv
}
