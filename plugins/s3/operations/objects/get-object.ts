import { readVersionId } from '../../wire/query.ts'
import type { Operation } from '../operation.ts'
import { findReadable, hasReadConditions, openReadable, planRead, requestedParts } from './read-object.ts'

export const getObject: Operation = {
  scope: 'object',
  async run(request, services) {
    const versionId = readVersionId(request.query)
    // Check conditions first: opening an object that is not cached is expensive.
    if (hasReadConditions(request.headers)) {
      const version = await findReadable(request, services, versionId)
      const { status, headers } = planRead(request, version, await requestedParts(request, services, version))
      if (status === 304) return { status, headers }
    }
    await using guard = new AsyncDisposableStack()
    const opened = guard.use(await openReadable(request, services, versionId))
    const { status, headers, length, range } = planRead(request, opened.version, await requestedParts(request, services, opened.version))
    if (status === 304) return { status, headers }
    // The writer of the response disposes it.
    guard.move()
    return { status, headers, content: { opened, length, ...(range && { range }) } }
  },
}
