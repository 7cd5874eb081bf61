import type { Operation } from './operation.ts'
import { findReadable, planRead, requestedVersion } from './read-object.ts'

/** An object's bytes, or a part of them. */
export const getObject: Operation = {
  scope: 'object',
  action: 'read-object',
  async run(request, services) {
    const { bucket, key } = request
    const version = findReadable(request, services, requestedVersion(request))
    const { status, headers, length, range } = planRead(request, version)
    if (status === 304) return { status, headers }
    // Opened by its id, so that the bytes are those of the headers even if the key is written meanwhile.
    const opened = await services.objects.open(bucket.name, key, version.versionId)
    return { status, headers, content: { opened, length, ...(range && { range }) } }
  },
}
