import { type Log, within } from '#kernel'
import type { Contributions, ExtensionPoint, Resolved, Uses } from '#kernel/system'

/** Longest wait for a part in milliseconds; a request waits once, because all parts are read at the same time. */
const partMs = 2_000

interface PartDeps {
  readonly contributions: Contributions
  readonly log: Log
  /** Override for tests. */
  readonly limitMs?: number
}

/** Reads what other plugins add to an answer. A part that fails or is late is logged and counted: operators need the others. */
export async function readParts<P extends { readonly name: string }, T>(
  { contributions, log, limitMs = partMs }: PartDeps,
  point: ExtensionPoint<P>,
  read: (part: P, services: Resolved<Uses>) => T | Promise<T>,
): Promise<{ readonly parts: readonly { readonly part: P; readonly value: T }[]; readonly failed: number }> {
  const added = contributions.to(point)
  const answers = await Promise.all(
    added.map(async ({ pluginId, item, services }) => {
      try {
        const late = () => {
          throw new Error(`no answer within ${limitMs} ms`)
        }
        const value = await within(limitMs, (async () => read(item, services))(), late)
        return [{ part: item, value }]
      } catch (error) {
        log.warn('a part of an answer could not be read', { point: point.id, plugin: pluginId, part: item.name, error })
        return []
      }
    }),
  )
  const parts = answers.flat()
  return { parts, failed: added.length - parts.length }
}
