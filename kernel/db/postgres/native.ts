/** The part of `pg` that is used. MikroORM owns the pool. */
export interface NativeResult {
  /** First word of the server's command tag. */
  readonly command: string
  readonly rows: unknown[]
  readonly rowCount: number | null
}

export interface NativeQuery {
  readonly text: string
  /** Prepared once per connection under this name. */
  readonly name?: string
  readonly values?: readonly unknown[]
  readonly query_timeout: number
}

export interface NativeClient {
  /** Id of its session, which the server told to the connection. */
  readonly processID: number | null
  query(query: NativeQuery): Promise<NativeResult>
  /** Closes the connection instead of reusing it if `destroy` is true. */
  release(destroy?: boolean): void
  once(event: 'end', listener: () => void): void
}

export interface NativePool {
  /** It is closed, or being closed. */
  readonly ending: boolean
  connect(): Promise<NativeClient>
  end(): Promise<void>
}

/** First row of the last statement of a text. A text with several statements is answered by a list. */
export const lastRow = <R>(answers: NativeResult | readonly NativeResult[]): R | undefined =>
  [answers].flat().at(-1)?.rows[0] as R | undefined

/** Deadline of a statement at the server, then of its answer. */
export const statementMs = 30_000
export const answerMs = 35_000

export const textQuery = (text: string): NativeQuery => ({ text, query_timeout: answerMs })

const int8 = 20
const numeric = 1700
const bool = 16
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [int8]: toNumber,
  [numeric]: toNumber,
  // SQLite returns 0 or 1.
  [bool]: (text) => (text === 't' ? 1 : 0),
}

export class UnsafeNumber extends Error {
  override readonly name = 'UnsafeNumber'

  constructor(text: string) {
    super(`the number ${text} from the database is too large; a text column keeps all its digits`)
  }
}

/** Counts and times are numbers. A larger number belongs into a text column: SQLite would round it. */
function toNumber(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new UnsafeNumber(text)
  return value
}

const asText = (text: string) => text

/** Types of rows are those of SQLite: numbers, texts, bytes and null. */
export const rowTypes = {
  getTypeParser(oid: number, format?: string): (value: never) => unknown {
    const bytea = 17
    if (oid === bytea || format === 'binary') return (text: string) => Buffer.from(text.slice(2), 'hex')
    const small = oid === 21 || oid === 23 || oid === 700 || oid === 701
    return (parsers[oid] ?? (small ? Number : asText)) as (value: never) => unknown
  },
}
