/** @walk read 1: reads headers and conditions */
import { readVersionId } from '../../wire/query.ts'
import type { Operation } from '../operation.ts'
import { addExpiry } from './expiry-header.ts'
import { findReadable, hasReadConditions, openReadable, orDispose, planRead, readRequested } from './read-object.ts'

export const getObject: Operation = {
  scope: 'object',
  async run(request, services) {
    const versionId = readVersionId(request.query)
    // Check conditions first: opening an object that is not cached is expensive.
    if (hasReadConditions(request.headers)) {
      const version = await findReadable(request, services, versionId)
      const { status, headers } = planRead(request, version, await readRequested(request, services, version))
      if (status === 304) return { status, headers }
    }
    const opened = await openReadable(request, services, versionId)
    const plan = await orDispose(opened, async () => {
      const plan = planRead(request, opened.version, await readRequested(request, services, opened.version))
      await addExpiry(plan.headers, services, { bucket: request.bucket, version: opened.version })
      return plan
    })
    const { status, headers, length, range } = plan
    if (status === 304 || length === 0) {
      await opened[Symbol.asyncDispose]()
      return { status, headers }
    }
    // The writer of the response disposes it.
    return { status, headers, content: range ? { opened, length, range } : { opened, length } }
  },
}
