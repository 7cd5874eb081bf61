import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { defineDoctorCheck } from 'svc/kernel/system'
import { digestOf } from './digest-of.ts'
import { archiveSection } from './settings.ts'

const filesPerPage = 10

/** Compares files with their names, page by page; without `--whole` only the first ones. */
export const archiveCheck = defineDoctorCheck({
  name: 'archive.files',
  title: 'Files of the archive against the SHA-256 in their names',
  proves: [],
  cost: 'whole',
  uses: { settings: archiveSection.settings },
  async look({ settings: { dir } }, { after = '', sample }) {
    if (dir === '') return { findings: [], compared: 0 }
    const names = (await readdir(dir)).filter((name) => name > after).toSorted()
    const page = names.slice(0, sample ?? filesPerPage)
    const digests = await Promise.all(page.map((name) => digestOf(join(dir, name))))
    const damaged = page.filter((name, index) => digests[index] !== undefined && digests[index] !== name)
    return {
      findings: damaged.map((name) => ({
        severity: 'warning',
        subject: { kind: 'archived file', id: name },
        message: 'the file has other bytes than its name says, and is not served',
        repair: `Replace ${join(dir, name)} from its source, or delete it`,
      })),
      compared: page.length,
      ...(sample === undefined && names.length > page.length && { next: page.at(-1) ?? '' }),
    }
  },
})
