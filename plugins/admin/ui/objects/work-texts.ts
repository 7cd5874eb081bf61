/** The states by which objects are filtered, in words. Pure. */
import { formatExactCount, type Input, type SelectOption } from '@svc/ui-kit'

export type Work = NonNullable<NonNullable<Input<'GET /buckets/:name/objects'>['query']>['work']>

const works: Readonly<Record<Work, readonly [label: string, none: string]>> = {
  complete: ['Complete', 'No object here has all its copies'],
  working: ['Working', 'No task is making copies of an object here'],
  waiting: ['Waiting', 'No object here waits for copies'],
  stuck: ['Stuck', 'No object here is stuck'],
}

export const workOptions: readonly SelectOption[] = [
  { value: '', label: 'Every state' },
  ...Object.entries(works).map(([value, [label]]) => ({ value, label })),
]

/** The state of the address; undefined when it names none. */
export const readWork = (text: string): Work | undefined => (Object.hasOwn(works, text) ? (text as Work) : undefined)

/** What an empty list says. */
export const noneOf = (work: Work): string => works[work][1]

/** Said under a page that ends because its request read as many keys as it may. */
export const readLimitText = (keysRead: number): string =>
  `One request reads ${formatExactCount(keysRead)} keys, and there are more keys behind them. Next continues there.`
