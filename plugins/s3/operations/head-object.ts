import type { Operation } from './operation.ts'
import { findReadable, planRead, requestedVersion } from './read-object.ts'

/** Everything GetObject answers but the bytes. */
export const headObject: Operation = {
  scope: 'object',
  action: 'read-object',
  run(request, services) {
    const { status, headers } = planRead(request, findReadable(request, services, requestedVersion(request)))
    return { status, headers }
  },
}
