/** What a setting accepts. Plain functions: every command reads settings, and a schema library takes longer to load than the command runs. */

/** Checks a value in the form of the configuration file. */
export interface ValueRule {
  /** Shown to operators, such as `an integer and at least 1`. */
  readonly expected: string
  /** The texts that a choice accepts, sorted. */
  readonly allowed?: readonly string[]
  /** Minimum of an integer, inclusive. */
  readonly min?: number | undefined
  readonly max?: number | undefined
  /** Regular expression that a text must match. */
  readonly pattern?: string | undefined
  /** Returns undefined when the value fits. */
  check(value: unknown): Mismatch | undefined
}

/** Both in words, such as `at least 1` and `0`. */
interface Mismatch {
  readonly mustBe: string
  readonly was: string
}

/** Narrows the text of a setting. */
export interface TextRule {
  /** Shown to operators, such as `an http or https URL`. */
  readonly expected: string
  /** For texts that must match it. */
  readonly pattern?: string | undefined
  /** What the text must be; undefined when it fits. */
  mustBe(text: string): string | undefined
}

/** Text that matches the whole pattern, described by `expected`. */
export const matching = (pattern: RegExp, expected: string): TextRule => ({
  expected,
  pattern: pattern.source,
  mustBe: (text) => (pattern.test(text) ? undefined : expected),
})

export const anyText: TextRule = { expected: 'a string', mustBe: () => undefined }
export const nonEmptyText: TextRule = {
  expected: 'a string and non-empty',
  pattern: '.',
  mustBe: (text) => (text === '' ? 'non-empty' : undefined),
}

/** Refuses lone surrogates, which the file cannot hold, and control characters, which are mistakes in a path, name or URL. */
export function textRule({ expected, pattern, mustBe }: TextRule): ValueRule {
  const isPrintable = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text)
  return {
    expected,
    pattern,
    check(value) {
      if (typeof value !== 'string') return wrongType('a string', value)
      const wanted = mustBe(value) ?? (isPrintable(value) ? undefined : 'text without control characters')
      return wanted === undefined ? undefined : { mustBe: wanted, was: show(value) }
    },
  }
}

export function listRule(entry: TextRule): ValueRule {
  const { check } = textRule(entry)
  return {
    expected: 'a list of strings',
    check(value) {
      if (!Array.isArray(value)) return wrongType('an array', value)
      return value.map(check).find((mismatch) => mismatch !== undefined)
    },
  }
}

export function choiceRule(values: readonly string[]): ValueRule {
  const allowed = values.toSorted()
  const expected = anyOf(allowed.map(show))
  return { expected, allowed, check: (value) => (values.includes(value as string) ? undefined : { mustBe: expected, was: show(value) }) }
}

export const flagRule: ValueRule = {
  expected: 'boolean',
  check: (value) => (typeof value === 'boolean' ? undefined : { mustBe: 'boolean', was: show(value) }),
}

export function integerRule({ min, max }: { readonly min?: number | undefined; readonly max?: number | undefined }): ValueRule {
  const atLeast = min === 0 ? 'non-negative' : `at least ${min}`
  const atMost = `at most ${max}`
  const mustBe = (value: number): string | undefined => {
    if (!Number.isInteger(value)) return 'an integer'
    if (min !== undefined && value < min) return atLeast
    if (max !== undefined && value > max) return atMost
    return Number.isSafeInteger(value) ? undefined : 'below 2^53'
  }
  return {
    min,
    max,
    expected: ['an integer', ...(min === undefined ? [] : [atLeast]), ...(max === undefined ? [] : [atMost])].join(' and '),
    check(value) {
      if (typeof value !== 'number') return wrongType('a number', value)
      const wanted = mustBe(value)
      return wanted === undefined ? undefined : { mustBe: wanted, was: show(value) }
    },
  }
}

const wrongType = (mustBe: string, value: unknown): Mismatch => ({ mustBe, was: typeName(value) })

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Writes a value as in the file; lists and tables by their type. */
function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'object' ? typeName(value) : String(value)
}

const anyOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
