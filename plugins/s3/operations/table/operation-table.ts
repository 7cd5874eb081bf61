/** Every S3 operation, by the method, level and sub-resource that select it. */
import { bucketRows, serviceRows } from './bucket-rows.ts'
import { objectRows } from './object-rows.ts'
import type { Level, Method, OperationRow } from './row.ts'

export interface NamedRow extends OperationRow {
  readonly name: string
  readonly level: Level
}

const named = (level: Level, rows: Readonly<Record<string, OperationRow>>): NamedRow[] =>
  Object.entries(rows).map(([name, row]) => ({ ...row, name, level }))

export const operationTable: readonly NamedRow[] = [
  ...named('service', serviceRows),
  ...named('bucket', bucketRows),
  ...named('object', objectRows),
]

/** Query names that select an operation at some level. They never belong to a plain request. */
export const subResources: ReadonlySet<string> = new Set(operationTable.flatMap(({ subResource }) => subResource ?? []))

const place = (level: Level, subResource: string | undefined) => `${level} ${subResource ?? ''}`

/** Rows by place and method; those with a variant first. */
const index = new Map<string, Map<Method, NamedRow[]>>()
for (const row of operationTable.toSorted((a, b) => Number(b.variant !== undefined) - Number(a.variant !== undefined))) {
  const key = place(row.level, row.subResource)
  const byMethod = index.get(key) ?? new Map<Method, NamedRow[]>()
  index.set(key, byMethod)
  byMethod.set(row.method, [...(byMethod.get(row.method) ?? []), row])
}

/** Operations by method; undefined where the sub-resource does not exist at the level. */
export const operationsAt = (level: Level, subResource: string | undefined): ReadonlyMap<string, readonly NamedRow[]> | undefined =>
  index.get(place(level, subResource))
