/** Reads a command line: its command, flags and parameters, and what is wrong with it. */
import { extractParameterInfo } from '@clerc/core'
import type { CommandError } from '#kernel'
import { type Command, suggest } from '#kernel/host'
import type { CommandSet } from '../command-set.ts'
import { usageError } from '../usage.ts'
import { anyFlags, globalFlagsOf, takesValue, typedFlags, typedName } from './command-flags.ts'
import { type CommandGroup, groupsOf } from './command-groups.ts'
import { type ParsedLine, parseLine } from './parse-line.ts'
import { suggestCommand } from './suggest-command.ts'

interface ReadLine {
  /** Is undefined for a line without words. */
  readonly named: Command | CommandGroup | undefined
  readonly flags: ParsedLine['flags']
  /** Keys are camel-cased names. */
  readonly parameters: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** Throws CommandError with exit code 2. Does not check with `--help` what the command needs. */
export async function readLine(line: readonly string[], set: CommandSet): Promise<ReadLine> {
  checkSwitches(line, set.commands)
  const { words } = await parseLine(line, anyFlags(set.commands))
  const named = findNamed([...set.commands, ...groupsOf(set.commands)], words)
  const parsed = await parseLine(line, typedFlags(named ?? {}))
  const command = named && 'load' in named ? named : undefined
  const known = named?.name.split(' ') ?? []
  const rest = parsed.words.slice(known.length)
  if (!command && rest.length > 0) throw unknownCommand(known, rest, set)
  if (parsed.flags.help !== true) checkNeeds(parsed, { named, command, rest })
  return { named, flags: parsed.flags, parameters: readParameters(command?.parameters, rest) }
}

/** The longest name that the words begin with. */
function findNamed(named: readonly (Command | CommandGroup)[], words: readonly string[]): Command | CommandGroup | undefined {
  const byName = new Map(named.map((item) => [item.name, item]))
  const beginnings = words.map((_, at) => words.slice(0, at + 1).join(' '))
  return byName.get(beginnings.findLast((beginning) => byName.has(beginning)) ?? '')
}

interface Target {
  readonly named: Command | CommandGroup | undefined
  readonly command: Command | undefined
  /** Words after the name. */
  readonly rest: readonly string[]
}

function checkNeeds({ flags, unknownFlags, missingFlags }: ParsedLine, { named, command, rest }: Target): void {
  const help = named ? `see svc ${named.name} --help` : 'see svc --help'
  const [unknown] = unknownFlags
  if (unknown !== undefined) {
    throw unknownFlag(unknown, Object.keys({ ...globalFlagsOf(command ?? {}), ...named?.flags }), help)
  }
  if (!named) throw usageError(`no command is given; ${help}`)
  if (missingFlags.length > 0) {
    const missing = missingFlags.map((name) => `--${typedName(name)}`).join(' and ')
    throw usageError(`svc ${named.name} needs ${missing}; ${help}`)
  }
  if (!command) return
  if (command.noConfig && flags.config !== undefined) throw usageError(`svc ${command.name} takes no --config: ${command.noConfig}`)
  checkParameters(command, rest, help)
}

function readParameters(keys: readonly string[] = [], words: readonly string[]): ReadLine['parameters'] {
  const pairs = keys.map((key, at) => {
    const { name, isVariadic } = extractParameterInfo(key)
    return [name, isVariadic ? words.slice(at) : words[at]] as const
  })
  return Object.fromEntries(pairs)
}

function checkParameters({ name, parameters = [] }: Command, words: readonly string[], help: string): void {
  const missing = parameters.filter((key) => key.startsWith('<'))[words.length]
  if (missing !== undefined) throw usageError(`svc ${name} needs ${missing.replace('...', '')}; ${help}`)
  const extra = parameters.some((key) => key.includes('...')) ? undefined : words[parameters.length]
  if (extra !== undefined) throw usageError(`svc ${name} does not take "${extra}"; ${help}`)
}

/** A switch takes no value: `--yes=no` would turn it on. */
function checkSwitches(line: readonly string[], commands: readonly Command[]): void {
  const specs = commands.flatMap(({ flags }) => Object.entries(flags ?? {}))
  const switches = new Set(['help', ...specs.flatMap(([name, spec]) => (takesValue(spec) ? [] : [typedName(name), name]))])
  const end = line.indexOf('--')
  for (const word of end === -1 ? line : line.slice(0, end)) {
    const [, name = '', value] = /^--(?:no-)?([^=]+)=(.*)$/s.exec(word) ?? []
    if (switches.has(name) || switches.has(`no-${name}`)) throw usageError(`--${name} is a switch and takes no value, got "${value}"`)
  }
}

function unknownCommand(known: readonly string[], rest: readonly string[], set: CommandSet): CommandError {
  const words = [...known, ...rest]
  const line = words.join(' ')
  for (const [name, pluginId] of set.switchedOff) {
    if (line === name || line.startsWith(`${name} `) || name.startsWith(`${line} `)) {
      const cause = set.resting.get(pluginId)
      const state = cause === undefined ? 'which is disabled' : `which rests while '${cause}' is disabled`
      return usageError(`svc ${name} belongs to the plugin '${pluginId}', ${state}; enable it with svc plugins enable ${cause ?? pluginId}`)
    }
  }
  const names = [...set.commands, ...groupsOf(set.commands), { name: 'help' }].map(({ name }) => name)
  const near = suggestCommand(words, names, known.length)
  const trouble = set.trouble === undefined ? '' : ` (commands of plugins may be missing: ${set.trouble})`
  const help = ['svc', ...known, '--help'].join(' ')
  return usageError(`unknown command "${line}"${near ? ` (did you mean "${near}"?)` : ''}; see ${help}${trouble}`)
}

function unknownFlag(name: string, known: readonly string[], help: string): CommandError {
  const typed = (flag: string) => (flag.length === 1 ? `-${flag}` : `--${typedName(flag)}`)
  const near = suggest(typedName(name), known.map(typedName))
  return usageError(`unknown flag ${typed(name)}${near ? ` (did you mean --${near}?)` : ''}; ${help}`)
}
