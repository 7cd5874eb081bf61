/** The parser with every command, its help, and the refusals that the parser itself does not make. */
import { Clerc, completionsPlugin, helpPlugin } from 'clerc'
import { type Command, CommandError, createOutput, type FlagSpec, version } from '#kernel'
import { takesValue, toParserFlag, typedName } from './command-flags.ts'
import type { CommandSet } from './command-set.ts'
import { checkLine, type ParsedLine, unknownCommand } from './line-check.ts'
import { localCommands } from './local-commands.ts'

const configFlag: FlagSpec = {
  type: 'text',
  short: 'c',
  description: 'Configuration file; else the variable SVC_CONFIG, else ~/.svc/config.toml',
}

const notes = [
  'Exit code: 0 success and help, 2 wrong use, 1 any other error.',
  'Flags may stand before, between or after the words of a command.',
  'NODE_DEBUG=svc adds where an error arose.',
]

const examples: [string, string][] = [
  ['svc dev', 'Try everything on this machine, without money'],
  ['svc init', 'Make a runtime directory'],
  ['svc serve', 'Start the gateway'],
]

export interface Program {
  /** Runs the line and resolves with the exit code. Throws CommandError with code 2 on wrong use, and what the command throws. */
  run(line: readonly string[]): Promise<number>
}

export function createProgram(set: CommandSet, env: Readonly<Record<string, string | undefined>>): Program {
  const groups = groupsOf(set.commands)
  let exitCode = 0
  let isRunning = false
  const cli = Clerc.create({ name: 'svc', scriptName: 'svc', version: version.version, description: 'S3 gateway to Filecoin storage' })
    .use(helpPlugin({ formatters: { formatTypeValue }, notes, examples, groups: { commands: helpGroups(set.commands) } }))
    .use(completionsPlugin())
    .globalFlag('config', configFlag.description, toParserFlag('config', configFlag) as never)
    .interceptor(async (context, next) => {
      if (!context.flags.help) checkLine(context as unknown as ParsedLine, set)
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
  for (const group of groups) {
    cli.command(group, `Commands of svc ${group}`, { help: { show: false, notes: [], examples: [] } }).on(group, async ({ rawParsed }) => {
      if (rawParsed.parameters.length > 0) throw unknownCommand([...group.split(' '), ...rawParsed.parameters], set)
      await cli.parse([...group.split(' '), '--help'])
    })
  }
  return {
    async run(line) {
      try {
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

function describe(command: Command) {
  const flags = Object.fromEntries(Object.entries(command.flags ?? {}).map(([name, spec]) => [name, toParserFlag(name, spec)]))
  const group = groupOf(command)
  return {
    parameters: command.parameters ?? [],
    flags,
    help: { notes: [], examples: command.examples.map(([line, meaning]) => [line, meaning]), ...(group ? { group } : {}) },
  }
}

/** Words that begin commands without being one, such as `admin` and `admin task`: alone they show their commands. */
function groupsOf(commands: readonly Command[]): readonly string[] {
  const names = new Set(commands.map(({ name }) => name))
  const prefixes = commands.flatMap(({ name }) => {
    const words = name.split(' ')
    return words.slice(1).map((_, count) => words.slice(0, count + 1).join(' '))
  })
  return [...new Set(prefixes)].filter((prefix) => !names.has(prefix))
}

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
