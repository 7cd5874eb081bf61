import { contents, defineReleaseGuard } from 'svc/plugins/storage'
import { legalHoldSection } from './settings.ts'

/** Keeps the cached bytes of contents that a key under the prefix uses. */
export const holdGuard = defineReleaseGuard({
  name: 'legal-hold',
  uses: { contents, settings: legalHoldSection.settings },
  mayRelease: async ({ contents, settings }, tx, contentId) =>
    (await contents.keysOf(tx, contentId, { prefix: settings.prefix, limit: 1 })).length === 0,
})
