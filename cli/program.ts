/** The parser with every command, its help, and the refusals that the parser itself does not make. */
import { Clerc } from '@clerc/core'
import { helpPlugin } from '@clerc/plugin-help'
import { type Command, CommandError, createOutput, type FlagSpec, version } from '#kernel'
import { takesValue, toParserFlag, typedName } from './command-flags.ts'
import { type CommandGroup, groupsOf } from './command-groups.ts'
import type { CommandSet } from './command-set.ts'
import { checkLine, checkSwitches, type ParsedLine } from './line-check.ts'
import { localCommands } from './local-commands.ts'

export const configFlag: FlagSpec = {
  type: 'text',
  short: 'c',
  description: 'Configuration file; else the variable SVC_CONFIG, else ~/.svc/config.toml',
}

const notes = [
  'Exit code: 0 success and help, 2 wrong use, 1 any other error.',
  'Flags may stand before, between or after the words of a command.',
  'With --json the result stands alone on standard output; notes and errors go to standard error.',
  'NODE_DEBUG=svc adds where an error arose.',
]

const examples: [string, string][] = [
  ['svc dev', 'Try everything on this machine, without money'],
  ['svc init', 'Make a runtime directory'],
  ['svc serve', 'Start the gateway'],
  ['svc admin status', 'See how it is'],
]

export interface Program {
  /** Runs the line and resolves with the exit code. Throws CommandError with code 2 on wrong use, and what the command throws. */
  run(line: readonly string[]): Promise<number>
}

export function createProgram(set: CommandSet, env: Readonly<Record<string, string | undefined>>): Program {
  let exitCode = 0
  let isRunning = false
  const cli = Clerc.create({ name: 'svc', scriptName: 'svc', version: version.version, description: 'S3 gateway to Filecoin storage' })
    .use(helpPlugin({ command: false, formatters: { formatTypeValue }, notes, examples, groups: { commands: helpGroups(set.commands) } }))
    .globalFlag('config', configFlag.description, toParserFlag('config', configFlag) as never)
    .interceptor(async (context, next) => {
      checkLine(context as unknown as ParsedLine, { set, isHelp: context.flags.help === true })
      await next()
    })
  for (const command of set.commands) {
    cli.command(command.name, command.summary, describe(command) as never).on(command.name, async ({ parameters, flags }) => {
      isRunning = true
      const { run } = await command.load()
      const out = createOutput({ isJson: flags.json === true, stdout: process.stdout, stderr: process.stderr })
      exitCode = (await run({ parameters, flags, env, out })) ?? 0
    })
  }
  for (const group of groupsOf(set.commands)) {
    const { name, summary } = group
    cli.command(name, summary, describeGroup(group) as never).on(name, async () => void (await cli.parse([...name.split(' '), '--help'])))
  }
  return {
    async run(line) {
      try {
        checkSwitches(line, switchNames(set.commands))
        await cli.parse([...line])
      } catch (error) {
        // What the parser refuses before a command runs is wrong use, whatever it throws.
        if (isRunning || error instanceof CommandError) throw error
        throw new CommandError((error as Error).message, { exitCode: 2, cause: error })
      }
      return exitCode
    },
  }
}

/** Names of the flags that take a value, as they are typed. */
export function valuedFlags(commands: readonly Command[]): ReadonlySet<string> {
  const specs = [['config', configFlag] as const, ...commands.flatMap(({ flags }) => Object.entries(flags ?? {}))]
  return new Set(specs.flatMap(([name, spec]) => (takesValue(spec) ? [typedName(name), name, ...(spec.short ? [spec.short] : [])] : [])))
}

/** Names of the flags that are on by being there, as they are typed. */
function switchNames(commands: readonly Command[]): ReadonlySet<string> {
  const specs = commands.flatMap(({ flags }) => Object.entries(flags ?? {}))
  return new Set(['help', ...specs.flatMap(([name, spec]) => (takesValue(spec) ? [] : [typedName(name), name]))])
}

function describe(command: Command) {
  const group = groupOf(command)
  return {
    // Without any, an empty list would leave a gap in the usage line.
    ...(command.parameters ? { parameters: command.parameters.map(toParserParameter) } : {}),
    flags: toParserFlags(command.flags),
    help: { notes: [], examples: command.examples.map(([line, meaning]) => [line, meaning]), ...(group ? { group } : {}) },
  }
}

function describeGroup({ flags, examples }: CommandGroup) {
  return {
    parameters: [{ ...toParserParameter('[command]'), description: 'One of those below' }],
    flags: toParserFlags(flags),
    help: { show: false, notes: [], examples: examples.map(([line, meaning]) => [line, meaning]) },
  }
}

const toParserFlags = (flags: Command['flags'] = {}) =>
  Object.fromEntries(Object.entries(flags).map(([name, spec]) => [name, toParserFlag(name, spec)]))

const toParserParameter = (key: string) => ({
  key,
  type: Object.assign((text: string) => text, { display: key.includes('...') ? 'text, repeatable' : 'text' }),
})

/** What the help shows as the type of a flag or parameter. */
function formatTypeValue(type: unknown): string {
  const [reader, isRepeatable] = Array.isArray(type) ? [type[0], true] : [type, false]
  if (reader === Boolean) return 'switch'
  const { display = 'text' } = reader as { readonly display?: string }
  return isRepeatable ? `${display}, repeatable` : display
}

const addedGroup = 'added'

function groupOf(command: Command): string | undefined {
  const [first, ...rest] = command.name.split(' ')
  if (rest.length > 0) return first
  return localCommands.includes(command) ? undefined : addedGroup
}

function helpGroups(commands: readonly Command[]): [string, string][] {
  const keys = new Set(commands.flatMap((command) => groupOf(command) ?? []))
  return [...keys].map((key) => [key, key === addedGroup ? 'Added by plugins' : titleOf(key)])
}

const titleOf = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).replaceAll('-', ' ')
