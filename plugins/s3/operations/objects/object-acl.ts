import { readVersionId } from '../../wire/query.ts'
import { ownerHasFullControl, requireSameAccess } from '../access-control.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { findReadable } from './read-object.ts'

export const getObjectAcl: Operation = {
  scope: 'object',
  async run(request, services) {
    const { versionId } = await findReadable(request, services, readVersionId(request.query))
    return xmlAnswer(ownerHasFullControl(request), { 'x-amz-version-id': versionId })
  },
}

export const putObjectAcl: Operation = {
  scope: 'object',
  async run(request, services) {
    const { versionId } = await findReadable(request, services, readVersionId(request.query))
    await requireSameAccess(request)
    return { status: 200, headers: { 'x-amz-version-id': versionId } }
  },
}
