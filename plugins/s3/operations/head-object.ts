import type { Operation } from './operation.ts'
import { findReadable, planRead, requestedVersion } from './read-object.ts'

/** The response of GetObject without the body. */
export const headObject: Operation = {
  scope: 'object',
  async run(request, services) {
    const { status, headers } = planRead(request, await findReadable(request, services, requestedVersion(request)))
    return { status, headers }
  },
}
