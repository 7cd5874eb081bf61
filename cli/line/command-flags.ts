/** Converts the flags of a command to those of the parser. */
import type { ClercFlagsDefinition } from '@clerc/core'
import type { FlagSpec } from '#kernel'
import { type Command, parseDuration } from '#kernel/host'
import { usageError } from '../usage.ts'

type FlagSpecs = Readonly<Record<string, FlagSpec>>

/** Flags of every command. */
export const globalFlags = {
  config: { type: 'text', short: 'c', description: 'Configuration file (default: SVC_CONFIG, else ~/.svc/config.toml)' },
  help: { type: 'switch', short: 'h', description: 'Show help' },
} as const satisfies FlagSpecs

/** The global flags that the command accepts. */
export const globalFlagsOf = ({ noConfig }: { readonly noConfig?: string }): FlagSpecs =>
  noConfig ? { help: globalFlags.help } : globalFlags

/** `adminUrl` is typed as `--admin-url`. */
export const typedName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const takesValue = (spec: FlagSpec): boolean => spec.type !== 'switch'

/** Flags of every command, and of the given one by their types. */
export const typedFlags = ({ flags }: Pick<Command, 'flags'>): ClercFlagsDefinition =>
  Object.fromEntries(
    Object.entries<FlagSpec>({ ...globalFlags, ...flags }).map(([name, spec]) => {
      const fallback = spec.type === 'duration' ? parseDuration(String(spec.default)) : spec.default
      return [name, { type: parserType(name, spec), ...shortOf(spec), ...(spec.required ? { required: true } : { default: fallback }) }]
    }),
  )

/** The flags of all commands with any value, which tell flags from words before the command is known. */
export function anyFlags(commands: readonly Command[]): ClercFlagsDefinition {
  const all = [globalFlags, ...commands.map(({ flags = {} }) => flags)].flatMap((flags: FlagSpecs) => Object.entries(flags))
  // Where a name is a switch of one command and takes a value of another, the word after it is a value.
  const ordered = all.toSorted(([, one], [, other]) => Number(takesValue(one)) - Number(takesValue(other)))
  return Object.fromEntries(ordered.map(([name, spec]) => [name, { type: takesValue(spec) ? String : Boolean, ...shortOf(spec) }]))
}

const shortOf = ({ short }: FlagSpec) => (short === undefined ? {} : { short })

function parserType(name: string, spec: FlagSpec) {
  if (spec.type === 'switch') return Boolean
  const reader = readerOf(`--${typedName(name)}`, spec)
  // The parser collects repeated flags for a type in brackets.
  return spec.type === 'list' ? ([reader] as const) : reader
}

/** The reader throws CommandError on an invalid text. */
function readerOf(flag: string, { type, min = 1, max }: FlagSpec): (text: string) => unknown {
  const refuse = (need: string, got: string): never => {
    throw usageError(`${flag} must be ${need}, got ${got}`)
  }
  const readNumber = (text: string): number => {
    const value = Number(text)
    if (!Number.isFinite(value)) return refuse('a number', `"${text}"`)
    const isInLimits = max === undefined || (Number.isInteger(value) && value >= min && value <= max)
    return isInLimits ? value : refuse(`a whole number from ${min} to ${max}`, String(value))
  }
  return (text) => {
    if (text === '') throw usageError(`${flag} needs a value`)
    if (type === 'number') return readNumber(text)
    if (type === 'duration') return parseDuration(text) ?? refuse('a duration such as 5s, 2m or 1h30m', `"${text}"`)
    if (typeof type !== 'string') return type.includes(text) ? text : refuse(`one of ${type.join(', ')}`, `"${text}"`)
    return text
  }
}
