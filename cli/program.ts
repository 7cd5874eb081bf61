/** The parser with every command and its help, and the checks that the parser does not make. */
import { Clerc } from '@clerc/core'
import { CommandError, type FlagSpec } from '#kernel'
import type { Command } from '#kernel/host'
import { version } from '#kernel/system'
import type { CommandSet } from './command-set.ts'
import { takesValue, toParserFlag, typedName } from './line/command-flags.ts'
import { groupsOf } from './line/command-groups.ts'
import { checkLine, checkSwitches, type ParsedLine, readParameters, wordsOf } from './line/line-check.ts'
import { renderCommandHelp, renderGroupHelp, renderProgramHelp } from './line/render-help.ts'
import { chooseStyle } from './line/text-style.ts'
import { createOutput } from './terminal/output.ts'
import { canPrompt, type PromptStreams, promptSecret } from './terminal/prompt.ts'

const configFlag: FlagSpec = {
  type: 'text',
  short: 'c',
  description: 'Configuration file (default: SVC_CONFIG, else ~/.svc/config.toml)',
}
const helpFlag: FlagSpec = { type: 'switch', short: 'h', description: 'Show help' }
/** Flags of every command. */
export const globalFlags = { config: configFlag, help: helpFlag } as const

/** The part of a process that a command uses; `process` itself is one. */
export interface Streams extends PromptStreams {
  readonly stdout: { readonly isTTY?: boolean; write(text: string): unknown }
  cwd(): string
}

interface ProgramContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly streams: Streams
}

interface Program {
  /** Runs the line and resolves with the exit code. Throws CommandError with code 2 on a usage error, and the errors of the command. */
  run(line: readonly string[]): Promise<number>
}

export function createProgram(set: CommandSet, { env, cwd, streams }: ProgramContext): Program {
  let exitCode = 0
  let isRunning = false
  const style = chooseStyle(streams.stdout, env)
  const showHelp = (name: string | undefined): void => {
    const command = set.commands.find((candidate) => candidate.name === name)
    const group = groupsOf(set.commands).find((candidate) => candidate.name === name)
    const text = command
      ? renderCommandHelp(command, { globalFlags, style })
      : group
        ? renderGroupHelp(group, { commands: set.commands, globalFlags, style })
        : renderProgramHelp({ commands: set.commands, globalFlags, style })
    streams.stdout.write(text)
  }
  const cli = Clerc.create({ name: 'svc', scriptName: 'svc', version: version.version })
  for (const [name, flag] of Object.entries(globalFlags)) cli.globalFlag(name, flag.description, toParserFlag(name, flag) as never)
  cli.interceptor(async (context, next) => {
    const isHelp = context.flags.help === true
    checkLine(context as unknown as ParsedLine, { set, isHelp })
    if (isHelp) showHelp(context.command?.name)
    else await next()
  })
  for (const command of set.commands) {
    const spec = { flags: toParserFlags(command.flags) } as never
    cli.command(command.name, command.summary, spec).on(command.name, async ({ flags, rawParsed }) => {
      isRunning = true
      const parameters = readParameters(command, wordsOf(rawParsed))
      const { run } = await command.load()
      const out = createOutput({
        isJson: flags.json === true,
        stdout: streams.stdout,
        stderr: streams.stderr,
        askSecret: (question) => (canPrompt(streams) ? promptSecret(question, streams) : undefined),
      })
      exitCode = (await run({ parameters, flags, env, cwd, out })) ?? 0
    })
  }
  for (const { name, summary, flags } of groupsOf(set.commands)) {
    cli.command(name, summary, { flags: toParserFlags(flags) } as never).on(name, () => showHelp(name))
  }
  return {
    async run(line) {
      try {
        checkSwitches(line, switchNames(set.commands))
        await cli.parse([...line])
      } catch (error) {
        // Any error before a command runs comes from the parser: a usage error.
        if (isRunning || error instanceof CommandError) throw error
        throw new CommandError((error as Error).message, { exitCode: 2, cause: error })
      }
      return exitCode
    },
  }
}

/** Names of the flags that take a value, as typed. */
export function valuedFlags(commands: readonly Command[]): ReadonlySet<string> {
  const specs = [['config', configFlag] as const, ...commands.flatMap(({ flags }) => Object.entries(flags ?? {}))]
  return new Set(specs.flatMap(([name, spec]) => (takesValue(spec) ? [typedName(name), name, ...(spec.short ? [spec.short] : [])] : [])))
}

/** Names of the flags without a value, as typed. */
function switchNames(commands: readonly Command[]): ReadonlySet<string> {
  const specs = commands.flatMap(({ flags }) => Object.entries(flags ?? {}))
  return new Set(['help', ...specs.flatMap(([name, spec]) => (takesValue(spec) ? [] : [typedName(name), name]))])
}

const toParserFlags = (flags: Command['flags'] = {}) =>
  Object.fromEntries(Object.entries(flags).map(([name, spec]) => [name, toParserFlag(name, spec)]))
