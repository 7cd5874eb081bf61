/** @walk read 9: asks the sources of bytes in order */
import { type ByteSource, contentErrors, type ObjectVersion, type OpenedObject } from '../contract.ts'
import type { Attached } from './attached.ts'

const retryAfterSeconds = 10

export type OpenUncached = (version: ObjectVersion, contentId: number) => Promise<OpenedObject>

/** Opens bytes that are not cached from the first source that has them. Throws `content_unavailable` when none does. */
export function openFrom(attached: () => readonly Attached<ByteSource>[]): OpenUncached {
  return async (version, contentId) => {
    for (const { item, services } of attached()) {
      const opened = await item.open(services, version, contentId)
      if (opened) return opened
    }
    throw contentErrors.content_unavailable({
      message: `the bytes of '${version.key}' are not in the cache, and no provider can serve them now; retry later`,
      retryAfterSeconds,
    })
  }
}
