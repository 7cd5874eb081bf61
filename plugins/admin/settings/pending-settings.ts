import type { FileValue, LoadedConfig, Section } from '#kernel/system'

/** A setting whose next value is not the running one. A secret shows neither. */
interface PendingSetting {
  readonly field: string
  readonly label: string
  readonly running?: FileValue
  readonly next?: FileValue
}

/** What a restart would change, in the order of the settings. */
export function listPending(
  running: Pick<LoadedConfig, 'raw'>,
  next: Pick<LoadedConfig, 'raw'>,
  sections: readonly Section[],
): readonly PendingSetting[] {
  return sections.flatMap((section) =>
    Object.entries(section.keys).flatMap(([key, { label, secret, secretParts }]) => {
      const field = `${section.path}.${key}`
      const [before, after] = [running.raw.get(field), next.raw.get(field)]
      if (JSON.stringify(before) === JSON.stringify(after)) return []
      // I-10: a URL may hold a token.
      const isHidden = secret || [before, after].some((value) => typeof value === 'string' && secretParts(value).length > 0)
      if (isHidden) return [{ field, label }]
      return [{ field, label, ...(before !== undefined && { running: before }), ...(after !== undefined && { next: after }) }]
    }),
  )
}
