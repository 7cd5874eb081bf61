import { type Type, type } from 'arktype'
import { formatDuration, parseDuration } from './duration.ts'

/** One configurable value: how it is written, checked, documented and shown. */
export interface Setting<T> {
  /** Decides how text from the environment or a flag is read. */
  readonly form: 'text' | 'integer' | 'flag' | 'list' | 'duration'
  /** Checks the value as it stands in the file (a duration is text there). */
  readonly schema: Type<unknown>
  /** The canonical spelling of a value, such as `lru` for `LRU`; any other value unchanged. */
  readonly normalize: (value: unknown) => unknown
  /** Turns the checked file value into the one the code uses. */
  readonly parse: (fileValue: unknown) => T
  /** File form of the default; a function when it depends on the data directory; undefined = no default. */
  readonly fallback: FileValue | ((place: { readonly dataDir: string }) => FileValue) | undefined
  readonly label: string
  readonly doc: string
  /** Settable through the Admin API. */
  readonly editable: boolean
  /** Never shown, logged or returned. */
  readonly secret: boolean
  /** What of the value no log line and no command line may carry: what the setting names, such as the token in a URL; of a secret, all. Bears any text. */
  readonly secretParts: (text: string) => readonly string[]
  /** Without it the service starts in setup mode. */
  readonly required: boolean
  readonly risk: 'none' | 'review' | 'high'
  /** Written live by `svc init` even when it equals the default. */
  readonly written: boolean
  readonly T?: T
}

export type FileValue = string | number | boolean | readonly string[]

interface About<F> {
  readonly label: string
  readonly doc: string
  readonly default?: F | ((place: { readonly dataDir: string }) => F)
  readonly editable?: boolean
  readonly required?: boolean
  readonly risk?: 'none' | 'review' | 'high'
  readonly written?: boolean
  readonly secretParts?: (text: string) => readonly string[]
}

type Defaulted<T, A> = A extends { readonly default: unknown } ? T : A extends { readonly required: true } ? T : T | undefined

function setting<T>(form: Setting<T>['form'], schema: Type<unknown>, about: About<FileValue>, parse: (value: unknown) => T): Setting<T> {
  const { label, doc, editable = false, required = false, risk = 'none', written = false, secretParts = () => [] } = about
  const normalize = (value: unknown) => value
  return {
    form,
    schema,
    normalize,
    parse,
    fallback: about.default,
    label,
    doc,
    editable,
    required,
    risk,
    written,
    secret: false,
    secretParts,
  }
}

/** Free text, optionally narrowed by an arktype such as `type('string.url')`. */
export function text<const A extends About<string>>(about: A, schema: Type<string> = type('string')): Setting<Defaulted<string, A>> {
  return setting('text', printable(schema), about, (value) => value as Defaulted<string, A>)
}

/** The file cannot hold half a surrogate pair, and a control character in a path, a name or a URL is never meant. */
function printable(schema: Type<string>): Type<unknown> {
  const isPrintable = (value: string) => value.isWellFormed() && !/\p{Cc}/u.test(value)
  return describedAs(
    schema,
    schema.narrow((value, ctx) => isPrintable(value) || ctx.mustBe('text without control characters')),
  )
}

/** A rule that everybody takes for granted is no part of what an operator reads. */
const describedAs = (schema: Type<unknown>, narrowed: unknown): Type<unknown> =>
  (narrowed as Type<unknown>).configure({ description: schema.description }, 'self') as Type<unknown>

/** Text that is never shown. Checks hide the value from their messages. */
export function secret<const A extends About<string>>(about: A, schema: Type<string> = type('string')): Setting<Defaulted<string, A>> {
  const hidden = printable(schema.configure({ actual: () => '(hidden)' }) as Type<string>)
  return {
    ...setting('text', hidden, about, (value) => value as Defaulted<string, A>),
    secret: true,
    secretParts: about.secretParts ?? ((value) => [value]),
  }
}

/** One of the values, in any letter case. */
export function choice<const V extends string, const A extends About<NoInfer<V>>>(values: readonly V[], about: A): Setting<V> {
  const canonical = new Map<unknown, V>(values.map((value) => [value.toLowerCase(), value]))
  return {
    ...setting('text', type.enumerated(...values) as Type<unknown>, about, (value) => value as V),
    normalize: (value) => (typeof value === 'string' ? canonical.get(value.toLowerCase()) : undefined) ?? value,
  }
}

export function integer<const A extends About<number> & { readonly min?: number; readonly max?: number }>(
  about: A,
): Setting<Defaulted<number, A>> {
  let schema: Type<number> = type('number.integer')
  if (about.min !== undefined) schema = schema.atLeast(about.min) as Type<number>
  if (about.max !== undefined) schema = schema.atMost(about.max) as Type<number>
  const exact = schema.narrow((value, ctx) => Number.isSafeInteger(value) || ctx.mustBe('below 2^53'))
  return setting('integer', describedAs(schema as Type<unknown>, exact), about, (value) => value as Defaulted<number, A>)
}

export function flag<const A extends About<boolean>>(about: A): Setting<boolean> {
  return setting('flag', type('boolean') as Type<unknown>, about, (value) => value as boolean)
}

/** Comma-separated in the environment, an array in the file. Each entry is checked by `entry`. */
export function list<const A extends About<readonly string[]>>(
  about: A,
  entry: Type<string> = type('string > 0'),
): Setting<readonly string[]> {
  return setting('list', (printable(entry) as Type<string>).array() as Type<unknown>, about, (value) => value as readonly string[])
}

/** Text such as `90s`, `5m` or `1h30m` in the file; milliseconds in code. */
export function duration<const A extends About<string> & { readonly minMs?: number }>(about: A): Setting<Defaulted<number, A>> {
  const minMs = about.minMs ?? 1
  const schema = type('string').narrow((value, ctx) => {
    const ms = parseDuration(value)
    if (ms === undefined) return ctx.mustBe('a duration such as 90s, 5m or 1h30m')
    return ms >= minMs ? true : ctx.mustBe(`at least ${formatDuration(minMs)}`)
  })
  return setting('duration', schema as Type<unknown>, about, (value) => parseDuration(value as string) as Defaulted<number, A>)
}
