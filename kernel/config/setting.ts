import { formatDuration, parseDuration } from './duration.ts'
import {
  anyText,
  choiceRule,
  flagRule,
  integerRule,
  listRule,
  nonEmptyText,
  type TextRule,
  textRule,
  type ValueRule,
} from './value-rule.ts'

/** One configurable value: how it is written, checked, documented and shown. */
export interface Setting<T> {
  /** Decides how text from the environment or a flag is read. */
  readonly form: 'text' | 'integer' | 'flag' | 'list' | 'duration'
  /** Checks the value in the form of the file (a duration is text there). */
  readonly rule: ValueRule
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
  /** Parts of the value that must not appear in logs or on a command line, such as the token in a URL; all of a secret. Must accept any string. */
  readonly secretParts: (text: string) => readonly string[]
  /** Is true when the service without it starts in setup mode. */
  readonly required: boolean
  readonly risk: 'none' | 'review' | 'high'
  /** Written uncommented by `svc init` even when it equals the default. */
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

function define<T>(form: Setting<T>['form'], rule: ValueRule, about: About<FileValue>, parse: (value: unknown) => T): Setting<T> {
  const { label, doc, editable = false, required = false, risk = 'none', written = false, secretParts = () => [] } = about
  const normalize = (value: unknown) => value
  return {
    form,
    rule,
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

/** Free text, optionally narrowed by a rule such as `matching(/^https?:/, 'an http or https URL')`. */
function text<const A extends About<string>>(about: A, rule: TextRule = anyText): Setting<Defaulted<string, A>> {
  return define('text', textRule(rule), about, (value) => value as Defaulted<string, A>)
}

/** Text that is never shown. Checks hide the value from their messages. */
function secret<const A extends About<string>>(about: A, rule: TextRule = anyText): Setting<Defaulted<string, A>> {
  const { expected, check } = textRule(rule)
  const hidden: ValueRule = {
    expected,
    check(value) {
      const mismatch = check(value)
      return mismatch && { ...mismatch, was: '(hidden)' }
    },
  }
  return {
    ...define('text', hidden, about, (value) => value as Defaulted<string, A>),
    secret: true,
    secretParts: about.secretParts ?? ((value) => [value]),
  }
}

/** One of the values, in any letter case. */
function choice<const V extends string, const A extends About<NoInfer<V>>>(values: readonly V[], about: A): Setting<V> {
  const canonical = new Map<unknown, V>(values.map((value) => [value.toLowerCase(), value]))
  return {
    ...define('text', choiceRule(values), about, (value) => value as V),
    normalize: (value) => (typeof value === 'string' ? canonical.get(value.toLowerCase()) : undefined) ?? value,
  }
}

function integer<const A extends About<number> & { readonly min?: number; readonly max?: number }>(
  about: A,
): Setting<Defaulted<number, A>> {
  return define('integer', integerRule(about), about, (value) => value as Defaulted<number, A>)
}

function flag<const A extends About<boolean>>(about: A): Setting<boolean> {
  return define('flag', flagRule, about, (value) => value as boolean)
}

/** Comma-separated in the environment, an array in the file. Each entry is checked by `entry`. */
function list<const A extends About<readonly string[]>>(about: A, entry: TextRule = nonEmptyText): Setting<readonly string[]> {
  return define('list', listRule(entry), about, (value) => value as readonly string[])
}

const durationForm = 'a duration such as 90s, 5m or 1h30m'

/** Text such as `90s`, `5m` or `1h30m` in the file; milliseconds in code. */
function duration<const A extends About<string> & { readonly minMs?: number }>(about: A): Setting<Defaulted<number, A>> {
  const minMs = about.minMs ?? 1
  const rule = textRule({
    expected: durationForm,
    mustBe(text) {
      const ms = parseDuration(text)
      if (ms === undefined) return durationForm
      return ms >= minMs ? undefined : `at least ${formatDuration(minMs)}`
    },
  })
  return define('duration', rule, about, (value) => parseDuration(value as string) as Defaulted<number, A>)
}

/** The kinds of settings. */
export const setting = { choice, duration, flag, integer, list, secret, text } as const
