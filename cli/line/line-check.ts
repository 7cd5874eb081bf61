/** Checks of a command line before anything runs. */

import type { CommandError } from '#kernel'
import { type Command, suggest } from '#kernel/host'
import type { CommandSet } from '../command-set.ts'
import { usageError } from '../usage.ts'
import { typedName } from './command-flags.ts'
import { groupsOf } from './command-groups.ts'
import { suggestCommand } from './suggest-command.ts'

/** The parts of the parser's result that are checked. */
export interface ParsedLine {
  readonly command?: {
    readonly name: string
    readonly flags?: Readonly<Record<string, unknown>>
  }
  readonly flags: Readonly<Record<string, unknown>>
  readonly rawParsed: {
    readonly parameters: readonly string[]
    readonly doubleDash: readonly string[]
    readonly unknown: Readonly<Record<string, unknown>>
    readonly missingRequiredFlags: readonly string[]
  }
}

interface LineRules {
  readonly set: CommandSet
  /** Is true with `--help`: the needs of the command are not checked. */
  readonly isHelp: boolean
}

/** Throws CommandError with exit code 2. */
export function checkLine({ command: parsed, flags, rawParsed }: ParsedLine, { set, isHelp }: LineRules): void {
  const command = set.commands.find(({ name }) => name === parsed?.name)
  const words = wordsOf(rawParsed)
  if (!command && words.length > 0) throw unknownCommand(parsed?.name.split(' ') ?? [], words, set)
  if (isHelp) return
  const help = parsed ? `see svc ${parsed.name} --help` : 'see svc --help'
  const [unknown] = Object.keys(rawParsed.unknown)
  if (unknown !== undefined) {
    throw unknownFlag(unknown, [...(command?.noConfig ? [] : ['config']), 'help', ...Object.keys(parsed?.flags ?? {})], help)
  }
  if (!parsed) throw usageError(`no command is given; ${help}`)
  if (rawParsed.missingRequiredFlags.length > 0) {
    const missing = rawParsed.missingRequiredFlags.map((name) => `--${typedName(name)}`).join(' and ')
    throw usageError(`svc ${parsed.name} needs ${missing}; ${help}`)
  }
  if (!command) return
  if (command.noConfig && flags.config !== undefined) throw usageError(`svc ${command.name} takes no --config: ${command.noConfig}`)
  checkParameters(command, words, help)
}

/** The words that are not flags: those after `--` never are. */
export const wordsOf = ({ parameters, doubleDash }: ParsedLine['rawParsed']): readonly string[] => [...parameters, ...doubleDash]

/** The words by the names of the command's parameters. */
export function readParameters(
  { parameters = [] }: Command,
  words: readonly string[],
): Readonly<Record<string, string | readonly string[]>> {
  const pairs = parameters.map((key, at) => {
    const name = key.replace(/[<>[\].]/g, '').replace(/ (\w)/g, (_gap, letter: string) => letter.toUpperCase())
    return [name, isRepeatable(key) ? words.slice(at) : words[at]] as const
  })
  return Object.fromEntries(pairs.filter((pair): pair is [string, string | string[]] => pair[1] !== undefined))
}

/** A switch takes no value: `--yes=no` would turn it on. Throws CommandError with exit code 2. */
export function checkSwitches(line: readonly string[], switches: ReadonlySet<string>): void {
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
      return usageError(`svc ${name} belongs to the plugin '${pluginId}', which is disabled; enable it with svc plugins enable ${pluginId}`)
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

function checkParameters({ name, parameters = [] }: Command, words: readonly string[], help: string): void {
  const missing = parameters.filter((key) => key.startsWith('<'))[words.length]
  if (missing !== undefined) throw usageError(`svc ${name} needs ${missing.replace('...', '')}; ${help}`)
  const extra = parameters.some(isRepeatable) ? undefined : words[parameters.length]
  if (extra !== undefined) throw usageError(`svc ${name} does not take "${extra}"; ${help}`)
}

const isRepeatable = (key: string): boolean => key.includes('...')
