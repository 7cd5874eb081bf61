/** What a command line may not hold, refused before anything runs. */
import { CommandError } from '#kernel'
import { typedName } from './command-flags.ts'
import { groupsOf } from './command-groups.ts'
import type { CommandSet } from './command-set.ts'
import { suggest } from './suggest.ts'

/** The parts of the parser's result that are judged. */
export interface ParsedLine {
  readonly command?: {
    readonly name: string
    readonly parameters?: readonly (string | { readonly key: string })[]
    readonly flags?: Readonly<Record<string, unknown>>
  }
  readonly rawParsed: {
    readonly parameters: readonly string[]
    readonly doubleDash: readonly string[]
    readonly unknown: Readonly<Record<string, unknown>>
    readonly missingRequiredFlags: readonly string[]
  }
}

interface LineRules {
  readonly set: CommandSet
  /** Help is asked for: what the command needs does not matter. */
  readonly isHelp: boolean
}

/** Throws CommandError with exit code 2. */
export function checkLine({ command, rawParsed }: ParsedLine, { set, isHelp }: LineRules): void {
  const isGroup = command !== undefined && !set.commands.some(({ name }) => name === command.name)
  if ((!command || isGroup) && rawParsed.parameters.length > 0) {
    throw unknownCommand([...(command?.name.split(' ') ?? []), ...rawParsed.parameters], set)
  }
  if (isHelp) return
  const help = command ? `see svc ${command.name} --help` : 'see svc --help'
  const [unknown] = Object.keys(rawParsed.unknown)
  if (unknown !== undefined) throw unknownFlag(unknown, ['config', 'help', ...Object.keys(command?.flags ?? {})], help)
  if (!command) throw wrongUse(`no command is given; ${help}`)
  if (rawParsed.missingRequiredFlags.length > 0) {
    throw wrongUse(
      `svc ${command.name} needs ${rawParsed.missingRequiredFlags.map((name) => `--${typedName(name)}`).join(' and ')}; ${help}`,
    )
  }
  checkParameters(command.name, (command.parameters ?? []).map(keyOf), rawParsed)
}

/** A switch is on by being there. Anything after `=` would be taken for on too, `--yes=no` among them. Throws CommandError with exit code 2. */
export function checkSwitches(line: readonly string[], switches: ReadonlySet<string>): void {
  const end = line.indexOf('--')
  for (const word of end === -1 ? line : line.slice(0, end)) {
    const [, name = '', value] = /^--(?:no-)?([^=]+)=(.*)$/s.exec(word) ?? []
    if (switches.has(name) || switches.has(`no-${name}`)) throw wrongUse(`--${name} is a switch and takes no value, got "${value}"`)
  }
}

function unknownCommand(words: readonly string[], set: CommandSet): CommandError {
  const line = words.join(' ')
  for (const [name, pluginId] of set.switchedOff) {
    if (line === name || line.startsWith(`${name} `) || name.startsWith(`${line} `)) {
      return wrongUse(`svc ${name} belongs to the plugin '${pluginId}', which is disabled; svc plugins enable ${pluginId} brings it back`)
    }
  }
  const near = suggestCommand(words, set)
  const trouble = set.trouble === undefined ? '' : ` (commands of plugins may be missing: ${set.trouble})`
  const group = groupsOf(set.commands).findLast(({ name }) => line.startsWith(`${name} `))
  const help = group === undefined ? 'svc --help' : `svc ${group.name} --help`
  return wrongUse(`unknown command "${line}"${near ? ` (did you mean "${near}"?)` : ''}; see ${help}${trouble}`)
}

function suggestCommand(words: readonly string[], { commands }: CommandSet): string | undefined {
  const names = [...commands, ...groupsOf(commands)].map(({ name }) => name)
  for (let count = words.length; count > 0; count--) {
    const near = suggest(words.slice(0, count).join(' '), names)
    if (near) return near
  }
  return undefined
}

function unknownFlag(name: string, known: readonly string[], help: string): CommandError {
  const typed = (flag: string) => (flag.length === 1 ? `-${flag}` : `--${typedName(flag)}`)
  const near = suggest(typedName(name), known.map(typedName))
  return wrongUse(`unknown flag ${typed(name)}${near ? ` (did you mean --${near}?)` : ''}; ${help}`)
}

function checkParameters(name: string, wanted: readonly string[], { parameters, doubleDash }: ParsedLine['rawParsed']): void {
  const missing = wanted.filter((key) => key.startsWith('<'))[parameters.length]
  if (missing !== undefined) throw wrongUse(`svc ${name} needs ${missing.replace('...', '')}; see svc ${name} --help`)
  const extra = [...(wanted.some((key) => key.includes('...')) ? [] : parameters.slice(wanted.length)), ...doubleDash]
  if (extra.length > 0) throw wrongUse(`svc ${name} does not take "${extra[0]}"; see svc ${name} --help`)
}

const keyOf = (parameter: string | { readonly key: string }): string => (typeof parameter === 'string' ? parameter : parameter.key)
const wrongUse = (message: string): CommandError => new CommandError(message, { exitCode: 2 })
