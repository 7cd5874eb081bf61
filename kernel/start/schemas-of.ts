import { contributionsTo } from '../core/wiring.ts'
import { dbSchemas, type Schema } from '../db/database.ts'
import type { PreparedKernel } from './prepare.ts'

/** Database schemas of the plugins. */
export function schemasOf({ enabled, disabled }: Pick<PreparedKernel, 'enabled' | 'disabled'>): {
  /** Their migrations are applied. */
  readonly enabled: readonly Schema[]
  /** Their tables, if present, stay unchanged. */
  readonly disabled: readonly Schema[]
} {
  const of = (plugins: PreparedKernel['enabled']) => contributionsTo(dbSchemas, plugins).map(({ item }) => item)
  return { enabled: of(enabled), disabled: of(disabled) }
}
