import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { database, log } from 'svc/kernel'
import { contents, defineByteSource } from 'svc/plugins/storage'
import { digestOf } from './digest-of.ts'
import { archiveSection } from './settings.ts'

/** Serves contents that are not cached from files named by their SHA-256. A file with other bytes is not served. */
export const archiveSource = defineByteSource({
  name: 'archive',
  uses: { contents, database, log, settings: archiveSection.settings },
  async open({ contents, database, log, settings }, version, contentId) {
    const sha256 = (await contents.find(database.read, contentId))?.sha256
    if (!sha256 || settings.dir === '') return undefined
    const path = join(settings.dir, sha256)
    const digest = await digestOf(path)
    if (digest !== sha256) {
      if (digest !== undefined) log.warn('a file of the archive has other bytes than its name says', { path, digest })
      return undefined
    }
    return {
      version,
      source: 'provider',
      read: (range) => createReadStream(path, range),
      async [Symbol.asyncDispose]() {},
    }
  },
})
