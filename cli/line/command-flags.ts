/** Converts the flags of a command to those of the parser. */
import type { FlagSpec } from '#kernel'
import { parseDuration } from '#kernel/host'
import { usageError } from '../usage.ts'

/** Converts the text of a flag. Throws CommandError on an invalid one. */
type FlagReader = (text: string) => unknown

interface ParserFlag {
  readonly type: typeof Boolean | FlagReader | readonly [FlagReader]
  readonly description: string
  readonly short?: string
  readonly required?: boolean
  readonly default?: unknown
}

export function toParserFlag(name: string, spec: FlagSpec): ParserFlag {
  return {
    type: parserType(name, spec),
    description: spec.description,
    ...(spec.short === undefined ? {} : { short: spec.short }),
    ...(spec.required ? { required: true } : {}),
    ...(spec.default === undefined && spec.type !== 'list' ? {} : { default: defaultOf(spec) }),
  }
}

/** `adminUrl` is typed as `--admin-url`. */
export const typedName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const takesValue = (spec: FlagSpec): boolean => spec.type !== 'switch'

function parserType(name: string, spec: FlagSpec): ParserFlag['type'] {
  if (spec.type === 'switch') return Boolean
  const reader = readerOf(`--${typedName(name)}`, spec)
  // The parser collects repeated flags for a type in brackets.
  return spec.type === 'list' ? [reader] : reader
}

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

/** A duration becomes milliseconds. The parser calls a function for its value. */
function defaultOf({ type, default: written }: FlagSpec): unknown {
  if (type === 'list') return (): readonly string[] => []
  return type === 'duration' ? parseDuration(String(written)) : written
}
