import type { Database } from '#kernel'
import type { WorkSubject, WorkSubjects } from '../contract.ts'
import { nameContents, nameDataSets } from './subject-store.ts'

interface SubjectDeps {
  readonly database: Pick<Database, 'read'>
  /** Returns the registered name; undefined before the registry was read. */
  providerName(providerId: string): string | undefined
}

const rowId = /^[1-9]\d{0,14}$/

export function createWorkSubjects({ database: { read }, providerName }: SubjectDeps): WorkSubjects {
  return {
    async name(subjects) {
      const idsOf = (wanted: string) => [
        ...new Set(subjects.flatMap(({ type, key }) => (type === wanted && rowId.test(key) ? [Number(key)] : []))),
      ]
      const names = new Map<string, WorkSubject>()
      for (const { id, bucket, objectKey } of await nameContents(read, idsOf('storage_content'))) {
        names.set(`storage_content ${id}`, { bucket, ...(objectKey === null ? {} : { key: objectKey }) })
      }
      for (const type of ['storage_data_set', 'data_set']) {
        for (const { id, bucket, providerId } of await nameDataSets(read, idsOf(type))) {
          const name = providerName(providerId)
          names.set(`${type} ${id}`, { bucket, providerId, ...(name === undefined ? {} : { providerName: name }) })
        }
      }
      return { nameOf: ({ type, key }) => names.get(`${type} ${key}`) }
    },
  }
}
