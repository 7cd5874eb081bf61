import { ownershipControlsDocument } from '../../documents/ownership-controls.ts'
import { requireBucketOwner } from '../../wire/object-ownership.ts'
import { type Operation, xmlAnswer } from '../operation.ts'
import { readXmlBody } from '../xml-body.ts'

export const getBucketOwnershipControls: Operation = {
  scope: 'bucket',
  run: () => xmlAnswer(ownershipControlsDocument.write('BucketOwnerEnforced')),
}

/** Accepts what is already so. */
export const putBucketOwnershipControls: Operation = {
  scope: 'bucket',
  async run(request) {
    requireBucketOwner(await readXmlBody(request, ownershipControlsDocument))
    return { status: 200, headers: {} }
  },
}

/** A bucket without controls has the same ownership as one with them. */
export const deleteBucketOwnershipControls: Operation = {
  scope: 'bucket',
  run: () => ({ status: 204, headers: {} }),
}
