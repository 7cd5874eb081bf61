import { readVersionId } from '../../wire/query.ts'
import type { Operation } from '../operation.ts'
import { findReadable, planRead } from './read-object.ts'

/** The response of GetObject without the body. */
export const headObject: Operation = {
  scope: 'object',
  async run(request, services) {
    const { status, headers } = planRead(request, await findReadable(request, services, readVersionId(request.query)))
    return { status, headers }
  },
}
