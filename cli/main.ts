/** One run of `svc`: finds the commands, reads the line, runs the command, and tells what went wrong in one line. */
import { findCommands } from './command-set.ts'
import { completeLine } from './complete-line.ts'
import { hoistFlags } from './hoist-flags.ts'
import { localCommands } from './local-commands.ts'
import { configFlag, createProgram, valuedFlags } from './program.ts'
import { reportError } from './report-error.ts'

/** Resolves with the exit code: 0 for success and help, 2 for wrong use, 1 for every other error. */
export async function main(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<number> {
  // Whatever a library makes is private too.
  process.umask(0o077)
  // A reader that goes away, such as `head`, has what it wanted.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  // A full disk under the log must not end the service: the line is lost, and the next one is tried again.
  process.stderr.on('error', () => {})
  // With a listener, a file-size limit is an error of the write and not the end of the process.
  process.on('SIGXFSZ', () => {})
  try {
    if (argv[0] === 'complete') return await complete(argv.slice(1).join(' '), env)
    const line = readAlias(argv)
    const found = await findCommands(hoistFlags(line, valuedFlags(localCommands)), env)
    return await createProgram(found, env).run(hoistFlags(line, valuedFlags(found.commands)))
  } catch (error) {
    return reportError(error, (text) => process.stderr.write(text))
  }
}

/** What the scripts of `svc completions` ask for. */
async function complete(line: string, env: Readonly<Record<string, string | undefined>>): Promise<number> {
  const { commands } = await findCommands(hoistFlags(line.split(/\s+/).slice(1), valuedFlags(localCommands)), env)
  const globalFlags = { config: configFlag, help: { type: 'switch', description: 'Show help' } } as const
  const lines = completeLine(line, { commands, globalFlags }).map(({ text, meaning }) => `${text}\t${meaning}\n`)
  process.stdout.write(lines.join(''))
  return 0
}

function readAlias(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return ['--help']
  if (argv[0] === 'help') return [...argv.slice(1), '--help']
  return argv[0] === '--version' || argv[0] === '-V' ? ['version', ...argv.slice(1)] : argv
}
