/** The flags of a command in the terms of the parser. */
import { CommandError, type FlagSpec, parseDuration } from '#kernel'

/** What the parser calls with the text of a flag; `display` stands in the help. */
export type FlagReader = ((text: string) => unknown) & { readonly display: string }

export interface ParserFlag {
  readonly type: typeof Boolean | FlagReader | readonly [FlagReader]
  readonly description: string
  readonly short?: string
  readonly required?: boolean
  readonly default?: unknown
}

export function toParserFlag(name: string, spec: FlagSpec): ParserFlag {
  return {
    type: parserType(name, spec.type),
    description: spec.required ? `${spec.description} (required)` : spec.description,
    ...(spec.short === undefined ? {} : { short: spec.short }),
    ...(spec.required ? { required: true } : {}),
    ...(spec.default === undefined && spec.type !== 'list' ? {} : { default: defaultOf(spec) }),
  }
}

/** `adminUrl` is typed as `--admin-url`. */
export const typedName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const takesValue = (spec: FlagSpec): boolean => spec.type !== 'switch'

function parserType(name: string, type: FlagSpec['type']): ParserFlag['type'] {
  if (type === 'switch') return Boolean
  const reader = Object.assign(readerOf(`--${typedName(name)}`, type), { display: displayOf(type) })
  // The parser collects repeated flags for a type in brackets.
  return type === 'list' ? [reader] : reader
}

function displayOf(type: Exclude<FlagSpec['type'], 'switch'>): string {
  if (typeof type !== 'string') return type.join(' | ')
  return type === 'list' ? 'text' : type
}

function readerOf(flag: string, type: Exclude<FlagSpec['type'], 'switch'>): (text: string) => unknown {
  const refuse = (need: string, text: string): never => {
    throw new CommandError(`${flag} must be ${need}, got "${text}"`, { exitCode: 2 })
  }
  return (text) => {
    if (text === '') throw new CommandError(`${flag} needs a value`, { exitCode: 2 })
    if (type === 'number') return Number.isFinite(Number(text)) ? Number(text) : refuse('a number', text)
    if (type === 'duration') return parseDuration(text) ?? refuse('a duration such as 5s, 2m or 1h30m', text)
    if (typeof type !== 'string') return type.includes(text) ? text : refuse(`one of ${type.join(', ')}`, text)
    return text
  }
}

/** A duration is written as text and used as milliseconds; the help shows what is written. */
function defaultOf({ type, default: written }: FlagSpec): unknown {
  if (type === 'list') return Object.assign((): readonly string[] => [], { display: 'none' })
  if (type !== 'duration') return written
  return Object.assign(() => parseDuration(String(written)), { display: String(written) })
}
