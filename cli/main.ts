/** One run of `svc`: find the commands, parse the line, run the command, report an error in one line. Uses only what it is given. */
import { type CommandSet, findCommands } from './command-set.ts'
import { localCommands } from './commands/local-commands.ts'
import { anyFlags } from './line/command-flags.ts'
import { completeLine } from './line/complete-line.ts'
import { parseLine } from './line/parse-line.ts'
import { runLine, type Streams } from './program.ts'
import { reportError } from './report-error.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Resolves with the exit code: 0 for success and help, 2 for a usage error, 1 for any other error. */
export async function main(argv: readonly string[], env: Env, streams: Streams): Promise<number> {
  try {
    const cwd = streams.cwd()
    if (argv[0] === 'complete') return await complete(argv.slice(1).join(' '), { env, cwd, streams })
    const line = readAlias(argv)
    return await runLine(line, await findFor(line, { env, cwd }), { env, cwd, streams })
  } catch (error) {
    return reportError(error, (text) => void streams.stderr.write(text))
  }
}

interface Caller {
  readonly env: Env
  readonly cwd: string
}

/** Flags of plugins are not known yet. */
const findFor = async (line: readonly string[], caller: Caller): Promise<CommandSet> =>
  findCommands(await parseLine(line, anyFlags(localCommands)), caller)

/** Serves the scripts of `svc completions`. */
async function complete(line: string, { streams, ...caller }: Caller & { readonly streams: Streams }): Promise<number> {
  const { commands } = await findFor(line.split(/\s+/).slice(1), caller)
  const lines = (await completeLine(line, commands)).map(({ text, meaning }) => `${text}\t${meaning}\n`)
  streams.stdout.write(lines.join(''))
  return 0
}

function readAlias(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return ['--help']
  if (argv[0] === 'help') return [...argv.slice(1), '--help']
  return argv[0] === '--version' || argv[0] === '-V' ? ['version', ...argv.slice(1)] : argv
}
