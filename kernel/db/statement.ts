import type { InferKyselyDB } from '@mikro-orm/sql'
import type { Compilable, DeleteResult, Expression, InsertResult, QueryCreator, UpdateResult } from 'kysely'

export type SqlValue = string | number | bigint | null | Uint8Array

export type Dialect = 'sqlite' | 'postgres'

/** A text in the SQL of both engines, or one text for each. */
export type SqlText = string | Readonly<Record<Dialect, string>>

/** One SQL statement with named parameters `P` and rows `R`. A constant of a `-store.ts` file: engines keep it prepared. */
export interface Statement<in P = never, out R = unknown> {
  readonly source: { readonly text: SqlText } | { readonly build: Build }
  /** Exists only in the type. */
  readonly of?: { readonly params: (params: P) => void; readonly row: R }
}

// biome-ignore lint/suspicious/noExplicitAny: the compiler of statements knows no tables
type Build = (db: QueryCreator<any>, params: any) => Compilable

/** The Kysely tables of a union of entities: `TablesOf<typeof taskEntity | typeof taskCountEntity>`. */
export type TablesOf<E extends { readonly name: string; readonly tableName?: string }> = InferKyselyDB<
  E,
  { columnNamingStrategy: 'property' }
>

type ParamValue = SqlValue | readonly (string | number)[]

/** References to the parameters `P` in a statement that is being built. A list stands on the right side of `in` or `not in`. */
export type Params<P> = { readonly [K in keyof P]: Expression<P[K] extends readonly (infer Item)[] ? Item : P[K]> }

/** The row of a statement without a returning clause. */
type RowOf<O> = O extends InsertResult | UpdateResult | DeleteResult ? never : O

export type NoParams = Record<never, never>

/**
 * Statements over these tables, built with Kysely and compiled at their first use. Values other than `params` become literals of the
 * text, so `build` may use only constants.
 */
export const statementsOver =
  <Tables>() =>
  <O, P extends Readonly<Record<keyof P, ParamValue>> = NoParams>(
    build: (db: QueryCreator<Tables>, params: Params<P>) => Compilable<O>,
  ): Statement<P, RowOf<O>> => ({ source: { build: build as unknown as Build } })

/**
 * A statement written by hand. Parameters are written `:name`; a list parameter is written `in :name` or `not in :name`, without
 * parentheses.
 */
export const sqlStatement = <P extends Readonly<Record<keyof P, ParamValue>> = NoParams, R = never>(text: SqlText): Statement<P, R> => ({
  source: { text },
})
