import { readVersionId } from '../../wire/query.ts'
import type { Operation } from '../operation.ts'
import { addExpiry } from './expiry-header.ts'
import { findReadable, planRead, readRequested } from './read-object.ts'

/** The response of GetObject without the body. */
export const headObject: Operation = {
  scope: 'object',
  async run(request, services) {
    const version = await findReadable(request, services, readVersionId(request.query))
    const { status, headers } = planRead(request, version, await readRequested(request, services, version))
    await addExpiry(headers, services, { bucket: request.bucket, version })
    return { status, headers }
  },
}
