import { ownerHasFullControl, requireSameAccess } from '../access-control.ts'
import { type Operation, xmlAnswer } from '../operation.ts'

export const getBucketAcl: Operation = {
  scope: 'bucket',
  run: (request) => xmlAnswer(ownerHasFullControl(request)),
}

export const putBucketAcl: Operation = {
  scope: 'bucket',
  async run(request) {
    await requireSameAccess(request)
    return { status: 200, headers: {} }
  },
}
